import { mediaTypeOf } from '../../../http/mediatype.js';

/** The parsed head of a part of a form. */
export interface PartHead {
  name: string;
  /** As sent by the client; null for a field. */
  filename: string | null;
  contentType: string;
}

/** Header fields by lower-case name; each character of a value is one byte (Latin-1). */
export type RawHead = Readonly<Record<string, readonly string[] | undefined>>;

// Matches `; name=value`, quoted or not. Inside quotes a backslash escapes only a quote or a backslash; otherwise it
// belongs to a path.
const PARAMETER = /;[\t ]*([\w!#$%&'+.^`|~-]+\*?)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ;"]*))[\t ]*(?=;|$)/gy;

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/**
 * Decodes a `filename*=utf-8''na%c3%afve` parameter (RFC 8187), which some clients send for non-ASCII names; null if it
 * has another form.
 */
function extendedValue(text: string): string | null {
  const encoded = /^utf-8'[\w-]*'((?:[\w!#$&+.^`|~-]|%[0-9a-f]{2})*)$/i.exec(text)?.[1];
  return encoded === undefined
    ? null
    : utf8(encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))));
}

function parameters(text: string): Map<string, string> {
  const found = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const [, name, quoted, bare] = match;
    const key = name.toLowerCase();
    const value = key.endsWith('*') ? extendedValue(bare ?? '') : utf8(quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
    if (value !== null && !found.has(key)) found.set(key, value);
  }
  return found;
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * The media type without parameters; `application/octet-stream` if invalid. A part without one is plain text (RFC 7578
 * 4.4).
 */
function mediaType(text: string | undefined): string {
  if (text === undefined) return 'text/plain';
  const type = mediaTypeOf(text);
  return MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
}

/** Parses the head of a part; null unless it is a named form-data part (RFC 7578 4.2). */
export function readHead(head: RawHead): PartHead | null {
  const [disposition = ''] = head['content-disposition'] ?? [];
  const type = /^[\t ]*form-data[\t ]*(?=;)/i.exec(disposition);
  if (type === null) return null;
  const found = parameters(disposition.slice(type[0].length));
  const name = found.get('name');
  if (name === undefined) return null;
  return {
    name,
    filename: found.get('filename*') ?? found.get('filename') ?? null,
    contentType: mediaType(head['content-type']?.[0]),
  };
}
