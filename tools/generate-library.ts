import { LAZY_METHODS } from '../compiler/resolve/dispatched.js';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from '../compiler/parse.js';
import { PRELUDE } from '../compiler/generated/prelude.js';
import { auth } from '../natives/auth/index.js';
import { DATE } from '../natives/core/dates/index.js';
import { CORE_MODULES, TYPE_METHODS } from '../natives/core/index.js';
import { bus } from '../natives/bus/index.js';
import { data } from '../natives/data/index.js';
import { decimals } from '../natives/decimal/index.js';
import { logging } from '../natives/logging/index.js';
import { IO_MODULES } from '../natives/io/index.js';
import { keystore } from '../natives/keystore/index.js';
import { jobs } from '../natives/jobs/index.js';
import { mail } from '../natives/mail/index.js';
import { testing } from '../natives/testing/index.js';
import { web } from '../natives/web/index.js';
import { testClientMethods } from '../natives/web/testclient/client.js';
import { BYTES } from '../vm/values/bytes.js';
import { allOf, type Natives } from '../vm/values/methodgroup.js';

const ROOT = resolve(import.meta.dirname, '..');

/** A generated document: natives, and the chapters of examples that show them. */
export interface Book {
  readonly title: string;
  /** Path of the document. */
  readonly path: string;
  /** Folder of the examples. */
  readonly folder: string;
  /** The chapters in order: files of the folder without extension. */
  readonly chapters: readonly string[];
  readonly introduction: string;
  /** Natives whose names begin with `%` are left out. */
  readonly natives: Natives;
  /** Whether constants, and iterators written in Svc, belong to it; otherwise the words of templates do. */
  readonly hasPrelude: boolean;
}

const LIBRARY: Book = {
  title: 'The library',
  path: 'docs/library.md',
  folder: 'docs/library/examples',
  chapters:
    `printing conversions strings regexes vectors hashes sets iterators sequences numbers decimals ranges records values dates durations bytes random
  json csv files databases keystores messages jobs system http security mail concurrency errors logs testing`.split(
      /\s+/,
    ),
  introduction: `All functions and methods of Svc but those of web services and authentication, which have [a reference of their own](web-reference.md). They need no import, save those of the chapter on mail, which
\`use "mail"\` brings.

A signature names the parameters with their types: \`|\` means "or", \`?\` behind a type "or nil", \`= 2\` the value of a parameter that is left out, \`*\` any number
of arguments, \`**\` any named arguments. Any parameter may be given by name: \`"a".center(5, pad: "-")\`. A parameter without a type takes everything. \`{ |x| … }\` is a
block; a function in its place does the same. \`# =>\` shows what a line prints. Names that stand together mean the same. A result in lower
case, as in \`vector.each { |x| … } -> vector\`, is the receiver itself.`,
  natives: [
    ...Object.values(CORE_MODULES),
    ...Object.values(IO_MODULES),
    TYPE_METHODS,
    decimals,
    data,
    keystore,
    bus,
    jobs,
    mail,
    logging,
    testing,
  ].flat(),
  hasPrelude: true,
};

const WEB: Book = {
  title: 'Reference of the web library',
  path: 'docs/web-reference.md',
  folder: 'docs/web-reference',
  chapters: 'application requests responses pages streams sessions websockets operating authentication testing'.split(
    ' ',
  ),
  introduction: `All functions and methods for web services; [web applications](web.md) explains how they work together, and [the library](library.md) has all others, among them those
for [requests to other servers](library.md#http-requests) and for [mail](library.md#mail).
They need no import, save those of the chapter on authentication, which \`use "svcauth"\`, \`use "jwt"\` and \`use "oidc"\` bring.

A signature names the parameters with their types: \`|\` means "or", \`?\` behind a type "or nil", \`= 2\` the value of a parameter that is left out, \`**\` any
named arguments. Any parameter may be given by name: \`html_response("<p>", status: 404)\`. A parameter without a type takes everything. \`{ … }\` is a
block; a function in its place does the same. A call whose arguments do not fit raises an ArgumentError or a TypeError. \`# =>\` shows what a line prints. Each example
of a chapter is a part of one program, which begins with the code above the first of them.`,
  natives: [...web, ...testClientMethods, ...auth],
  hasPrelude: false,
};

/** The generated documents on natives. */
export const BOOKS: readonly Book[] = [LIBRARY, WEB];

/** A declaration under one of its names, for one receiver type or for none (a function). */
interface Declaration {
  owner: string;
  name: string;
  /** Parameters as the documentation shows them, without parentheses. */
  params: string;
  /** The block that it takes, ` { |x| … }`, or empty. */
  block: string;
  result: string;
  doc: string;
  /** Whether it is written in Svc and takes a block. */
  iterator: boolean;
}

/** Declarations that differ only in names and receiver types. */
interface Form extends Omit<Declaration, 'owner' | 'name'> {
  owners: string[];
  names: string[];
}

/** Content of one heading of the documentation: aliases, with and without a block. */
export interface Entry {
  forms: Form[];
  /** `Vector.map`, `json_parse`: all names that it documents. */
  ids: string[];
  names: string[];
}

/** A part of an example file: the declarations in its heading and the lines below. */
export interface Example {
  chapter: string;
  heads: string[];
  code: string;
}

/** An example file: title and introduction from its first comments, then hidden code, then examples. */
export interface Chapter {
  name: string;
  title: string;
  introduction: string;
  code: string;
  examples: Example[];
}

/** Order of receiver types in the documentation. A method is listed under the first one that has it. */
const OWNERS = [
  '',
  'String',
  'Vector',
  'Hash',
  'Set',
  'Range',
  'Sequence',
  'Lazy',
  'Record',
  'Enum',
  'Integer',
  'Float',
];
/**
 * Receiver types of the prelude's iterators, by the name of their first parameter. For `xs`, only those that have a
 * method with this name.
 */
// prettier-ignore
const RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  xs: ['Vector', 'Hash', 'Set', 'Range', 'Record', 'Enum', 'Bytes', 'Sequence', 'Lazy', 'HttpResponse'], h: ['Hash', 'Record'], text: ['String'], n: ['Integer', 'Float'], x: ['Any'],
};

/** Iterators that lazy sequences have in a form of their own. */
const OWN_OF_LAZY: ReadonlySet<string> = new Set(LAZY_METHODS.split(' '));

export function idOf({ owner, name }: { owner: string; name: string }): string {
  return owner === '' ? name : `${owner}.${name}`;
}

function nativeDeclarations({ natives }: Book): Declaration[] {
  return allOf(natives)
    .filter(({ name }) => !name.startsWith('%'))
    .map(({ owner, name, signature, result, doc }) => {
      const block = /, *&block: Function(\??)$|^&block: Function(\??)$/.exec(signature);
      const params = signature.replace(/(, *)?&block: Function\??$/, '').replaceAll(/: Any\b(?! *[|?])/g, '');
      return { owner, name, params, block: block === null ? '' : ' { … }', result, doc, iterator: false };
    });
}

/** The constants, which have no declarations. */
const CONSTANTS: Declaration[] = [
  ['PI', 'Circumference of a circle whose diameter is 1.'],
  ['E', 'Base of the natural logarithm.'],
].map(([name, doc]) => ({ owner: '', name, params: '', block: '', result: 'Float', doc, iterator: false }));

/** Receiver in headings of the words that only templates have. */
const TEMPLATE = 'Template';

/** The words of templates, and `html"…"`, which the compiler translates. */
// prettier-ignore
const WORDS: Declaration[] = [
  ['', 'html', '', '', 'SafeHtml', 'HTML that is written in the program: inserted values are escaped by their place, as in templates.'],
  [TEMPLATE, 'render', 'name: String, locals: Hash? = nil', '', 'SafeHtml', 'In a template: another one, of the same folder or by its whole name.'],
  [TEMPLATE, 'yield', '', '', 'SafeHtml', 'In a layout: the page.'],
  [TEMPLATE, 'content_for', 'name: String', ' { … }', 'Nil', 'Adds the markup of the block to the content with a name, for the layout.'],
  [TEMPLATE, 'content_for', 'name: String', '', 'SafeHtml', 'The content with a name; empty if there is none.'],
  [TEMPLATE, 'content_for?', 'name: String', '', 'Boolean', 'Whether there is content with a name.'],
  [TEMPLATE, 'json', 'value', '', 'SafeHtml', 'A value as JSON in an element `script`, or in an attribute that holds a script; it stands nowhere else.'],
  [TEMPLATE, 'attributes', 'values: Hash', '', 'SafeHtml', 'Attributes of a tag: those that are nil or false are left out, those that are true have no value. ValueError for attributes that run scripts.'],
  [TEMPLATE, 'locals', '', '', 'Hash', 'All values that the template was given; for those that may be missing.'],
].map(([owner, name, params, block, result, doc]) => ({ owner, name, params, block, result, doc, iterator: false }));

/**
 * The declarations of the prelude. Their doc comments begin with the block's parameters and the result: `|x| -> Vector:
 * A sentence.`
 */
function preludeDeclarations(natives: readonly Declaration[]): Declaration[] {
  const known = new Set(natives.map(idOf));
  return parse('prelude', PRELUDE).module.stmts.flatMap((statement): Declaration[] => {
    if (statement.type !== 'Def') return [];
    const [stem, count] = statement.name.name.split('__');
    // Forms with arguments are those of databases and requests, whose natives declare them.
    if (['each', 'each_chunk'].includes(stem) && Number(count) > 0) return [];
    const name = stem.replace(/_q$/, '?').replace(/_b$/, '!');
    const [, given, result, doc] = /^\|(.*?)\| -> (\S+): (.+)$/s.exec(statement.doc) ?? [];
    if (doc === undefined)
      throw new Error(`the doc comment of ${statement.name.name} in the prelude lacks block or result`);
    const names = statement.params.map((param) => (param as { name: string }).name).slice(0, -1);
    const all = count === undefined ? [''] : RECEIVERS[names.shift() ?? ''];
    const owners =
      all.length > 1
        ? all.filter((owner) => known.has(idOf({ owner, name })) && !(owner === 'Lazy' && OWN_OF_LAZY.has(name)))
        : all;
    const block = given === '' ? ' { … }' : ` { |${given}| … }`;
    // Doc comments of the prelude name parameters without backticks.
    const marked = names.length === 0 ? doc : doc.replaceAll(new RegExp(`\\b(?:${names.join('|')})\\b`, 'g'), '`$&`');
    return owners.map((owner) => ({
      owner,
      name,
      params: names.join(', '),
      block,
      result,
      doc: marked,
      iterator: true,
    }));
  });
}

function rank(owner: string): number {
  const at = OWNERS.indexOf(owner);
  return at < 0 ? OWNERS.length : at;
}

/** Name of a family of types that share many methods. */
function familyOf(owner: string): string {
  if (owner === 'SvcGroup') return 'SvcApp';
  return ['xs', 'n'].find((key) => RECEIVERS[key].includes(owner)) ?? owner;
}

/**
 * Groups declarations that differ only in names and receivers. A name with a block form stays separate: `each` and
 * `map` without a block are not aliases.
 */
function formsOf(declarations: readonly Declaration[]): Form[] {
  const iterators = new Set(declarations.filter(({ iterator }) => iterator).map(idOf));
  const forms = new Map<string, Form>();
  for (const { owner, name, ...rest } of declarations) {
    const single = !rest.iterator && iterators.has(idOf({ owner, name }));
    const key = JSON.stringify([rest, familyOf(owner), single ? name : '']);
    const form = forms.get(key) ?? { ...rest, owners: [], names: [] };
    forms.set(key, form);
    if (!form.owners.includes(owner)) form.owners.push(owner);
    if (!form.names.includes(name)) form.names.push(name);
  }
  for (const form of forms.values()) form.owners.sort((a, b) => rank(a) - rank(b));
  return [...forms.values()];
}

/** All entries of a book, in order of declaration. */
export function entriesOf(book: Book): Entry[] {
  const natives = nativeDeclarations(book);
  const declarations = book.hasPrelude
    ? [...natives, ...CONSTANTS, ...preludeDeclarations(natives)]
    : [...natives, ...WORDS];
  const declared = new Set(declarations.map(idOf));
  const entries = new Map<string, Entry>();
  for (const form of formsOf(declarations)) {
    const ids = form.owners
      .flatMap((owner) => form.names.map((name) => idOf({ owner, name })))
      .filter((id) => declared.has(id));
    const met = new Set(ids.flatMap((id) => entries.get(id) ?? []));
    const entry = [...met].reduce(merged, { forms: [form], ids, names: form.names });
    for (const id of entry.ids) entries.set(id, entry);
  }
  return [...new Set(entries.values())].map((entry) => ({ ...entry, forms: entry.forms.sort(byBlock) }));
}

function merged(a: Entry, b: Entry): Entry {
  return {
    forms: [...b.forms, ...a.forms],
    ids: [...new Set([...b.ids, ...a.ids])],
    names: [...new Set([...b.names, ...a.names])],
  };
}

/** Orders forms: those with a block first, shorter ones before longer ones. */
function byBlock(a: Form, b: Form): number {
  return Number(b.iterator) - Number(a.iterator) || a.params.length - b.params.length;
}

/**
 * Reads a file of examples. A line `## String.upcase` or `## json_parse, json_dump` starts the example of these
 * declarations; `##` alone starts code that is run but not shown.
 */
export function readChapter({ folder }: Book, name: string): Chapter {
  const [head, ...parts] = readFileSync(join(ROOT, folder, `${name}.svc`), 'utf8').split(/^##(?: |$)/m);
  const [comments] = /^(#.*\n)+/.exec(head) ?? [''];
  const [title = '', ...introduction] = comments
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^# ?/, ''));
  const examples = parts.map((part): Example => {
    const end = part.indexOf('\n');
    return { chapter: name, heads: part.slice(0, end).split(/, */).filter(Boolean), code: part.slice(end).trim() };
  });
  return { name, title, introduction: introduction.join('\n'), code: head.slice(comments.length).trim(), examples };
}

const RECEIVER_TEXT: Readonly<Record<string, string>> = {
  String: '"text"',
  Any: 'value',
  HttpResponse: 'response',
  HttpClient: 'client',
  HttpEvents: 'events',
  HtmlElement: 'element',
  Enum: 'Enum',
  Log: 'log',
  SvcApp: 'app',
  SvcGroup: 'group',
  SvcMemoryStore: 'store',
  SvcRequest: 'req',
  SvcResponse: 'res',
  SvcSession: 'session',
  SvcStream: 'stream',
  SvcEvents: 'events',
  SvcWebSocket: 'ws',
  SvcRooms: 'app.rooms',
  SvcRoom: 'room',
  SvcTestClient: 'client',
  SafeHtml: 'html',
};

/** Whether a method is one of the type itself. */
function isStatic(owner: string, name: string): boolean {
  const typed = TYPE_METHODS.some((fn) => fn.owner === owner && fn.name === name);
  return typed || [DATE, BYTES].some((type) => type.name === owner && type.statics.has(name));
}

/** `"text".center(width: Integer, pad: String = " ") -> String`. */
function signatureText({ owners, params, block, result }: Form, owner: string, name: string): string {
  const receiver = isStatic(owner, name)
    ? owner
    : owners.includes('Integer') && owners.includes('Float')
      ? 'number'
      : (RECEIVER_TEXT[owner] ?? owner.toLowerCase());
  if (name === '[]') return `${receiver}[${params}] -> ${result}`;
  if (name === '[]=') return `${receiver}[${params.replace(', ', '] = ')} -> ${result}`;
  if (owner === '' && name === 'html') return `html"…#{value}…" -> ${result}`;
  const bare = owner !== '' || block !== '' || CONSTANTS.some((constant) => constant.name === name);
  const list = params === '' && bare ? '' : `(${params})`;
  return `${owner === '' || owner === TEMPLATE ? '' : `${receiver}.`}${name}${list}${block} -> ${result === 'self' ? receiver : result}`;
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Code as the documentation shows it: its output follows an arrow. */
function shownCode(code: string): string {
  return fence(
    'svc',
    code.replaceAll(/# expect:(?= |$)/gm, '# =>').replaceAll('# expect exit:', '# ends with exit code'),
  );
}

/** Content of a chapter for one entry: the forms for one receiver type, and the chapter's examples. */
interface Section {
  entry: Entry;
  owner: string;
  examples: Example[];
}

/** Sentences that apply to all iterators and are left out. */
const NEEDLESS = /^Without a block: a vector of the elements|^Needs a block/;

function sectionForms({ entry: { forms }, owner }: Section): Form[] {
  const own = forms.filter(({ owners }) => owners.includes(owner));
  return own.some(({ iterator }) => iterator) ? own.filter(({ doc }) => !NEEDLESS.test(doc)) : own;
}

function headingOf(section: Section): string {
  return [...new Set(sectionForms(section).flatMap(({ names }) => names))]
    .map((name) => idOf({ owner: section.owner, name }))
    .join(', ');
}

/** The other types that have the method. */
function furtherOwners(section: Section): string {
  const { owner } = section;
  const others = new Set(
    sectionForms(section)
      .flatMap(({ owners }) => owners)
      .filter((other) => other !== owner && !(owner === 'Integer' && other === 'Float')),
  );
  return others.size === 0 ? '' : `Also a method of ${[...others].sort((a, b) => rank(a) - rank(b)).join(', ')}.`;
}

function sectionText(section: Section): string {
  const forms = sectionForms(section).map(
    (form) =>
      `${fence('', form.names.map((name) => signatureText(form, section.owner, name)).join('\n'))}\n\n${form.doc}`,
  );
  const code = section.examples.map((example) => shownCode(example.code));
  return [`### ${headingOf(section).replaceAll('[', '\\[')}`, ...forms, furtherOwners(section), ...code]
    .filter(Boolean)
    .join('\n\n');
}

/** Anchors of headings, as Markdown renderers create them: duplicates are numbered. */
class Anchors {
  private readonly counts = new Map<string, number>();

  take(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const count = this.counts.get(slug) ?? 0;
    this.counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}

function ownerOf(id: string): string {
  return id.includes('.') ? id.slice(0, id.indexOf('.')) : '';
}

/** The entries for which a chapter has examples, in the chapter's order. */
function sectionsOf({ folder }: Book, chapter: Chapter, byId: ReadonlyMap<string, Entry>): Section[] {
  const sections = new Map<Entry, Section>();
  for (const example of chapter.examples) {
    for (const head of example.heads) {
      const entry = byId.get(head);
      if (entry === undefined) throw new Error(`${folder}/${chapter.name}.svc: there is no ${head}`);
      const section = sections.get(entry) ?? { entry, owner: ownerOf(head), examples: [] };
      sections.set(entry, section);
      if (!section.examples.includes(example)) section.examples.push(example);
    }
  }
  return [...sections.values()];
}

/** Generates a book from its declarations and examples. */
function textOf(book: Book): string {
  const anchors = new Anchors();
  anchors.take(book.title);
  anchors.take('Contents');
  const entries = entriesOf(book);
  const byId = new Map(entries.flatMap((entry) => entry.ids.map((id) => [id, entry] as const)));
  const contents: string[] = [];
  const bodies: string[] = [];
  const add = (title: string, introduction: string[], sections: Section[]): void => {
    const link = `- [${title}](#${anchors.take(title)})`;
    const links = sections.map(
      (section) => `[${headingOf(section).replaceAll(/[[\]]/g, '\\$&')}](#${anchors.take(headingOf(section))})`,
    );
    contents.push(links.length === 0 ? link : `${link}: ${links.join(' · ')}`);
    bodies.push([`## ${title}`, ...introduction, ...sections.map(sectionText)].filter(Boolean).join('\n\n'));
  };
  const shown = new Set<Entry>();
  for (const chapter of book.chapters.map((name) => readChapter(book, name))) {
    const sections = sectionsOf(book, chapter, byId);
    for (const { entry } of sections) shown.add(entry);
    add(chapter.title, [chapter.introduction, chapter.code === '' ? '' : shownCode(chapter.code)], sections);
  }
  const rest = entries.filter((entry) => !shown.has(entry));
  if (rest.length > 0)
    add(
      'Further declarations',
      [],
      rest.map((entry) => ({ entry, owner: entry.forms[0].owners[0], examples: [] })),
    );
  const head = `<!-- Generated by tools/generate-library.ts from the declarations of natives/${book.hasPrelude ? ', compiler/prelude/' : ''} and ${book.folder}. Do not edit. -->
# ${book.title}

${book.introduction}`;
  return `${[head, '## Contents', contents.join('\n'), ...bodies].join('\n\n')}\n`;
}

/** Generates the documentation of all natives. */
export function generateLibrary(): Map<string, string> {
  return new Map(BOOKS.map((book) => [book.path, textOf(book)]));
}
