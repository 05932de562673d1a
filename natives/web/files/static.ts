import { ModuleState } from '../../../vm/calls/modulestate.js';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { decodePercent } from '../../http/percent.js';
import { isAssetFolder } from '../../io/assets.js';
import type { StaticMount } from '../app/app.js';
import type { Scope } from '../app/scope.js';
import { NO_POSITIONS } from '../config/level.js';
import { type MaxAge, secondsOf } from '../config/maxage.js';
import { FileCache } from './cache.js';
import { AssetSource, DiskSource, type FileSource } from './source.js';
import type { ListedRoute } from '../config/route.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import { fileResponse, loadSend } from './send.js';
import type { FileContent } from './content.js';
import { filePath } from './path.js';
import { servedType } from './mediatypes.js';

/** The cache shared by all applications of a VM: its limit protects the process's memory. */
const FILES = new ModuleState(() => new FileCache<FileContent>());

/** A directory whose files are served under a prefix. */
export class StaticDirectory implements StaticMount {
  /** Literal start of every path that may match; the rest of the prefix may be percent-encoded in requests. */
  readonly prefix: string;
  readonly listed: ListedRoute;
  private readonly key: string;

  constructor(
    private readonly fullPrefix: string,
    private readonly source: FileSource,
    private readonly cacheControl: string,
    private readonly cache: FileCache<FileContent>,
    listed: Pick<ListedRoute, 'place' | 'levels'> = { place: null, levels: NO_POSITIONS },
  ) {
    this.prefix = (/^[/\w.~-]*/.exec(fullPrefix) as RegExpExecArray)[0];
    this.listed = { ...listed, method: 'STATIC', pattern: `${fullPrefix}/*` };
    this.key = `${source.key}\0${cacheControl}\0`;
  }

  mountedAt(prefix: string, listed: ListedRoute): StaticMount {
    return new StaticDirectory(
      outerPrefix(prefix) + this.fullPrefix,
      this.source,
      this.cacheControl,
      this.cache,
      listed,
    );
  }

  /** Returns at once for a path without a servable extension and for a file in the cache; otherwise suspends. */
  serve(vm: NativeContext, request: Request): Response | null | undefined {
    const path = filePath(request.parts.path, this.fullPrefix);
    if (path === null) return null;
    const key = this.key + path;
    const now = vm.host.now();
    const known = this.cache.fresh(key, now);
    if (known !== undefined) return known === null ? null : cachedResponse(vm, known);
    const loading = this.cache.refresh(key, now, (old) => this.load(key, path, old));
    return vm.waitForPromise(
      'file',
      loading.then((file) => (file === null ? null : cachedResponse(vm, file))),
    );
  }

  private async load(key: string, path: string, old: FileContent | null): Promise<FileContent | null> {
    const file = await this.source.load(
      path,
      { type: servedType(path) as string, cacheControl: this.cacheControl },
      old,
    );
    if (file !== null && file !== old) file.onGrowth = (bytes) => this.cache.grown(key, file, bytes);
    return file;
  }
}

/** A response whose file stays in the cache, so that compressing it pays off. */
function cachedResponse(vm: NativeContext, file: FileContent): Response {
  const response = fileResponse(vm, file);
  response.file = file;
  return response;
}

/**
 * Native `app.static`: serves a directory of the program's artefact or below the working directory, at `/` or under a
 * prefix.
 */
export function addStatic(
  vm: NativeContext,
  { app, prefix: outer, levels }: Scope,
  prefixOrDir: string | null,
  dir: string | null,
  maxAge: MaxAge,
): void {
  if (prefixOrDir === null && dir === null) fail(Errors.ArgumentError, 'static needs a directory: static("public")');
  const prefix = outerPrefix(outer) + (prefixOrDir === null || dir === null ? '' : prefixOf(prefixOrDir));
  const name = directoryOf(dir ?? (prefixOrDir as string));
  const root = resolve(name);
  const seconds = secondsOf(maxAge) ?? 0;
  if (!isAssetFolder(vm, name)) warnIfMissing(vm, name, root);
  const source = new AssetSource(vm, name, new DiskSource(root));
  app.addStatic(
    new StaticDirectory(prefix, source, `public, max-age=${seconds}`, FILES.of(vm), {
      place: vm.position(),
      levels,
    }),
  );
  // Load early, so that no request waits for it; a failure is reported when it is needed.
  loadSend().catch(() => {});
}

/** The prefix of a group or a mounted application, percent-decoded: a pattern without parameters. @throws ArgumentError */
function outerPrefix(pattern: string): string {
  const decoded = decodePercent(pattern);
  if (decoded === null || pattern.includes(':'))
    fail(Errors.ArgumentError, `static files cannot be served below a prefix with parameters: ${pattern}`);
  return decoded;
}

function prefixOf(prefix: string): string {
  if (!prefix.startsWith('/'))
    fail(Errors.ArgumentError, `a static prefix begins with a slash: static("/${prefix}", dir)`);
  return prefix.replace(/\/+$/, '');
}

function directoryOf(name: string): string {
  if (name === '' || name.includes('\0')) fail(Errors.ArgumentError, `${JSON.stringify(name)} is not a directory name`);
  return name;
}

/** Only a warning: the directory may be created later. */
function warnIfMissing(vm: NativeContext, name: string, root: string): void {
  const stat = statSync(root, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return;
  const at = vm.position();
  vm.host.stderr(
    `warning: ${at === null ? 'an unknown place' : `${at.file}:${at.line}`}: static: ${stat === undefined ? 'there is no directory' : 'this is not a directory:'} '${name}' (${root})\n`,
  );
}
