/** Recordings of requests: `svcc run --dev --record` writes them, `svcc replay` reads them. */

/** Version of the form of recordings. Others are not read. */
export const FORMAT = 1;

/** Maximum bytes of a stored body. */
export const MAX_BODY = 1024 * 1024;

/** Headers as sent: names and values alternate. */
export type Fields = readonly string[];

/** A body: as text if it is UTF-8, else in Base64. */
export interface Body {
  readonly encoding: 'utf8' | 'base64';
  readonly data: string;
}

/** Why a body is not stored. */
export type Missing = 'too long' | 'incomplete' | 'malformed' | 'error page';

/** Status of a request whose client disconnected before the response, as in the access log. */
export const LEFT = 499;

export interface Message {
  readonly fields: Fields;
  /** Null if there is none, or if it is missing. */
  readonly body: Body | null;
  readonly missing: Missing | null;
}

/** A value that was replaced, because its name is that of a secret. */
export interface Masked {
  readonly kind: 'header' | 'cookie' | 'field';
  readonly name: string;
}

export interface Recording {
  readonly format: typeof FORMAT;
  /** Milliseconds since 1970 at which the request arrived. */
  readonly time: number;
  /** Path of the program, relative to the folder in which it ran. */
  readonly program: string;
  /** Digest of the program's files. */
  readonly version: string;
  /** `GET /users/:id` */
  readonly route: string;
  /** Milliseconds until the response was sent. */
  readonly ms: number;
  readonly request: Message & { readonly method: string; readonly target: string };
  readonly masked: readonly Masked[];
  readonly response: Message & { readonly status: number };
}

/** Returns the value of a header; null if there is none. */
export function fieldOf(fields: Fields, name: string): string | null {
  for (let i = 0; i + 1 < fields.length; i += 2) if (fields[i].toLowerCase() === name) return fields[i + 1];
  return null;
}

/** Maps the values of headers. `map` returns the new value, or null to remove the header. */
export function mapped(fields: Fields, map: (name: string, value: string) => string | null): string[] {
  const out: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const value = map(fields[i], fields[i + 1]);
    if (value !== null) out.push(fields[i], value);
  }
  return out;
}
