/** A mistake that a test must find. */
export interface Mutation {
  /** What the mistake is. */
  name: string;
  file: string;
  /** A text that the file holds exactly once, and what stands there instead. */
  from: string;
  to: string;
  /** Files of tests, `file#text` for those of its programs whose name contains the text, or `spec:TEXT` and `web:TEXT` for the programs of `spec-tests/` whose path contains the text. One that fails is enough. */
  tests: readonly string[];
  /** Whether the tests run what `npm run bundle` makes. */
  bundle?: boolean;
}

/** Mistakes in one file: their names, with the text, its replacement, and the programs of the tests that must notice. */
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
