/** Files of the program's artefact under the paths that programs give: they win over files of the same path on the disk. */
import { sep } from 'node:path';
import type { Asset } from '../../vm/bytecode/program.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { VM } from '../../vm/vm.js';

/** A path as assets are named, whatever separates names here. */
function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The file of the artefact at a path relative to the program's folder; null: it is for the disk to tell. */
export function assetAt(vm: VM, path: string): Asset | null {
  return vm.assets.find(slashed(path));
}

/** Whether a folder of the artefact is at a path. */
export function isAssetFolder(vm: VM, path: string): boolean {
  return vm.assets.hasFolder(slashed(path));
}

/** Names in a folder of the artefact; null when it has none at this path. */
export function assetNames(vm: VM, path: string): Set<string> | null {
  return vm.assets.names(slashed(path));
}

/** The bytes of an asset, not copied. */
export function bytesOf({ bytes }: Asset): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The file of the artefact for an action such as "read public/a.txt"; null: it is for the disk to tell. @throws IOError for a folder */
export function assetFor(vm: VM, path: string, action: string): Asset | null {
  const asset = assetAt(vm, path);
  if (asset === null && isAssetFolder(vm, path))
    fail(Errors.IOError, `cannot ${action}: it is a directory, not a file`);
  return asset;
}
