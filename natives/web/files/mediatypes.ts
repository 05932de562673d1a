import { lookup } from 'mrmime';

/** Extensions that static directories serve, in lower case; those of files may have any. */
const SERVED = [
  'html',
  'css',
  'js',
  'json',
  'png',
  'jpg',
  'gif',
  'svg',
  'webp',
  'ico',
  'woff',
  'woff2',
  'txt',
  'xml',
  'pdf',
  'map',
  'mjs',
  'wasm',
  'csv',
  'md',
  'jpeg',
  'avif',
  'mp3',
  'mp4',
  'webm',
  'ogg',
  'ttf',
  'otf',
  'eot',
  'webmanifest',
];

/** Types missing in mrmime. */
const OTHERS = new Map([
  ['ico', 'image/x-icon'],
  ['eot', 'application/vnd.ms-fontobject'],
]);

const UNKNOWN = 'application/octet-stream';

/**
 * Whether a charset parameter is added. Not for XML: it names its own encoding, which the parameter would override (RFC
 * 7303 3).
 */
function isText(type: string): boolean {
  return (
    (type.startsWith('text/') && type !== 'text/xml') ||
    type === 'application/json' ||
    type === 'application/manifest+json'
  );
}

/** The Content-Type for the extension of a file name; `application/octet-stream` if unknown. */
export function contentTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const known: unknown = OTHERS.get(extension) ?? lookup(extension);
  // mrmime looks up a plain object: `a.constructor` would yield a function.
  const type = typeof known === 'string' ? known : UNKNOWN;
  return isText(type) ? `${type}; charset=utf-8` : type;
}

const SERVED_TYPES = new Map(SERVED.map((extension) => [extension, contentTypeOf(extension)]));

/** The Content-Type of a file in a static directory; undefined if it is not served. */
export function servedType(path: string): string | undefined {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? undefined : SERVED_TYPES.get(path.slice(dot + 1).toLowerCase());
}
