/** Templates: texts with code in `<% … %>`. */
import { type Problem, problem } from '../diagnostics/problem.js';

/** A stretch of text between two tags. */
export interface Markup {
  /** Where its name stands in the masked text. */
  readonly at: number;
  /** Where the text begins in the template. */
  readonly start: number;
  readonly text: string;
}

/** A tag: `<% code %>` runs, `<%= value %>` shows a value, `<%== value %>` shows it as it is. */
export interface Tag {
  readonly kind: 'code' | 'value' | 'raw';
  readonly start: number;
  /** The offsets of the code. */
  readonly from: number;
  readonly to: number;
}

/** A template as a program of the same length: its code in place, and `MARKUP` as a statement for each stretch of text. */
export interface Masked {
  readonly text: string;
  readonly markups: readonly Markup[];
  readonly tags: readonly Tag[];
  readonly problems: readonly Problem[];
}

/** The name that stands for text: a letter that no template has in its code. */
export const MARKUP = '\ua66e';

const OPEN = /<%(?:%|==|=|#|-(?!%>))?/g;
const CASE = /^\s*case(?![\w?!])/;
const NOT_LINE_END = /[^\n]/g;

/** Blanks in place of a text; its lines remain. */
function blank(text: string): string {
  return text.replace(NOT_LINE_END, ' ');
}

/** Reads a template. Never throws: reports tags without an end in `problems`. */
export function mask(source: string): Masked {
  return new Masker(source).run();
}

class Masker {
  /** The masked text so far, which is as long as the part of the source that has been read. */
  private masked = '';
  private readonly markups: Markup[] = [];
  private readonly tags: Tag[] = [];
  private readonly problems: Problem[] = [];
  /** The text since the last tag; `<%%` in it stands for `<%`. */
  private pending = '';
  /** Whether the last tag ended with `-%>`, which drops the line end behind it. */
  private trims = false;
  /** Whether the last tag began a `case`. */
  private afterCase = false;

  constructor(private readonly source: string) {}

  run(): Masked {
    const { source } = this;
    let at = 0;
    for (;;) {
      OPEN.lastIndex = at;
      const found = OPEN.exec(source);
      if (found === null) break;
      const [opening] = found;
      this.pending += source.slice(at, found.index);
      at = OPEN.lastIndex;
      if (opening === '<%%') {
        this.pending += '<%';
        continue;
      }
      const end = source.indexOf('%>', at);
      if (end < 0) {
        const hint = 'end the code with `%>`, or write `<%%` for the text `<%`';
        this.problems.push(problem('unclosed-tag', `this \`${opening}\` has no \`%>\``, found.index, at, [], hint));
        this.pending = '';
        at = source.length;
        break;
      }
      this.tag(opening, found.index, at, end);
      at = end + 2;
    }
    this.pending += source.slice(at);
    const rest = this.takeText('');
    if (rest !== '') this.markups.push({ at: this.masked.length, start: this.masked.length, text: rest });
    this.masked +=
      rest === '' ? blank(source.slice(this.masked.length)) : `${MARKUP}${blank(source.slice(this.masked.length + 1))}`;
    return { text: this.masked, markups: this.markups, tags: this.tags, problems: this.problems };
  }

  private tag(opening: string, start: number, from: number, end: number): void {
    const { source } = this;
    const began = this.masked.length;
    const text = this.takeText(opening);
    // Between `case` and its first `when` is nothing to show.
    const isShown = text !== '' && !(this.afterCase && text.trim() === '');
    this.masked += blank(source.slice(began, start));
    if (!isShown) this.masked += '  ';
    else {
      this.markups.push({ at: start, start: began, text });
      this.masked += `${MARKUP};`;
    }
    const code = source.slice(from, end);
    this.trims = code.endsWith('-');
    this.afterCase = opening !== '<%#' && CASE.test(code);
    const to = this.trims ? end - 1 : end;
    if (opening === '<%#' || code.trimStart().startsWith('#')) {
      this.masked += blank(source.slice(start + 2, end + 2));
      return;
    }
    this.masked += ' '.repeat(from - start - 2) + source.slice(from, to) + ' '.repeat(end - to) + ' ;';
    const kind = opening === '<%=' ? 'value' : opening === '<%==' ? 'raw' : 'code';
    this.tags.push({ kind, start, from, to });
  }

  /** The text that is pending before a tag, without the blanks that the tags around it drop. */
  private takeText(opening: string): string {
    let text = this.pending;
    this.pending = '';
    if (this.trims) text = text.replace(/^[ \t]*\r?\n/, '');
    return opening === '<%-' ? text.replace(/(^|\n)[ \t]+$/, '$1') : text;
  }
}
