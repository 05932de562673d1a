/** Sets of characters by name: POSIX brackets, `[[:alpha:]]`, and properties, `\p{Alpha}`, with Ruby's meaning. */

const HEX = '0-9a-fA-F';
const VISIBLE = '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}';

/** Parts of a class in V8's syntax. */
const POSIX: Readonly<Record<string, string>> = {
  alpha: '\\p{Alphabetic}',
  digit: '\\p{Nd}',
  alnum: '\\p{Alphabetic}\\p{Nd}',
  upper: '\\p{Uppercase}',
  lower: '\\p{Lowercase}',
  space: '\\p{White_Space}',
  blank: '\\t\\p{Zs}',
  punct: '\\p{P}$+<=>^`|~',
  cntrl: '\\p{Cc}',
  graph: VISIBLE,
  print: `${VISIBLE}\\p{Zs}`,
  xdigit: HEX,
  word: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}',
  ascii: '\\x00-\\x7f',
};

/** Properties that only letters of one case have. */
const CASED = /^\\p\{(?:Uppercase|Lowercase|Upper|Lower|Lu|Ll|Lt|(?:Upper|Lower|Title)case_Letter)\}$/;

/** The set of a POSIX bracket's name; undefined if there is none. */
export function posixSet(name: string): string | undefined {
  return Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
}

const known = new Map<string, string | null>();

/** The set of a property's name, which V8 may know under another one; null if there is none. */
export function propertySet(name: string): string | null {
  let set = known.get(name);
  if (set === undefined) known.set(name, (set = findProperty(name)));
  return set;
}

function findProperty(name: string): string | null {
  const plain = name.toLowerCase().replace(/[ _-]/g, '');
  const posix = posixSet(plain);
  if (posix !== undefined) return posix;
  const words = name.toLowerCase().split(/[ _-]/);
  const capitalized = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('_');
  for (const one of [name, capitalized, `Script=${capitalized}`])
    if (/^[\w=]+$/.test(one) && isProperty(one)) return `\\p{${one}}`;
  return null;
}

function isProperty(name: string): boolean {
  try {
    return new RegExp(`\\p{${name}}`, 'u').unicode;
  } catch {
    return false;
  }
}

/** Whether a property, or its opposite, distinguishes cases. */
export function isCased(set: string): boolean {
  return CASED.test(set.replace(/^\\P/, '\\p'));
}

/** A set of letters of one case with those of the other cases. */
export function withBothCases(set: string): string {
  if (!isCased(set)) return set;
  return set.startsWith('\\p') ? '\\p{LC}' : '\\0-\\u{10ffff}';
}

/** The opposite of a set that is a single property; null for others. */
export function opposite(set: string): string | null {
  return /^\\p\{[^}]*\}$/.test(set) ? `\\P${set.slice(2)}` : null;
}
