import { STEP } from '../../../vm/values/steps.js';
import { concat } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { globalForm, searchesAtOnce } from '../../../vm/values/regex/index.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { joinTexts } from '../limits.js';
import { foundInSteps, overMatches, withFirst, type Found, type Pattern } from './engine.js';
import { MAX_STRING } from '../../../vm/values/limits.js';

/** A replacement: a text, in which `\1`, `\0` and `\k<name>` mean groups, or a hash from matched texts to new ones. */
export type Replacement = string | Hash;

type Expand = (found: Found) => string;

function expander(replacement: Replacement): Expand {
  if (replacement instanceof Hash) return ({ groups }) => toText(replacement.get(groups[0] as string) ?? null);
  if (!replacement.includes('\\')) return () => replacement;
  const parts = replacement.split(/\\(\d|&|\\|k<\w+>)/);
  return (found) => parts.map((part, i) => (i % 2 === 0 ? part : reference(part, found))).join('');
}

function reference(part: string, { groups, names }: Found): string {
  if (part === '\\') return '\\';
  if (part === '&') return groups[0] as string;
  if (part[0] !== 'k') return groups[Number(part)] ?? '';
  const name = part.slice(2, -1);
  if (names === null || !Object.hasOwn(names, name)) fail(Errors.IndexError, `no group '${name}'`);
  return names[name] ?? '';
}

/** `text` with the first match of `pattern` replaced. */
export function replaceFirst(
  vm: NativeContext,
  text: string,
  pattern: Pattern,
  replacement: Replacement,
): Value | undefined {
  return withFirst(vm, 'sub', text, pattern, 0, (found) => {
    if (found === null) return text;
    return concat(concat(text.slice(0, found.start), expander(replacement)(found)), text.slice(found.end));
  });
}

/**
 * `text` with all matches of `pattern` replaced, in pieces if it is long. @throws MemoryError when the result would be
 * too long
 */
export function replaceAll(
  vm: NativeContext,
  text: string,
  pattern: Pattern,
  replacement: Replacement,
): Value | undefined {
  const isText = typeof replacement === 'string' && !replacement.includes('\\');
  // This bound on the result holds for any number of matches, so they need not be counted.
  if (
    isText &&
    pattern !== '' &&
    text.length <= STEP &&
    text.length + (text.length + 1) * replacement.length <= MAX_STRING
  ) {
    // A function, because `$` has a meaning in a replacement text.
    if (typeof pattern === 'string') return text.replaceAll(pattern, () => replacement);
    const form = searchesAtOnce(pattern, text) ? globalForm(pattern, text) : null;
    if (form !== null) return text.replace(form, () => replacement);
  }
  // A copy: others may change the hash between two pieces.
  return overMatches(
    vm,
    'gsub',
    text,
    pattern,
    replaceSteps(text, pattern, replacement instanceof Hash ? replacement.copy() : replacement),
  );
}

/** Texts joined at once: appending them one by one would create an object for each. */
const JOINED = 512;

/** Like `replaceAll`, in steps. */
export function* replaceSteps(text: string, pattern: Pattern, replacement: Replacement): Generator<void, string, void> {
  const expand = expander(replacement);
  let out = '';
  let parts: string[] = [];
  let end = 0;
  const add = (part: string): void => {
    out = concat(out, joinTexts([...parts, part], ''));
    parts = [];
  };
  yield* foundInSteps(text, pattern, (found) => {
    if (parts.length >= JOINED) add('');
    parts.push(text.slice(end, found.start), expand(found));
    end = found.end;
  });
  add(text.slice(end));
  return out;
}
