/** A problem in a source text, as data; `render` formats it. Offsets are UTF-16 offsets into the source. */
export interface Diagnostic {
  /** Stable identifier in kebab-case, such as `unclosed-block`; listed in codes.ts. */
  code: string;
  severity: 'error' | 'warning';
  /** One sentence without a full stop: what is wrong and what was expected. */
  message: string;
  /** Path of the file as the user named it. */
  file: string;
  start: number;
  end: number;
  /** Related places, such as the opener of a block that has no `end`. */
  labels: { start: number; end: number; text: string }[];
  /** How to fix it, or empty. */
  hint: string;
}
