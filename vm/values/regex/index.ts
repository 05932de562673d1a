import { regexProblem, strictSyntax, toJavaScript } from '../../bytecode/regexsyntax.js';
import { isPlain } from '../codepoints.js';
import { Regex } from '../compound.js';
import { Errors, fail } from '../error.js';
import { withoutCase } from './case.js';
import { beforeCompiling, isLinear, searchWithin } from './cost.js';

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
  beforeCompiling();
  const problem = regexProblem(source, flags);
  if (problem !== null) return fail(Errors.ValueError, problem);
  const js = toJavaScript(source, flags);
  if (!js.ignoresCase) return new RegExp(js.source, js.flags);
  return js.unicode ? new RegExp(js.source, `${js.flags}i`) : caseless(js.source, js.flags);
}

/** With the flag i, or without it as classes of all forms, where V8's linear engine can run that. */
function caseless(text: string, flags: string): RegExp {
  const usual = new RegExp(text, `${flags}i`);
  const classes = withoutCase(text);
  return isLinear(classes, flags) ? new RegExp(classes, flags) : usual;
}

/** Expressions in Unicode mode, made when one first meets a text with surrogates. */
const unicodeForms = new WeakMap<Regex, RegExp>();

/** Whether `regex` can be searched in `text` at once: within about 2 ms, whatever the text holds. */
export function searchesAtOnce(regex: Regex, text: string): boolean {
  return text.length <= regex.atOnce;
}

/** Whether an expression matches anywhere in a text, which must be one that `searchesAtOnce` allows. */
export function occursIn(regex: Regex, text: string): boolean {
  const form = formFor(regex, text);
  return searchWithin(regex, form, text, () => form.test(text));
}

/** UTF-16 offset of the first match, or -1. The text must be one that `searchesAtOnce` allows. */
export function search(regex: Regex, text: string): number {
  const form = formFor(regex, text);
  return searchWithin(regex, form, text, () => text.search(form));
}

/** The same search in steps, each a part of a millisecond, in any text. @throws RuntimeError when the expression needs too much work, MemoryError */
export function* searchInSteps(regex: Regex, text: string): Generator<void, number, void> {
  yield;
  return search(regex, text);
}

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
