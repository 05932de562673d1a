/** A mistake that a test must find. */
export interface Mutation {
  /** Description of the mistake. */
  name: string;
  file: string;
  /** A text that occurs exactly once in the file, whatever its line breaks, and its replacement. */
  from: string;
  to: string;
  /**
   * Test files, `file#text` for the programs of a file whose name contains the text, or `spec:TEXT` and `web:TEXT` for
   * the programs of `spec-tests/` whose path contains it. One failure suffices.
   */
  tests: readonly string[];
}

/** Mistakes in one file: name, text, replacement, and the programs of the tests that must fail. */
export function mutationsOf(
  file: string,
  tests: readonly string[],
  mistakes: Readonly<Record<string, readonly [from: string, to: string, only?: string]>>,
): Mutation[] {
  return Object.entries(mistakes).map(([name, [from, to, only]]) => ({
    name,
    file,
    from,
    to,
    tests: only === undefined ? tests : tests.map((test) => `${test}#${only}`),
  }));
}

/** Matches the text of a mutation with any white space, also none, where it has some: a formatter moves line breaks. */
function pattern(from: string): RegExp {
  const words = from.trim().split(/\s+/);
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s*'), 'g');
}

/** The source with a mutation; null unless the text of the mutation occurs exactly once. */
export function mutated(source: string, { from, to }: Mutation): string | null {
  const found = source.match(pattern(from)) ?? [];
  return found.length === 1 ? source.replace(pattern(from), () => to) : null;
}
