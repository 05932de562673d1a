import type { Code } from '../../diagnostics/codes.js';

/** Texts of the named groups of a form's pattern; empty for a group that matched nothing. */
export type Groups = Readonly<Record<string, string>>;

/** A form of another language. It is searched only in text that does not compile. */
export interface Form {
  /**
   * Matches within a line in which texts and comments are blanked. Has the flag `d`. The group `at` is what the
   * diagnostic marks; without it, the whole match is marked.
   */
  readonly pattern: RegExp;
  /** By default `foreign-form`. */
  readonly code?: Code;
  readonly message: string | ((groups: Groups) => string);
  readonly hint: string | ((groups: Groups) => string);
  /**
   * The form opens a block that Svc reads otherwise, so nothing after it is reported: `always`, or only if blocks
   * remain `unclosed`.
   */
  readonly opens?: 'always' | 'unclosed';
  /**
   * A word that no correct program uses in this way: searched in all lines. Not searched if it is a function of the
   * program; if it is a variable, only in lines that hold an error.
   */
  readonly word?: string;
  /** What ends the form on a later line; problems up to there are dropped. */
  readonly until?: string;
}
