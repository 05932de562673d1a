/** Limits of a server, with their defaults (web-decisions.md, Server). */
export interface Settings {
  /** Largest request body in bytes. */
  body: number;
  /** Most query or form pairs. */
  pairs: number;
  /** Largest header block in bytes. */
  headers: number;
  /** Most header fields. */
  fields: number;
  /** Milliseconds for the header block, and for the whole request. */
  headerTime: number;
  requestTime: number;
}

/** The defaults. */
export function defaultSettings(): Settings {
  return { body: 1024 * 1024, pairs: 1000, headers: 16 * 1024, fields: 100, headerTime: 8000, requestTime: 30_000 };
}
