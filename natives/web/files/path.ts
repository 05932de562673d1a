import { decodePercent } from '../../http/percent.js';
import { servedType } from './mediatypes.js';

const SLASH = 0x2f;

/** Non-empty segments that do not start with a dot (so no `..` either) and hold no backslash and no NUL. */
const PLAIN = /^(?:\/[^./\\\0][^/\\\0]*)+$/;

/** What Windows takes for something else: streams (`a.txt::$DATA`), drives, devices (`con.txt`), short names (`ENV~1.txt`), names whose last dots and spaces it drops. */
const WINDOWS_TRAP = /[:*?"<>|]|~\d|[. ](?:\/|$)|\/(?:con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(?:[./]|$)/i;

/**
 * The file that the path of a request names, as `/dir/name.ext` below the mount's directory; null when it names none that may be served.
 * Only looks at text: whether there is such a file, and where it really lies, is for the disk to tell.
 *
 * The path is percent-decoded once. A slash must be sent as itself, since `%2F` is a character of a segment (RFC 3986 2.2), which no file name
 * can hold.
 */
export function filePath(path: string, prefix: string, isWindows = process.platform === 'win32'): string | null {
  const decoded = path.includes('%') ? decodeSegments(path) : path;
  if (decoded === null || servedType(decoded) === undefined) return null;
  if (!decoded.startsWith(prefix) || decoded.charCodeAt(prefix.length) !== SLASH) return null;
  const rest = prefix === '' ? decoded : decoded.slice(prefix.length);
  return !PLAIN.test(rest) || (isWindows && WINDOWS_TRAP.test(rest)) ? null : rest;
}

function decodeSegments(path: string): string | null {
  return /%2f/i.test(path) ? null : decodePercent(path);
}
