import { concat } from '../../../vm/values/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { MAX_STRING, toText } from '../../../vm/values/text.js';
import { eachFound, find, searchAll, type Found, type Pattern } from './engine.js';

/** Replacement: a text, where `\1`, `\0` and `\k<name>` stand for groups, or a hash from matched texts to new ones. */
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
  return names![name] ?? '';
}

/** `text` with the first place of `pattern` replaced. */
export function replaceFirst(text: string, pattern: Pattern, replacement: Replacement): string {
  const found = find(text, pattern, 0);
  if (found === null) return text;
  return concat(concat(text.slice(0, found.start), expander(replacement)(found)), text.slice(found.end));
}

/** `text` with all places of `pattern` replaced. @throws MemoryError when the result would be too long */
export function replaceAll(text: string, pattern: Pattern, replacement: Replacement): string {
  const isText = typeof replacement === 'string' && !replacement.includes('\\');
  // The bound on the result holds for any number of matches: no need to count them.
  if (isText && pattern !== '' && text.length + (text.length + 1) * replacement.length <= MAX_STRING) return replaceNatively(text, pattern, replacement);
  const expand = expander(replacement);
  let out = '';
  let end = 0;
  eachFound(text, pattern, (found) => {
    out = concat(concat(out, text.slice(end, found.start)), expand(found));
    end = found.end;
  });
  return concat(out, text.slice(end));
}

/** The replacement is a function since in a text `$` would have a meaning. */
function replaceNatively(text: string, pattern: Pattern, replacement: string): string {
  return typeof pattern === 'string' ? text.replaceAll(pattern, () => replacement) : searchAll(pattern, text, (form) => text.replace(form, () => replacement));
}
