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
}

/** The templates of a program, by name. */
export const TEMPLATES = new ModuleState<Map<string, Template>>(() => new Map());

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

/** @throws ArgumentError for an unknown name */
export function templateNamed(vm: NativeContext, name: string): Template {
  const all = TEMPLATES.of(vm);
  const found = all.get(name);
  if (found !== undefined) return found;
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
