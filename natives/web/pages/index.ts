/** Templates, which the compiler has made functions, and safe HTML. */
import { ModuleState } from '../../../vm/calls/modulestate.js';
import { native } from '../../../vm/calls/native.js';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodsOf } from '../../core/declare.js';
import { APP, type App } from '../app/app.js';
import { htmlResponse } from '../response/response.js';
import { SAFE_HTML, SafeHtml } from './safehtml.js';
import { pageValues } from './values.js';

/** A compiled template. */
interface Template {
  name: string;
  fn: Value;
  /** Names of the values that its function takes after the page and all values. */
  locals: string[];
  /** The layout of its directory, if there is one. */
  layout: string | null;
}

/** The templates of a program, by name. */
const TEMPLATES = new ModuleState<Map<string, Template>>(() => new Map());

/** Maximum partials within one another. */
const MAX_PARTIALS = 100;

const PAGE = new HandleType('Page');

/** What a template, its partials and its layout share while they make a page. */
class Page extends Handle {
  /** What templates have collected for their layout, by name. */
  readonly contents = new Map<string, string>();
  /** What the layout shows for `yield`. */
  content = '';
  /** The partials that are being made, each within the one before. */
  readonly open: string[] = [];

  get type(): HandleType {
    return PAGE;
  }
}

/** Adds the templates of a directory. @throws ArgumentError if the compiler did not compile them, or for a name twice */
function addTemplates(
  vm: NativeContext,
  _app: App,
  directory: string,
  layout: string | null,
  compiled: Hash | null,
): void {
  if (compiled === null)
    fail(
      Errors.ArgumentError,
      'SvcApp.templates() needs the directory as a literal text such as "views": templates are compiled with the program',
    );
  const all = TEMPLATES.of(vm);
  for (const [key, value] of compiled.entries()) {
    const name = key as string;
    const [fn, locals] = value as Value[];
    if (all.has(name) && all.get(name)?.fn !== fn)
      fail(
        Errors.ArgumentError,
        `SvcApp.templates(): there is already a template '${name}' beside the one in ${directory}`,
      );
    all.set(name, { name, fn, locals: locals as string[], layout });
  }
  if (layout !== null) templateNamed(vm, layout);
}

/** @throws ArgumentError for an unknown name */
function templateNamed(vm: NativeContext, name: string): Template {
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

/** The arguments of a template's function. @throws ArgumentError for a value that is missing */
function argumentsOf({ name, locals }: Template, page: Page, values: Hash): Value[] {
  const args: Value[] = [page, values];
  for (const local of locals) {
    const value = values.get(local);
    if (value === undefined)
      fail(
        Errors.ArgumentError,
        `the template '${name}' uses '${local}', which it was not given: write render("${name}", {${local}: …}), or locals["${local}"] for what may be missing`,
      );
    args.push(value);
  }
  return args;
}

/** Makes the text of a template, within its layout if there is one, and passes it to `then`. */
function page(
  vm: NativeContext,
  name: string,
  values: Hash | null,
  layout: Value,
  then: (html: string) => Value,
): Value | undefined {
  const template = templateNamed(vm, name);
  const made = new Page();
  const locals = values ?? new Hash();
  const outer = layout === true ? template.layout : layout === null || layout === false ? null : toText(layout);
  const around = outer === null ? null : templateNamed(vm, outer);
  return vm.callThen(template.fn, argumentsOf(template, made, locals), {
    done: (html) => {
      if (around === null) return then(html as string);
      made.content = html as string;
      return vm.callThen(around.fn, argumentsOf(around, made, locals), {
        done: (whole) => then(whole as string),
      });
    },
  });
}

/** A partial of a page. */
function partial(vm: NativeContext, made: Page, name: string, values: Hash | null): Value | undefined {
  const template = templateNamed(vm, name);
  const { open } = made;
  if (open.push(name) > MAX_PARTIALS)
    fail(
      Errors.RuntimeError,
      `templates render one another more than ${MAX_PARTIALS} levels deep: ${open.slice(-4).join(' → ')}`,
    );
  return vm.callThen(template.fn, argumentsOf(template, made, values ?? new Hash()), {
    done: (html) => {
      open.pop();
      return new SafeHtml(html as string);
    },
  });
}

function content(_vm: NativeContext, made: Page, name: Value): SafeHtml {
  return new SafeHtml(name === null ? made.content : (made.contents.get(toText(name)) ?? ''));
}

function addContent(_vm: NativeContext, made: Page, name: Value, html: SafeHtml): void {
  const key = toText(name);
  made.contents.set(key, (made.contents.get(key) ?? '') + html.text);
}

const safeHtmlMethods = methodsOf('SafeHtml', [
  ['to_s', '', 'String', 'The HTML as a text.', (_vm: NativeContext, html: SafeHtml) => html.text],
  [
    'length size',
    '',
    'Integer',
    'Number of UTF-16 units of the HTML.',
    (_vm: NativeContext, html: SafeHtml) => html.text.length,
  ],
  ['empty?', '', 'Boolean', 'Whether there is no text.', (_vm: NativeContext, html: SafeHtml) => html.text === ''],
]);
for (const fn of safeHtmlMethods) SAFE_HTML.methods.set(fn.name, fn);

// prettier-ignore
const appMethods = methodsOf('SvcApp', [
  ['templates', 'directory: String, layout: String? = nil, compiled: Hash? = nil', 'Nil', 'Names the directory of the templates, `*.html.erb`, which are compiled with the program, and the layout around their pages. The compiler passes `compiled`.', addTemplates],
]);
for (const fn of appMethods) APP.methods.set(fn.name, fn);

/** `render` and what belongs to it. */
// prettier-ignore
export const pageNatives: NativeFunction[] = [
  ...appMethods,
  ...safeHtmlMethods,
  ...pageValues,
  native('render', 'name: String, locals: Hash? = nil, status: Integer = 200, layout: Any = true, headers: Hash? = nil', 'SvcResponse', 'A response of a template, given its values. `layout` is another one than that of `app.templates`, or nil for none.', (vm: NativeContext, name: string, locals: Hash | null, status: Value, layout: Value, headers: Hash | null) => page(vm, name, locals, layout, (html) => htmlResponse(html, status, headers))),
  native('render_html', 'name: String, locals: Hash? = nil, layout: Any = nil', 'SafeHtml', 'The HTML of a template, for mails and parts of pages.', (vm: NativeContext, name: string, locals: Hash | null, layout: Value) => page(vm, name, locals, layout, (html) => new SafeHtml(html))),
  native('safe_html', 'text: String', 'SafeHtml', 'A text as HTML that is shown as it is. Whoever wrote it can run programs in the browser of those who see it.', (_vm, text: string) => new SafeHtml(text)),
  native('%partial', 'page: Any, name: String, locals: Hash? = nil', 'SafeHtml', 'A template within another one.', partial),
  native('%content', 'page: Any, name: Any = nil', 'SafeHtml', 'What a layout shows.', content),
  native('%has_content', 'page: Any, name: Any', 'Boolean', 'Whether there is content with a name.', (_vm, made: Page, name: Value) => made.contents.has(toText(name))),
  native('%content_add', 'page: Any, name: Any, html: Any', 'Nil', 'Adds content for the layout.', addContent),
];
