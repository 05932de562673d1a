/** A finding about a source text, as data; `render` turns it into text. Offsets are UTF-16 offsets into the source. */
export interface Diagnostic {
  /** Stable identifier in kebab-case, such as `unclosed-block`; codes.ts says what each means. */
  code: string;
  severity: 'error' | 'warning';
  /** One sentence without a full stop: what is wrong and what was expected. */
  message: string;
  /** Path of the file as the user named it. */
  file: string;
  start: number;
  end: number;
  /** Other places that matter, such as the opener of a block that has no `end`. */
  labels: { start: number; end: number; text: string }[];
  /** What to do about it, or empty. */
  hint: string;
}
