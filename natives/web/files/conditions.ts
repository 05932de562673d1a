import type { IncomingHttpHeaders } from 'node:http';

const TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Validators of the content to be sent; undefined where unknown. */
export interface Validators {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}

/**
 * Whether an If-Match field lets the content be sent: one of its tags equals the content's, and both are strong (RFC
 * 9110 13.1.1).
 */
export function isMatched(field: string, { etag }: Validators): boolean {
  return field.trim() === '*' || (isStrong(etag) && (field.match(TAGS) ?? ([] as string[])).includes(etag));
}

/**
 * Whether an If-Range field allows a partial response: it equals the content's strong tag or the exact date of its last
 * change (RFC 9110 13.1.5).
 */
function isSame(field: string, { etag, modified }: Validators): boolean {
  if (field.includes('"')) return isStrong(etag) && field.trim() === etag;
  return modified !== undefined && Date.parse(field) === Date.parse(modified);
}

function isStrong(etag: string | undefined): etag is string {
  return etag?.startsWith('"') === true;
}

/** The requested range, with its unit in lower case; undefined when none is requested or If-Range forbids it. */
export function rangeOf(headers: IncomingHttpHeaders, validators: Validators): string | undefined {
  const condition = headers['if-range'];
  if (headers.range === undefined || (condition !== undefined && !isSame(condition as string, validators)))
    return undefined;
  return headers.range.replace(/^ *bytes(?==)/i, 'bytes');
}
