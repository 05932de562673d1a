/** Templates, which the compiler has made functions, and safe HTML. */
import { nearest } from '../../../vm/bytecode/nearest.js';
import { native, writtenAs } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Closure, NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodsOf } from '../../core/declare.js';
import { checkText } from '../../core/limits.js';
import { APP, type App } from '../app/app.js';
import { HTML, htmlResponse, type Response, withHead } from '../response/response.js';
import { StreamedResponse } from '../streams/stream.js';
import { StreamWriter } from '../streams/writer.js';
import { argumentsOf, type Directory, Page, type Template, templateNamed, TEMPLATES } from './page.js';
import { SAFE_HTML, SafeHtml } from './safehtml.js';
import type { PageStream } from './pagestream.js';
import { sending } from './streamed.js';
import { pageValues } from './values.js';

/** Maximum partials within one another. */
const MAX_PARTIALS = 100;

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
  const added: Directory = { path: directory, file: vm.position()?.file ?? '', files: new Set(), templates: new Map() };
  for (const [key, value] of compiled.entries()) {
    const name = key as string;
    const [fn, locals, lines] = value as Value[];
    const others = (all.get(name) ?? []).filter((other) => other.fn !== fn);
    const clash = others.find((other) => other.directory.file === added.file);
    if (clash !== undefined)
      fail(
        Errors.ArgumentError,
        `SvcApp.templates(): there is a template '${name}' in ${clash.directory.path} and in ${directory}: rename one, or name its directory in a file of its own`,
      );
    const template = { name, fn, locals: locals as string[], lines: lines as number[], layout, directory: added };
    added.templates.set(name, template);
    added.files.add((fn as Closure).fn.file);
    all.set(name, [...others, template]);
  }
  if (layout !== null && !added.templates.has(layout)) checkLayout(vm, layout, directory);
}

/** @throws ArgumentError for a layout that is no template */
function checkLayout(vm: NativeContext, layout: string, directory: string): void {
  const all = TEMPLATES.of(vm);
  if (all.has(layout)) return;
  const near = nearest(layout, all.keys());
  const hint = near === null ? `write it as ${directory}/${layout}.html.erb` : `did you mean '${near}'?`;
  fail(Errors.ArgumentError, `SvcApp.templates(): there is no template '${layout}' for the layout: ${hint}`);
}

/** The layout around a template that is rendered with the option `layout`. */
function layoutOf(vm: NativeContext, template: Template, layout: Value): Template | null {
  const name = layout === true ? template.layout : layout === false ? null : layout;
  if (name !== null && typeof name !== 'string')
    fail(Errors.ArgumentError, `layout: must be the name of a template, or nil for none, got ${typeName(name)}`);
  return name === null ? null : (template.directory.templates.get(name) ?? templateNamed(vm, name));
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
  const around = layoutOf(vm, template, layout);
  return vm.callThen(template.fn, argumentsOf(template, made, locals, null), {
    done: (html) => {
      if (around === null) return then(html as string);
      made.content = html as string;
      return vm.callThen(around.fn, argumentsOf(around, made, locals, null), {
        done: (whole) => then(whole as string),
      });
    },
  });
}

/** A response that is sent while its page is made. */
function streamedPage(
  vm: NativeContext,
  name: string,
  values: Hash | null,
  status: Value,
  layout: Value,
  headers: Hash | null,
): Response {
  const template = templateNamed(vm, name);
  const around = layoutOf(vm, template, layout);
  const locals = values ?? new Hash();
  // What is missing is an error of this call, before anything is sent.
  for (const used of around === null ? [template] : [template, around]) argumentsOf(used, new Page(), locals, null);
  const response = new StreamedResponse(HTML, (exchange, sent) => {
    const writer = new StreamWriter(vm, exchange, false);
    writer.start(() => vm.spawnNative('page', sending(writer, template, around, locals), () => {}), sent);
  });
  return withHead(response, status, headers);
}

/** A partial of a page, whose text is passed to `then`. */
function partialText(
  vm: NativeContext,
  made: Page,
  name: string,
  values: Hash | null,
  stream: PageStream | null,
  then: (html: string) => Value,
): Value | undefined {
  const template = templateNamed(vm, name);
  const { open } = made;
  if (open.push(name) > MAX_PARTIALS)
    fail(
      Errors.RuntimeError,
      `templates render one another more than ${MAX_PARTIALS} levels deep: ${open.slice(-4).join(' → ')}`,
    );
  return vm.callThen(template.fn, argumentsOf(template, made, values ?? new Hash(), stream), {
    done: (html) => {
      open.pop();
      return then(html as string);
    },
    failed: (thrown) => {
      open.pop();
      throw thrown;
    },
  });
}

function partial(vm: NativeContext, made: Page, name: string, values: Hash | null): Value | undefined {
  return partialText(vm, made, name, values, null, (html) => new SafeHtml(html));
}

/** Text of a template, followed by other text. */
function joined(before: string, html: string): string {
  checkText(before.length + html.length);
  return before + html;
}

/** A partial in the text of a template: returns its text behind that so far. */
function shownPartial(
  vm: NativeContext,
  made: Page,
  stream: PageStream | null,
  before: string,
  name: string,
  values: Hash | null,
): Value | undefined {
  return partialText(vm, made, name, values, stream, (html) =>
    stream === null ? joined(before, html) : stream.take(before + html),
  );
}

/** `yield` in the text of a template. */
function shownContent(vm: NativeContext, made: Page, stream: PageStream | null, before: string): Value | undefined {
  const { body } = made;
  if (body === null || stream === null || body.isRunning)
    return content(vm, made, null, (html) => joined(before, html));
  return body.show(vm, stream, before);
}

/** What a layout shows: content with a name, or the page. */
function content(vm: NativeContext, made: Page, name: Value, then: (html: string) => Value): Value | undefined {
  const { body, contents } = made;
  if (name !== null) {
    const key = toText(name);
    const found = (): Value => then(contents.get(key) ?? '');
    return body === null ? found() : body.content(vm, key, found);
  }
  if (body === null || body.isRunning) return then(made.content);
  return body.collect(vm, (html) => {
    made.body = null;
    made.content = html;
    return then(html);
  });
}

function hasContent(vm: NativeContext, made: Page, name: Value): Value | undefined {
  const key = toText(name);
  const has = (): boolean => made.contents.has(key);
  return made.body === null ? has() : made.body.content(vm, key, has);
}

function addContent(_vm: NativeContext, made: Page, name: Value, html: SafeHtml): void {
  const key = toText(name);
  made.body?.checkContent(key);
  made.contents.set(key, (made.contents.get(key) ?? '') + html.text);
}

/** A value that a template was given, or what the program calls by that name. */
function givenOr(_vm: NativeContext, values: Hash, name: string, own: Value): Value {
  const given = values.get(name);
  return given === undefined ? own : given;
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
  native('render', 'name: String, locals: Hash? = nil, status: Integer = 200, layout: Any = true, headers: Hash? = nil, stream: Boolean = false', 'SvcResponse', 'A response of a template, given its values. `layout` is another one than that of `app.templates`, or nil for none. With `stream` the page is sent while it is made.', (vm: NativeContext, name: string, locals: Hash | null, status: Value, layout: Value, headers: Hash | null, stream: boolean) => (stream ? streamedPage(vm, name, locals, status, layout, headers) : page(vm, name, locals, layout, (html) => htmlResponse(html, status, headers)))),
  native('render_html', 'name: String, locals: Hash? = nil, layout: Any = nil', 'SafeHtml', 'The HTML of a template, for mails and parts of pages.', (vm: NativeContext, name: string, locals: Hash | null, layout: Value) => page(vm, name, locals, layout, (html) => new SafeHtml(html))),
  native('safe_html', 'text: String', 'SafeHtml', 'A text as HTML that is shown as it is. Whoever wrote it can run programs in the browser of those who see it.', (_vm, text: string) => new SafeHtml(text)),
  native('%page_value', 'values: Hash, name: String, own: Any', 'Any', 'A value that a template was given, or what the program calls by that name.', givenOr),
  writtenAs('render', native('%partial', 'page: Any, name: String, locals: Hash? = nil', 'SafeHtml', 'A template within another one.', partial), 1),
  writtenAs('render', native('%page_partial', 'page: Any, stream: Any, before: String, name: String, locals: Hash? = nil', 'String', 'A template in the text of another one.', shownPartial), 3),
  writtenAs('content_for', native('%content', 'page: Any, name: Any = nil', 'SafeHtml', 'What a layout shows.', (vm: NativeContext, made: Page, name: Value) => content(vm, made, name, (html) => new SafeHtml(html))), 1),
  writtenAs('yield', native('%page_yield', 'page: Any, stream: Any, before: String', 'String', 'The page in the text of its layout.', shownContent), 3),
  native('%page_hold', 'stream: Any, text: String', 'String', 'Keeps the text before a part of a streamed page.', (_vm, stream: PageStream, text: string) => stream.hold(text)),
  native('%page_flush', 'stream: Any, text: String', 'String', 'Sends text of a streamed page once there is enough.', (vm: NativeContext, stream: PageStream, text: string) => stream.flush(vm, text)),
  writtenAs('content_for?', native('%has_content', 'page: Any, name: Any', 'Boolean', 'Whether there is content with a name.', hasContent), 1),
  writtenAs('content_for', native('%content_add', 'page: Any, name: Any, html: Any', 'Nil', 'Adds content for the layout.', addContent), 1, 1),
];
