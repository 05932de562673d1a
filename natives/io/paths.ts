import { basename, dirname, extname, join, resolve } from 'node:path';
import { functions } from '../core/declare.js';

/** Functions that work on the text of a path only. */
// prettier-ignore
export const paths = functions([
  ['path_join', '*parts: String', 'String', 'Joins parts of a path and resolves `.` and `..`.', (_: unknown, parts: string[]) => join(...parts)],
  ['path_dirname', 'path: String', 'String', 'The path without its last part.', (_: unknown, path: string) => dirname(path)],
  ['path_basename', 'path: String', 'String', 'The last part of a path.', (_: unknown, path: string) => basename(path)],
  ['path_extname', 'path: String', 'String', 'The extension of a path with its dot, or "" when it has none.', (_: unknown, path: string) => extname(path)],
  ['path_stem', 'path: String', 'String', 'The last part of a path without its extension.', (_: unknown, path: string) => basename(path, extname(path))],
  ['path_absolute', 'path: String', 'String', 'The absolute path; a relative one starts at the working directory.', (_: unknown, path: string) => resolve(path)],
]);
