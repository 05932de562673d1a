import { isPlain } from '../../../vm/values/codepoints.js';
import type { Regex } from '../../../vm/values/compound.js';
import { Errors, fail } from '../../../vm/values/error.js';

/** What natives search for: a regular expression, or a text that stands for itself. */
export type Pattern = string | Regex;

/** One place where a pattern was found. Offsets count UTF-16 units. */
export interface Found {
  start: number;
  end: number;
  /** The whole match, then the groups; undefined for a group that took no part. */
  groups: readonly (string | undefined)[];
  /** Names of groups, or null when there are none. */
  names: Readonly<Record<string, string | undefined>> | null;
}

/** Forms of a regex with the flag `g`: for texts of plain units, and for those with surrogates, where `.` must take a whole character. */
interface Scanners {
  plain: RegExp;
  unicode: RegExp | null;
  hasGroups: boolean;
}

const scanners = new WeakMap<Regex, Scanners>();

function scannersOf(regex: Regex): Scanners {
  let forms = scanners.get(regex);
  if (forms === undefined) {
    const { source, flags } = regex.re;
    forms = { plain: new RegExp(source, `${flags}g`), unicode: null, hasGroups: (new RegExp(`${source}|`, flags).exec('') as RegExpExecArray).length > 1 };
    scanners.set(regex, forms);
  }
  return forms;
}

/** Whether the expression has groups, so that matches are more than a text. */
export function hasGroups(regex: Regex): boolean {
  return scannersOf(regex).hasGroups;
}

/** The form of `regex` for `text`, set to search from offset `from`. */
export function scanner(regex: Regex, text: string, from: number): RegExp {
  const forms = scannersOf(regex);
  const form = isPlain(text) ? forms.plain : (forms.unicode ??= unicodeForm(forms.plain));
  form.lastIndex = from;
  return form;
}

/** The same expression in V8's Unicode mode, or itself when that mode does not take its syntax. */
function unicodeForm(plain: RegExp): RegExp {
  if (plain.flags.includes('u')) return plain;
  try {
    return new RegExp(strictSyntax(plain.source), `${plain.flags}u`);
  } catch {
    return plain;
  }
}

/** Unicode mode refuses escapes without need, and brackets that are not escaped. */
function strictSyntax(source: string): string {
  return source.replace(/\\([\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[{}\]]/g, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return /[\w^$\\.*+?()[\]{}|/]/.test(escaped) ? part : escaped;
    if (part[0] === '[') return part.replace(/\\([\s\S])/g, (all, inner: string) => (/[\w^$\\.*+?()[\]{}|/-]/.test(inner) ? all : inner));
    return part.length === 1 ? `\\${part}` : part;
  });
}

function foundBy(match: RegExpExecArray): Found {
  return { start: match.index, end: match.index + match[0].length, groups: match, names: match.groups ?? null };
}

/** The first place of `pattern` in `text` from offset `from` on, or null. */
export function find(text: string, pattern: Pattern, from: number): Found | null {
  if (typeof pattern === 'string') {
    const start = text.indexOf(pattern, from);
    return start < 0 || from > text.length ? null : { start, end: start + pattern.length, groups: [pattern], names: null };
  }
  const match = scanner(pattern, text, from).exec(text);
  return match === null ? null : foundBy(match);
}

/** Whether `pattern` occurs in `text`. */
export function occurs(text: string, pattern: Pattern): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : scanner(pattern, text, 0).test(text);
}

/** UTF-16 offset behind the character at `at`. */
function after(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/** Calls `visit` for each place of `pattern`, without overlap, until it returns false. An empty match moves on by one character. */
export function eachFound(text: string, pattern: Pattern, visit: (found: Found) => boolean | void): void {
  if (typeof pattern === 'string') {
    for (let found = find(text, pattern, 0); found !== null; found = find(text, pattern, found.end > found.start ? found.end : after(text, found.end))) {
      if (visit(found) === false) return;
    }
    return;
  }
  const form = scanner(pattern, text, 0);
  for (let match = form.exec(text); match !== null; match = form.exec(text)) {
    if (match[0] === '') form.lastIndex = after(text, match.index);
    if (visit(foundBy(match)) === false) return;
  }
}

/** The places of `pattern`, all of them or the first `limit`. */
export function findAll(text: string, pattern: Pattern, limit = Infinity): Found[] {
  const out: Found[] = [];
  eachFound(text, pattern, (found) => {
    out.push(found);
    return out.length < limit;
  });
  return out;
}

/** Start and end of group `group` of a match that begins at `start`. V8 reports them only on demand, so the match is made again. */
export function groupSpan(regex: Regex, text: string, start: number, group: number): readonly [number, number] | null {
  const form = scanner(regex, text, start);
  const precise = new RegExp(form.source, `${form.flags.replace('g', '')}dy`);
  precise.lastIndex = start;
  const indices = precise.exec(text)?.indices;
  return indices === undefined ? fail(Errors.RuntimeError, 'the match cannot be repeated') : indices[group] ?? null;
}
