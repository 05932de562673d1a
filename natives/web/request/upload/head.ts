/** What the head of a part says of it. */
export interface PartHead {
  name: string;
  /** As it was sent; null for a field. */
  filename: string | null;
  contentType: string;
}

/** Header fields by lower-case name; values are bytes in a Latin-1 text. */
export type RawHead = Readonly<Record<string, readonly string[] | undefined>>;

// `; name=value`, the value quoted or not. In quotes a backslash is a path's unless it stands before a quote or another one.
const PARAMETER = /;[\t ]*([\w!#$%&'+.^`|~-]+\*?)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ;"]*))[\t ]*(?=;|$)/gy;

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/** The value of a `filename*=utf-8''na%c3%afve` parameter (RFC 8187), which some clients send for names that are not ASCII; null when it is none. */
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

/** The media type without parameters; that of unknown bytes when it is none. A part without one is plain text (RFC 7578 4.4). */
function mediaType(text: string | undefined): string {
  if (text === undefined) return 'text/plain';
  const type = text.split(';', 1)[0].trim().toLowerCase();
  return MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
}

/** Reads the head of a part; null when it is not that of a form's part with a name (RFC 7578 4.2). */
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
