/** The parts of a TextMate grammar that are used here. */
export interface Grammar {
  $schema?: string;
  information_for_contributors?: readonly string[];
  name: string;
  scopeName: string;
  fileTypes?: readonly string[];
  firstLineMatch?: string;
  injectionSelector?: string;
  injections?: Record<string, { patterns: readonly Rule[] }>;
  patterns: readonly Rule[];
  repository?: Record<string, Rule>;
}

/** A rule: a match, a range from `begin` to `end`, a list of rules, or the name of one. */
export interface Rule {
  name?: string;
  contentName?: string;
  match?: string;
  begin?: string;
  end?: string;
  while?: string;
  applyEndPatternLast?: 1;
  captures?: Captures;
  beginCaptures?: Captures;
  endCaptures?: Captures;
  whileCaptures?: Captures;
  patterns?: readonly Rule[];
  include?: string;
}

type Captures = Record<string, { name?: string; patterns?: readonly Rule[] }>;

/** Scopes of captures, by number. */
export function scopes(...names: (string | null)[]): Captures {
  const entries = names.flatMap((name, index) => (name === null ? [] : [[String(index), { name }] as const]));
  return Object.fromEntries(entries);
}

export const include = (...names: string[]): Rule[] => names.map((name) => ({ include: `#${name}` }));
