/**
 * Files of the program's artefact, found under the paths that programs use. They take precedence over files of the same
 * path on disk.
 */
import { sep } from 'node:path';
import type { Asset } from '../../vm/bytecode/program.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** Converts a path to the form of asset names, with slashes. */
function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The artefact's file at a path relative to the program's folder; null means that the disk must be checked. */
export function assetAt(vm: NativeContext, path: string): Asset | null {
  return vm.assets.find(slashed(path));
}

/** Whether the artefact has a folder at a path. */
export function isAssetFolder(vm: NativeContext, path: string): boolean {
  return vm.assets.hasFolder(slashed(path));
}

/** Names in a folder of the artefact; null when it has no folder at this path. */
export function assetNames(vm: NativeContext, path: string): Set<string> | null {
  return vm.assets.names(slashed(path));
}

/** The bytes of an asset, without copying. */
export function bytesOf({ bytes }: Asset): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The artefact's file for an action such as "read public/a.txt"; null means that the disk must be checked. @throws
 * IOError for a folder
 */
export function assetFor(vm: NativeContext, path: string, action: string): Asset | null {
  const asset = assetAt(vm, path);
  if (asset === null && isAssetFolder(vm, path))
    fail(Errors.IOError, `cannot ${action}: it is a directory, not a file`);
  return asset;
}
