/** Size of a program. */
export interface Size {
  /** Approximate number of steps. */
  budget: number;
  /** Maximum number of functions. */
  defs: number;
  /** Minimum statements at the top level; the maximum is twice as large. */
  statements: number;
  /** Maximum nesting of statements. */
  depth: number;
}

/** About 340 lines. */
export const LARGE: Size = { budget: 2500, defs: 3, statements: 5, depth: 4 };
/** About 80 lines. */
export const SMALL: Size = { budget: 100, defs: 1, statements: 2, depth: 2 };
