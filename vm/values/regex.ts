import { isPlain } from './codepoints.js';
import { Regex } from './compound.js';
import { Errors, fail } from './error.js';

/** Compiled expressions by source and flags: a literal in a loop is compiled once. */
const cache = new Map<string, Regex>();
const CACHE_SIZE = 500;

/**
 * Compiles a regular expression: the syntax is JavaScript's plus `\A \z \Z \h` and POSIX classes. Flags `i m s x`; `m` lets `.` match newlines, as
 * in Ruby, and `^ $` always match at lines. @throws ValueError for bad syntax
 */
export function compileRegex(source: string, flags: string): Regex {
  const key = `${flags}/${source}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const regex = new Regex(source, flags, compile(source, flags));
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, regex);
  return regex;
}

function compile(source: string, flags: string): RegExp {
  const text = translate(flags.includes('x') ? stripExtended(source) : source);
  const dotAll = flags.includes('m') || flags.includes('s');
  const jsFlags = `m${flags.includes('i') ? 'i' : ''}${dotAll ? 's' : ''}`;
  try {
    return needsUnicode(text) ? new RegExp(text, `${jsFlags}u`) : new RegExp(text, jsFlags);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, '').replace(/^\/.*\/\w*: /s, '');
    return fail(Errors.ValueError, `bad regular expression /${source}/: ${reason}`);
  }
}

/** Characters outside the basic plane and property escapes need V8's Unicode mode. */
function needsUnicode(text: string): boolean {
  return /[\ud800-\udfff]|\\[pP]\{|\\u\{/.test(text);
}

const HEX = '0-9a-fA-F';
const ESCAPES: Record<string, string> = { A: '(?<![\\s\\S])', z: '(?![\\s\\S])', Z: '(?=\\n?(?![\\s\\S]))', h: `[${HEX}]` };
const POSIX: Record<string, string> = {
  alpha: 'A-Za-z', digit: '0-9', alnum: 'A-Za-z0-9', upper: 'A-Z', lower: 'a-z', space: '\\s', punct: '!-\\/:-@\\[-`{-~', xdigit: HEX, word: '\\w',
};

/** Ruby's escapes and POSIX classes in JavaScript's terms. */
function translate(source: string): string {
  let inClass = false;
  return source.replace(/\\([\s\S])|\[:(\w+):\]|[[\]]/g, (all, escape: string | undefined, name: string | undefined) => {
    if (escape !== undefined) return inClass ? (escape === 'h' ? HEX : all) : (ESCAPES[escape] ?? all);
    if (name !== undefined && inClass) return POSIX[name] ?? all;
    inClass = all !== ']';
    return all;
  });
}

/** Flag `x`: blanks and comments outside classes do not count. */
function stripExtended(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) => (/^(\s|#)/.test(part) ? '' : part));
}

/** Expressions in Unicode mode, made when one first meets a text with surrogates. */
const unicodeForms = new WeakMap<Regex, RegExp>();

/** What to search `text` with: where it holds surrogates, `.` and classes have to take whole characters. */
export function formFor(regex: Regex, text: string): RegExp {
  if (isPlain(text) || regex.re.unicode) return regex.re;
  let form = unicodeForms.get(regex);
  if (form === undefined) unicodeForms.set(regex, (form = unicodeForm(regex.re)));
  return form;
}

/** The same expression in V8's Unicode mode, or itself when that mode does not take its syntax. */
function unicodeForm({ source, flags }: RegExp): RegExp {
  try {
    return new RegExp(strictSyntax(source), `${flags}u`);
  } catch {
    return new RegExp(source, flags);
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
