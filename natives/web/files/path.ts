import { decodePercent } from '../../http/percent.js';
import { servedType } from './mediatypes.js';

const SLASH = 0x2f;

/** Non-empty segments that do not start with a dot (so no `..`) and contain no backslash and no NUL. */
const PLAIN = /^(?:\/[^./\\\0][^/\\\0]*)+$/;

/**
 * Names with a special meaning on Windows: streams (`a.txt::$DATA`), drives, devices (`con.txt`), short names
 * (`ENV~1.txt`), and names whose trailing dots and spaces it drops.
 */
const WINDOWS_TRAP = /[:*?"<>|]|~\d|[. ](?:\/|$)|\/(?:con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(?:[./]|$)/i;

/**
 * Maps a request's path to `/dir/name.ext` below the mount's directory; null when no such file may be served. Checks
 * only the text: whether the file exists and where it really lies is checked on disk.
 *
 * The path is percent-decoded once. A slash must be sent literally, since `%2F` is a character of a segment (RFC 3986
 * 2.2), which no file name can contain.
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
