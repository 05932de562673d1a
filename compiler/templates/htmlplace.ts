/**
 * Where in a page a value stands, decided while a template is compiled: a small tokenizer of HTML (HTML Standard, 13.2.5)
 * that follows the text between the values, and the JavaScript and CSS in it as far as strings and comments go.
 */
import { attributeKind, type AttributeKind } from './attributes.js';
import { CODE_START, type CodeState, readCode } from './code.js';

/** The place of a value. The prefix `url` values have says how they are escaped: at the start, in the path, in the query. */
export type Place =
  | 'text'
  | 'attribute'
  | 'url'
  | 'url-path'
  | 'url-query'
  | 'urls'
  | 'document'
  | 'script'
  | 'script-attribute'
  | 'attributes';

/** A place where no value may stand. */
export class Refusal {
  constructor(
    readonly message: string,
    readonly hint: string,
  ) {}
}

type State =
  | 'text'
  | 'rcdata'
  | 'raw'
  | 'tag-name'
  | 'tag'
  | 'attribute-name'
  | 'after-name'
  | 'before-value'
  | 'joined'
  | 'quoted'
  | 'unquoted'
  | 'comment'
  | 'declaration';

const RCDATA: ReadonlySet<string> = new Set(['title', 'textarea']);
const RAW: ReadonlySet<string> = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);
const SPACE = /[\t\n\f\r ]/;

/** How far a URL has been written in an attribute; `size` is after a URL of `srcset`, up to the comma. */
type Written = 'size' | 'nothing' | 'value' | 'path' | 'query';

const CARE: readonly Written[] = ['size', 'nothing', 'value', 'path', 'query'];

/**
 * What a URL may be before a value, where a slash at the start of the value could make the URL that of another host: `/`,
 * or nothing but values, which may be empty. An empty value after `/` could do so before a `/` of the template.
 */
type UrlStart = '' | '/';

/** How the start of a value is guarded, and what stands for an empty one. */
export interface StartGuard {
  readonly after: UrlStart;
  readonly filler: string;
}

/** Characters of a URL that browsers drop, wherever they stand. */
const DROPPED = /[\t\n\r]/g;
const BLANK_START = /^[\u0000-\u0020]+/;

/** Where a tag goes on after a name or an attribute: branches that end in any of them can be joined. */
const IN_TAG: ReadonlySet<State> = new Set(['tag-name', 'tag', 'attribute-name', 'after-name', 'unquoted', 'joined']);
const WITH_NAME: ReadonlySet<State> = new Set(['attribute-name', 'after-name', 'before-value']);
/** States in which the next character may belong to the name or value before it. */
const OPEN: ReadonlySet<State> = new Set(['tag-name', 'attribute-name', 'unquoted']);

const REFRESH_URL = /url\s*=/i;
const REFRESH_URL_START = /url\s*=\s*['"]?\s*$/i;
const REFRESH_ROOT = /url\s*=\s*['"]?\s*[/\\]$/i;

/** Text of the template that may mean several things. `at` is its offset in the text that `advance` was given. */
export interface Ambiguity {
  readonly at: number;
  readonly message: string;
  readonly hint: string;
}

/** A position in a page. Where branches of a template meet it stands for several, and is as careful as each of them. */
export class HtmlPlace {
  private state: State = 'text';
  /** The name of the tag that is open or, in its text, of the element. */
  private element = '';
  private closes = false;
  private attribute = '';
  private quote = '';
  private written: Written = 'nothing';
  /** Whether a URL may begin with a value, followed by nothing that ends a scheme. */
  private isBare = false;
  /** What the URL may be so far, as long as its host is open. */
  private starts: readonly UrlStart[] = [''];
  /** What the content of a `meta` may be so far, shortened to what decides where a URL begins. */
  private contents: readonly string[] = [''];
  private code: CodeState = CODE_START;
  /** In `joined`: whether a name or a value without quotes may go on, and whether there is an attribute for a `=`. */
  private isOpen = false;
  private isNamed = false;
  private ambiguity: Ambiguity | null = null;

  copy(): HtmlPlace {
    return Object.assign(new HtmlPlace(), this);
  }

  /** Whether two positions are the same for all that follows. */
  equals(other: HtmlPlace): boolean {
    return this.key === other.key;
  }

  get isText(): boolean {
    return this.state === 'text';
  }

  /** What the text so far leaves open, once. */
  takeAmbiguity(): Ambiguity | null {
    const found = this.ambiguity;
    this.ambiguity = null;
    return found;
  }

  private get key(): string {
    const { state, element, closes, attribute, quote, written, isBare, starts, contents, code, isOpen, isNamed } = this;
    const codeKey = [code.state, code.end];
    if (state === 'text') return state;
    if (state === 'raw') return [state, element, ...codeKey].join(' ');
    if (state === 'joined') return [state, element, closes, isOpen, isNamed, isNamed ? attribute : ''].join(' ');
    const name = WITH_NAME.has(state) ? attribute : '';
    if (state !== 'quoted' && state !== 'unquoted') return [state, element, closes, name].join(' ');
    const { kind } = this;
    const value =
      kind === 'url' || kind === 'urls'
        ? [written, isBare, ...starts]
        : kind === 'refresh'
          ? [written, ...contents]
          : kind === 'script' || kind === 'style'
            ? codeKey
            : [];
    return [state, element, attribute, quote, ...value].join(' ');
  }

  /** A position that stands for both: values are escaped as the more careful one asks. Null if text means different things in them. */
  join(other: HtmlPlace): HtmlPlace | null {
    const joined = this.copy();
    if (this.equals(other)) return joined;
    if (this.element !== other.element || this.closes !== other.closes) return null;
    if (IN_TAG.has(this.state) && IN_TAG.has(other.state)) {
      joined.state = 'joined';
      joined.isOpen = this.mayGoOn || other.mayGoOn;
      joined.isNamed = this.hasName && other.hasName && this.kind === other.kind;
      return joined;
    }
    const isSame = this.state === other.state && this.attribute === other.attribute && this.quote === other.quote;
    if (this.state !== 'quoted' || !isSame) return null;
    if (this.code.state !== other.code.state || this.code.end !== other.code.end) return null;
    const cares = [CARE.indexOf(this.written), CARE.indexOf(other.written)];
    // In a list, a value that may begin a URL is checked as one.
    joined.written = CARE[this.kind === 'urls' ? Math.min(...cares) : Math.max(...cares)];
    joined.isBare = this.isBare || other.isBare;
    joined.starts = sortedSet([...this.starts, ...other.starts]);
    joined.contents = sortedSet([...this.contents, ...other.contents]);
    return joined;
  }

  private get mayGoOn(): boolean {
    return OPEN.has(this.state) || (this.state === 'joined' && this.isOpen);
  }

  private get hasName(): boolean {
    const { state } = this;
    return state === 'attribute-name' || state === 'after-name' || (state === 'joined' && this.isNamed);
  }

  /** Says in words where this is. */
  describe(): string {
    switch (this.state) {
      case 'text':
        return 'in text';
      case 'rcdata':
      case 'raw':
        return `in <${this.element}>`;
      case 'comment':
        return 'in a comment';
      case 'quoted':
      case 'unquoted':
      case 'before-value':
        return `in the attribute ${this.attribute}`;
      default:
        return `in the tag <${this.element}>`;
    }
  }

  /** Moves over text of the template. */
  advance(text: string): void {
    for (let i = 0; i < text.length;) i = this.step(text, i);
  }

  private step(text: string, i: number): number {
    switch (this.state) {
      case 'text':
        return this.inText(text, i);
      case 'rcdata':
        return this.inRawText(text, i);
      case 'raw':
        return this.inRawText(text, i);
      case 'tag-name':
        return this.inTagName(text, i);
      case 'tag':
      case 'attribute-name':
      case 'after-name':
      case 'before-value':
        return this.inTag(text, i);
      case 'joined':
        return this.inJoined(text, i);
      case 'quoted':
      case 'unquoted':
        return this.inValue(text, i);
      case 'comment':
        return this.until(text, i, '-->');
      case 'declaration':
        return this.until(text, i, '>');
    }
  }

  private until(text: string, i: number, end: string): number {
    const at = text.indexOf(end, i);
    if (at < 0) return text.length;
    this.state = 'text';
    return at + end.length;
  }

  private inText(text: string, i: number): number {
    const at = text.indexOf('<', i);
    if (at < 0) return text.length;
    if (text.startsWith('<!--', at)) {
      this.state = 'comment';
      return at + 4;
    }
    const next = text[at + 1] ?? '';
    if (next === '!' || next === '?') {
      this.state = 'declaration';
      return at + 2;
    }
    this.closes = next === '/';
    const name = at + (this.closes ? 2 : 1);
    if (/[A-Za-z]/.test(text[name] ?? '')) {
      this.element = '';
      this.state = 'tag-name';
      return name;
    }
    // `</` before anything else begins a comment, up to `>`; a `<` alone at the end is one that a value might continue.
    if (this.closes && name < text.length) this.state = 'declaration';
    else if (name >= text.length) {
      this.element = '';
      this.state = 'tag-name';
    }
    return name;
  }

  private inTagName(text: string, i: number): number {
    let end = i;
    while (end < text.length && !SPACE.test(text[end]) && text[end] !== '/' && text[end] !== '>') end++;
    this.element += text.slice(i, end).toLowerCase();
    // A `<` before a space is text.
    if (this.element === '' && end < text.length) this.state = 'text';
    else if (end < text.length) this.state = 'tag';
    return end;
  }

  private inTag(text: string, i: number): number {
    const c = text[i];
    if (c === '>') return this.endTag(i);
    if (this.state === 'before-value' && !SPACE.test(c)) {
      this.state = c === '"' || c === "'" ? 'quoted' : 'unquoted';
      this.quote = this.state === 'quoted' ? c : '';
      this.beginUrl();
      this.contents = [''];
      this.code = CODE_START;
      return this.state === 'quoted' ? i + 1 : i;
    }
    if (SPACE.test(c)) {
      if (this.state === 'attribute-name') this.state = 'after-name';
      return i + 1;
    }
    if (c === '=' && this.state !== 'tag') {
      this.state = 'before-value';
      return i + 1;
    }
    if (c === '/') {
      this.state = 'tag';
      return i + 1;
    }
    if (this.state !== 'attribute-name') this.attribute = '';
    this.state = 'attribute-name';
    this.attribute += c.toLowerCase();
    return i + 1;
  }

  /** In a tag, after branches that end at different places of it. */
  private inJoined(text: string, i: number): number {
    const c = text[i];
    if (c === '>') return this.endTag(i);
    if (SPACE.test(c)) this.isOpen = false;
    else if (c === '/') {
      this.isNamed = false;
      if (!this.isOpen) this.state = 'tag';
    } else if (c === '=') {
      if (!this.isNamed) this.isAmbiguous(i, NO_ATTRIBUTE, 'write the name and its value in the same branch');
      this.state = 'before-value';
    } else {
      if (this.isOpen) this.isAmbiguous(i, NAME_GOES_ON, 'write a blank here, or before `<%`');
      this.state = 'tag';
      return i;
    }
    return i + 1;
  }

  private isAmbiguous(at: number, message: string, hint: string): void {
    this.ambiguity ??= { at, message, hint };
  }

  private endTag(i: number): number {
    if (!this.closes && RCDATA.has(this.element)) this.state = 'rcdata';
    else if (!this.closes && RAW.has(this.element)) this.state = 'raw';
    else this.state = 'text';
    this.code = CODE_START;
    return i + 1;
  }

  private inRawText(text: string, i: number): number {
    const end = new RegExp(`</${this.element}(?=[\\t\\n\\f\\r />]|$)`, 'i').exec(text.slice(i));
    const to = end === null ? text.length : i + end.index;
    if (this.state === 'raw') this.code = readCode(this.code, text.slice(i, to), this.element === 'style');
    if (end === null) return to;
    this.closes = true;
    this.state = 'tag';
    return to + end[0].length;
  }

  private inValue(text: string, i: number): number {
    let end = i;
    const isEnd = (c: string): boolean => (this.quote === '' ? SPACE.test(c) || c === '>' : c === this.quote);
    while (end < text.length && !isEnd(text[end])) end++;
    if (end > i) this.addToValue(text.slice(i, end), i);
    if (end < text.length) this.state = 'tag';
    return this.quote === '' || end === text.length ? end : end + 1;
  }

  private addToValue(part: string, at: number): void {
    const { kind } = this;
    if (kind === 'script' || kind === 'style') {
      this.code = readCode(this.code, decoded(part), kind === 'style');
      return;
    }
    if (kind === 'refresh') this.contents = sortedSet(this.contents.map((text) => shortened(text + part)));
    if (kind === 'urls') part = this.inList(part);
    this.starts = this.starts.map((start) => continued(start, part)).filter((start) => start !== null);
    const colon = /^[^/?#]*:/.exec(part);
    if (kind === 'url' && this.isBare && colon !== null)
      this.isAmbiguous(at + colon[0].length - 1, AFTER_VALUE, 'write the scheme itself');
    if (/[/?#:]/.test(part)) this.isBare = false;
    if (/[?#]/.test(part)) this.written = 'query';
    else if (this.written !== 'query' && part.trim() !== '') this.written = 'path';
  }

  /** Moves over text of a list of URLs with sizes. Returns that part of it which belongs to the last URL. */
  private inList(text: string): string {
    const comma = text.lastIndexOf(',');
    if (comma >= 0) this.beginUrl();
    const part = text.slice(comma + 1);
    const url = this.written === 'nothing' ? part.trimStart() : part;
    if (this.written !== 'size' && !/\s/.test(url)) return url;
    this.written = 'size';
    return '';
  }

  private beginUrl(): void {
    this.written = 'nothing';
    this.isBare = false;
    this.starts = [''];
  }

  private get kind(): AttributeKind {
    return attributeKind(this.element, this.attribute);
  }

  /** The place of a value that stands here. `next` is the text behind it, as far as it is known. */
  place(next: string): Place | Refusal {
    switch (this.state) {
      case 'text':
      case 'comment':
        return 'text';
      case 'rcdata':
        return 'attribute';
      case 'raw':
        return this.inElement();
      case 'tag':
        return this.closes ? this.refuse('in a closing tag', 'write the tag itself') : 'attributes';
      case 'after-name':
      case 'joined':
        if (this.closes) return this.refuse('in a closing tag', 'write the tag itself');
        return this.mayGoOn ? this.refuse('directly after a name', 'write a blank before it') : 'attributes';
      case 'quoted':
        return this.inQuoted(next);
      case 'unquoted':
      case 'before-value':
        return this.refuse(
          `in the attribute ${this.attribute}, which has no quotes: a blank in the value would end it`,
          `write ${this.attribute}="…"`,
        );
      case 'declaration':
        return this.refuse('in a declaration', 'write the text itself');
      default:
        return this.refuse(
          this.state === 'tag-name' ? 'as the name of a tag' : 'as the name of an attribute',
          'write the name itself, choose with `if`, or show several attributes with `attributes({…})`',
        );
    }
  }

  private refuse(where: string, hint: string): Refusal {
    return new Refusal(`a value cannot stand ${where}`, hint);
  }

  private inElement(): Place | Refusal {
    if (this.element !== 'script' && this.element !== 'style')
      return this.refuse(`in <${this.element}>, whose text cannot be escaped`, 'use another element');
    return this.inCode('script');
  }

  /** The language of the code here. */
  get language(): 'CSS' | 'JavaScript' {
    const isCss = this.state === 'raw' ? this.element === 'style' : this.kind === 'style';
    return isCss ? 'CSS' : 'JavaScript';
  }

  private inCode(place: Place): Place | Refusal {
    const what = this.language;
    return this.code.state === 'code'
      ? place
      : this.refuse(
          `in a ${this.code.state} of ${what}`,
          `\`json(value)\` writes a whole value, quotes included: put it outside of the ${this.code.state}`,
        );
  }

  private inQuoted(next: string): Place | Refusal {
    const { kind } = this;
    if (kind === 'script' || kind === 'style') return this.inCode('script-attribute');
    if (kind === 'html') return 'document';
    if (kind === 'urls' && this.written !== 'path' && this.written !== 'query') return 'urls';
    if (kind === 'plain') return 'attribute';
    if (kind === 'refresh') return this.inRefresh();
    if (this.written === 'query') return 'url-query';
    if (this.written !== 'nothing') return 'url-path';
    if (/^[^/?#"']*:/.test(next))
      return this.refuse('before the colon of a URL: it could become `javascript:`', 'write the scheme itself');
    return 'url';
  }

  /** In the content of a `meta`, which is a URL after `url=`. */
  private inRefresh(): Place {
    const { contents } = this;
    if (contents.some((text) => REFRESH_URL.test(text) && !REFRESH_URL_START.test(text))) return 'url-query';
    if (contents.some((text) => REFRESH_URL_START.test(text))) return 'url';
    return this.written === 'query' ? 'url-query' : 'attribute';
  }

  /** How a part of a URL that stands here is guarded; null if it cannot change the host. `next` is the text behind it. */
  startGuard(next: string): StartGuard | null {
    const isRefresh = this.kind === 'refresh';
    if (this.starts.includes('/') || (isRefresh && this.contents.some(endsWithRoot))) {
      const following = next.replace(DROPPED, '');
      const filler = following === '' ? './' : /^[/\\]/.test(following) ? '.' : '';
      return { after: '/', filler };
    }
    return this.starts.length > 0 && !isRefresh ? { after: '', filler: '' } : null;
  }

  /** Moves over a value. */
  afterValue(): void {
    if (this.state === 'joined' || this.state === 'after-name') {
      this.state = 'joined';
      this.isOpen = true;
      this.isNamed = false;
    }
    if (this.state === 'quoted' && this.written === 'nothing') {
      this.written = 'value';
      this.isBare = true;
    }
    // The guard of a value after `/` is not empty, unless text of the template follows that is no `/`.
    this.starts = this.starts.filter((start) => start === '');
    this.contents = sortedSet(this.contents.map((text) => (endsWithRoot(text) ? 'url=.' : text)));
    if (this.state === 'raw' || this.state === 'quoted') this.code = { ...this.code, before: ')' };
  }
}

const NO_ATTRIBUTE = 'this `=` may have no attribute before it';
const NAME_GOES_ON = 'this may continue the name or value before it';
const AFTER_VALUE = 'this colon of a URL follows a value: it could become `javascript:`';

/** What a URL is after text of the template; null if that has decided its host. */
function continued(start: UrlStart, part: string): UrlStart | null {
  const text = (start === '' ? part.replace(BLANK_START, '') : part).replace(DROPPED, '');
  if (text === '') return start;
  return start === '' && (text === '/' || text === '\\') ? '/' : null;
}

/** Whether the content of a `meta` ends with a URL that is `/` so far. */
function endsWithRoot(content: string): boolean {
  return REFRESH_ROOT.test(content);
}

function sortedSet<T extends string>(items: readonly T[]): T[] {
  return [...new Set(items)].sort();
}

/** The end of a `meta`'s content that decides whether a URL begins after it. */
function shortened(content: string): string {
  const text = content.replace(/\s+/g, ' ');
  const start = REFRESH_URL_START.exec(text) ?? REFRESH_ROOT.exec(text);
  if (start !== null) return start[0].toLowerCase();
  if (REFRESH_URL.test(text)) return 'url=.';
  return (/(?:u|ur|url ?)$/i.exec(text)?.[0] ?? '').toLowerCase();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&#96;': '`',
  '&#x60;': '`',
};

/** Text of an attribute with the quotes that JavaScript sees. */
function decoded(text: string): string {
  return text.replace(
    /&(?:quot|apos|#34|#39|#96|#x22|#x27|#x60);/gi,
    (entity) => ENTITIES[entity.toLowerCase()] ?? entity,
  );
}
