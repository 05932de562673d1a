import type { Asset } from '../bytecode/program.js';
import type { ByteReader, ByteWriter } from './bytes.js';

/** Maximum length of an asset's path in UTF-16 units; similar to the limit of file systems. */
const MAX_ASSET_PATH = 4096;

/** Minimum bytes per table entry: the path's size and one character, and the content's size. */
const LEAST_ENTRY = 3;

/**
 * Describes why a path is invalid for an asset; null if it is valid. Valid paths are relative, with slashes between
 * names that are neither empty, `.` nor `..`.
 */
export function assetPathProblem(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > MAX_ASSET_PATH) return `is longer than ${MAX_ASSET_PATH} characters`;
  if (/[\0\\]/.test(path)) return 'contains a NUL or a backslash';
  if (/\p{Surrogate}/u.test(path)) return 'contains an unpaired surrogate';
  return /(?:^|\/)\.{0,2}(?:\/|$)/.test(path) ? 'is not normalised' : null;
}

/** Writes the table of assets; the contents must follow in the same order. */
export function writeAssetTable(out: ByteWriter, assets: readonly Asset[]): void {
  out.unsigned(assets.length);
  for (const { path, bytes } of assets) {
    out.text(path);
    out.unsigned(bytes.length);
  }
}

/** Index of the first entry whose path is not less than `path`. Entries must be ordered by path in UTF-16 units. */
export function lowerBound(entries: readonly { path: string }[], path: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle].path < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads the table and the contents, which take the rest of the bytes and are not copied. @throws InvalidArtefact */
export function readAssets(reader: ByteReader): Asset[] {
  const count = reader.count(LEAST_ENTRY);
  const entries: { path: string; size: number }[] = [];
  let total = 0;
  for (let i = 0; i < count; i++) {
    const path = reader.text();
    const problem = assetPathProblem(path);
    if (problem !== null) reader.bad(`the path of an asset ${problem}`);
    if (i > 0 && entries[i - 1].path >= path) reader.bad('the assets are not in order of their paths');
    const size = reader.unsigned();
    total += size;
    if (total > reader.left) reader.bad('the assets are larger than the file');
    entries.push({ path, size });
  }
  for (const { path } of entries) {
    const below = entries[lowerBound(entries, `${path}/`)];
    if (below?.path.startsWith(`${path}/`) === true) reader.bad('an asset lies below another one');
  }
  return entries.map(({ path, size }) => ({ path, bytes: reader.raw(size) }));
}
