import { dirname } from 'node:path';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { PageStream } from './pagestream.js';

/** A compiled template. */
export interface Template {
  name: string;
  fn: Value;
  /** Names of the values that its function takes after its own parameters. */
  locals: string[];
  /** The lines of its file that first read them. */
  lines: number[];
  /** The layout of its directory, if there is one. */
  layout: string | null;
  directory: Directory;
}

/** A directory of templates. */
export interface Directory {
  /** As the program names it. */
  readonly path: string;
  /** The file that names it, and those of its templates. */
  readonly file: string;
  readonly files: Set<string>;
  readonly templates: Map<string, Template>;
}

/** The templates of a program, by name: an application and those that it mounts may use the same names. */
export const TEMPLATES = new ModuleState<Map<string, Template[]>>(() => new Map());

/** The template within a layout, when it runs while the layout does. */
export interface Body {
  /** Whether it runs itself, and not the layout. */
  readonly isRunning: boolean;
  /** The layout asks for content: continues once the template has collected it. */
  content(vm: NativeContext, name: string, then: () => Value): Value | undefined;
  /** @throws RuntimeError for content that the layout has shown already */
  checkContent(name: string): void;
  /** Sends the layout's text, then the page where `yield` stands. Returns what remains to be sent. */
  show(vm: NativeContext, outer: PageStream, before: string): Value | undefined;
  /** Makes the page as a whole, for a layout that uses it as a value. */
  collect(vm: NativeContext, then: (html: string) => Value): Value | undefined;
}

const PAGE = new HandleType('Page');

/** What a template, its partials and its layout share while they make a page. */
export class Page extends Handle {
  /** What templates have collected for their layout, by name. */
  readonly contents = new Map<string, string>();
  /** What the layout shows for `yield`. */
  content = '';
  /** The template within the layout, if it runs while the layout does; null if it has made `content`. */
  body: Body | null = null;
  /** The partials that are being made, each within the one before. */
  readonly open: string[] = [];

  get type(): HandleType {
    return PAGE;
  }
}

/** The template that the running call means by a name. @throws ArgumentError for a name that is unknown or ambiguous */
export function templateNamed(vm: NativeContext, name: string): Template {
  const all = TEMPLATES.of(vm);
  const found = all.get(name);
  if (found !== undefined) return found.length === 1 ? found[0] : nearestOf(name, found, vm.position()?.file ?? '');
  if (all.size === 0)
    return fail(
      Errors.ArgumentError,
      `there is no template '${name}': name their directory with \`app.templates("views")\``,
    );
  const near = nearest(name, all.keys());
  return fail(
    Errors.ArgumentError,
    `there is no template '${name}'${near === null ? '' : `, did you mean '${near}'?`}`,
  );
}

/**
 * Of templates with one name, that of the directory to which the calling file belongs: as one of its templates, as the
 * file that names it, or as a file beside that one or below.
 */
function nearestOf(name: string, found: readonly Template[], file: string): Template {
  const own = found.find(({ directory: named }) => named.file === file || named.files.has(file));
  if (own !== undefined) return own;
  let nearby: Template[] = [];
  for (let folder = dirname(file); nearby.length === 0; folder = dirname(folder)) {
    nearby = found.filter(({ directory }) => dirname(directory.file) === folder);
    if (folder === dirname(folder)) break;
  }
  if (nearby.length === 1) return nearby[0];
  const places = found.map(({ directory }) => `${directory.path} of ${directory.file}`).join(' and ');
  return fail(
    Errors.ArgumentError,
    `there are several templates '${name}', in ${places}: call \`render\` in the file that names the directory, or give one of them another name`,
  );
}

/**
 * The arguments of a template's function. `stream` is null for a template whose text is its value.
 * @throws ArgumentError for a value that is missing
 */
export function argumentsOf(
  { name, locals, lines }: Template,
  page: Page,
  values: Hash,
  stream: Handle | null,
): Value[] {
  const args: Value[] = [page, values, stream];
  for (let i = 0; i < locals.length; i++) {
    const local = locals[i];
    const value = values.get(local);
    if (value === undefined)
      fail(
        Errors.ArgumentError,
        `the template '${name}' uses '${local}' in line ${lines[i]}, which it was not given: write render("${name}", {${local}: …}), or locals["${local}"] for what may be missing`,
      );
    args.push(value);
  }
  return args;
}
