import { finish, STEP } from '../../../vm/values/steps.js';
import { concat } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { globalForm, groupCount, searchesAtOnce } from '../../../vm/values/regex/index.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { LimitedMap } from '../../limitedmap.js';
import { copySteps } from '../collections/merging.js';
import { joinTexts } from '../limits.js';
import {
  areFoundAtOnce,
  firstFound,
  foundAtOnce,
  foundInSteps,
  isAtOnce,
  isSoonMissing,
  type Found,
  type Pattern,
} from './engine.js';
import { MAX_STRING } from '../../../vm/values/limits.js';

/** A replacement: a text, in which `\1`, `\0` and `\k<name>` mean groups, or a hash from matched texts to new ones. */
export type Replacement = string | Hash;

type Expand = (found: Found) => string;

/** What a replacement text mentions: a group by number or name, the match, or a backslash. */
const REFERENCE = /\\(\d|&|\\|k<\w+>)/;
const REFERENCES = new RegExp(REFERENCE, 'g');

function* expander(replacement: Replacement): Generator<void, Expand, void> {
  if (replacement instanceof Hash) return ({ groups }) => toText(replacement.get(groups[0] as string) ?? null);
  if (!replacement.includes('\\')) return () => replacement;
  const parts = yield* partsOf(replacement);
  if (parts.length === 1) return () => parts[0];
  return (found) => parts.map((part, i) => (i % 2 === 0 ? part : reference(part, found))).join('');
}

/** References read in one step. */
const REFERENCES_AT_ONCE = 4096;

/** Texts of a replacement, with the references between them at odd indices. */
function* partsOf(replacement: string): Generator<void, string[], void> {
  const parts: string[] = [];
  let plain = '';
  let end = 0;
  let count = 0;
  for (const { 0: whole, 1: part, index } of replacement.matchAll(REFERENCES)) {
    plain += replacement.slice(end, index);
    if (part === '\\') plain += part;
    else {
      parts.push(plain, part);
      plain = '';
    }
    end = index + whole.length;
    if (++count % REFERENCES_AT_ONCE === 0) yield;
  }
  return [...parts, plain + replacement.slice(end)];
}

function reference(part: string, { groups, names }: Found): string {
  if (part === '&') return groups[0] as string;
  if (part[0] !== 'k') return groups[Number(part)] ?? '';
  const name = part.slice(2, -1);
  if (names === null || !Object.hasOwn(names, name)) fail(Errors.IndexError, `no group '${name}'`);
  return names[name] ?? '';
}

/** A replacement text as JavaScript writes it. */
interface Template {
  text: string;
  /** How many groups it mentions, and the highest number of one. */
  mentions: number;
  highest: number;
}

/** Templates of recent replacements; null for one that mentions groups by name. */
const templates = new LimitedMap<string, Template | null>(500);

function templateOf(replacement: string): Template | null {
  let template = templates.get(replacement);
  if (template === undefined) templates.set(replacement, (template = newTemplate(replacement)));
  return template;
}

function newTemplate(replacement: string): Template | null {
  let [mentions, highest] = [0, 0];
  const texts = replacement.split(REFERENCE).map((part, i) => {
    if (i % 2 === 0) return part.replaceAll('$', '$$$$');
    if (part === '\\') return part;
    mentions++;
    if (part === '&' || part === '0') return '$&';
    highest = Math.max(highest, Number(part));
    return `$0${part}`;
  });
  return Number.isNaN(highest) ? null : { text: texts.join(''), mentions, highest };
}

/**
 * `text` with all matches of `pattern` replaced by V8 itself; null if that might take long, if the result might be too
 * long, or if the template mentions a group that the pattern does not have.
 */
function replacedAtOnce(text: string, pattern: Pattern, replacement: string): string | null {
  if (pattern === '' || text.length > STEP || replacement.length > STEP) return null;
  const template = templateOf(replacement);
  if (template === null) return null;
  // A group of a lookahead may reach to the end of the text at each of its matches.
  const mentioned = template.mentions * text.length;
  if (template.mentions > 0 && text.length > MAX_WITH_GROUPS) return null;
  if (text.length + (text.length + 1) * (replacement.length + mentioned) > MAX_STRING) return null;
  if (typeof pattern === 'string') return template.highest > 0 ? null : text.replaceAll(pattern, template.text);
  const form = searchesAtOnce(pattern, text) ? globalForm(pattern, text) : null;
  return form === null || template.highest > groupCount(pattern) ? null : text.replace(form, template.text);
}

/** Maximum length of a text whose replacements mention groups and are made at once. */
const MAX_WITH_GROUPS = 2048;

/** `text` with the first match of `pattern` replaced. */
export function replaceFirst(
  vm: NativeContext,
  text: string,
  pattern: Pattern,
  replacement: Replacement,
): Value | undefined {
  if (!isAtOnce(text, pattern) || !isShort(replacement))
    return vm.inPieces('sub', firstSteps(text, pattern, replacement));
  const found = foundAtOnce(text, pattern, 0);
  if (found === null) return text;
  return typeof replacement === 'string' && !replacement.includes('\\')
    ? withReplacement(text, found, replacement)
    : finish(firstReplaced(text, found, replacement));
}

function* firstSteps(text: string, pattern: Pattern, replacement: Replacement): Generator<void, string, void> {
  const found = yield* firstFound(text, pattern, 0);
  return found === null ? text : yield* firstReplaced(text, found, replacement);
}

function* firstReplaced(text: string, found: Found, replacement: Replacement): Generator<void, string, void> {
  return withReplacement(text, found, (yield* expander(replacement))(found));
}

function withReplacement(text: string, { start, end }: Found, replacement: string): string {
  return concat(concat(text.slice(0, start), replacement), text.slice(end));
}

/** Whether a replacement is read within a step. */
function isShort(replacement: Replacement): boolean {
  return replacement instanceof Hash || replacement.length <= STEP;
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
  if (isSoonMissing(text, pattern)) return text;
  if (typeof replacement === 'string') {
    const replaced = replacedAtOnce(text, pattern, replacement);
    if (replaced !== null) return replaced;
  }
  if (areFoundAtOnce(text, pattern) && isShort(replacement)) return finish(replaceSteps(text, pattern, replacement));
  return vm.inPieces('gsub', sharedSteps(text, pattern, replacement));
}

/** As `replaceSteps`, where others may change a hash between two steps. */
function* sharedSteps(text: string, pattern: Pattern, replacement: Replacement): Generator<void, string, void> {
  const own = replacement instanceof Hash ? yield* copySteps(replacement) : replacement;
  return yield* replaceSteps(text, pattern, own);
}

/** Texts joined at once: appending them one by one would create an object for each. */
const JOINED = 512;
/** A longer one is not copied for each match. */
const MAX_COPIED = 1024;

/** Like `replaceAll`, in steps. */
export function* replaceSteps(text: string, pattern: Pattern, replacement: Replacement): Generator<void, string, void> {
  const expand = yield* expander(replacement);
  let out = '';
  let parts: string[] = [];
  let end = 0;
  const add = (part: string): void => {
    out = concat(out, joinTexts([...parts, part], ''));
    parts = [];
  };
  yield* foundInSteps(text, pattern, (found) => {
    const expanded = expand(found);
    if (expanded.length > MAX_COPIED) {
      add(text.slice(end, found.start));
      out = concat(out, expanded);
    } else {
      if (parts.length >= JOINED) add('');
      parts.push(text.slice(end, found.start), expanded);
    }
    end = found.end;
  });
  add(text.slice(end));
  return out;
}
