/** A mistake that a test must find. */
export interface Mutation {
  /** Description of the mistake. */
  name: string;
  file: string;
  /** A text that occurs exactly once in the file, and its replacement. */
  from: string;
  to: string;
  /**
   * Test files, `file#text` for the programs of a file whose name contains the text, or `spec:TEXT` and `web:TEXT` for
   * the programs of `spec-tests/` whose path contains it. One failure suffices.
   */
  tests: readonly string[];
  /** Whether the tests run what `npm run bundle` makes. */
  bundle?: boolean;
}

/** Mistakes in one file: name, text, replacement, and the programs of the tests that must fail. */
export function mutationsOf(
  file: string,
  tests: readonly string[],
  mistakes: Readonly<Record<string, readonly [from: string, to: string, only?: string]>>,
  bundle?: boolean,
): Mutation[] {
  return Object.entries(mistakes).map(([name, [from, to, only]]) => ({
    name,
    file,
    from,
    to,
    tests: only === undefined ? tests : tests.map((test) => `${test}#${only}`),
    bundle,
  }));
}
