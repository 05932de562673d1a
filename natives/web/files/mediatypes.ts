import { lookup } from 'mrmime';

/** What static directories serve. Capitals do not count as these: `.HTML` is unknown. */
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

/** Types that mrmime does not know. */
const OTHERS = new Map([
  ['ico', 'image/x-icon'],
  ['eot', 'application/vnd.ms-fontobject'],
]);

const UNKNOWN = 'application/octet-stream';

/** XML names its encoding itself, and a charset parameter would overrule it (RFC 7303 3). */
function isText(type: string): boolean {
  return (
    (type.startsWith('text/') && type !== 'text/xml') ||
    type === 'application/json' ||
    type === 'application/manifest+json'
  );
}

/** The Content-Type of a file by its name's extension; that of any bytes for an unknown one. */
export function contentTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const known: unknown = OTHERS.get(extension) ?? lookup(extension);
  // mrmime looks into a plain object: `a.constructor` would find a function.
  const type = typeof known === 'string' ? known : UNKNOWN;
  return isText(type) ? `${type}; charset=utf-8` : type;
}

const SERVED_TYPES = new Map(SERVED.map((extension) => [extension, contentTypeOf(extension)]));

/** The Content-Type of a file that static directories serve; undefined when they do not. */
export function servedType(path: string): string | undefined {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? undefined : SERVED_TYPES.get(path.slice(dot + 1));
}
