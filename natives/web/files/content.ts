import type { BigIntStats } from 'node:fs';
import type { Asset } from '../../../vm/bytecode/program.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Bytes } from '../../../vm/values/bytes.js';
import { bytesOf } from '../../io/assets.js';
import { failIo, io } from '../../io/errors.js';
import { readOpened } from '../../io/filetext.js';
import type { Cached } from './cache.js';
import { openFound, readWhole, type Found } from './find.js';

/** Maximum bytes of a file kept in memory; larger ones are streamed each time. */
const SMALL = 64 * 1024;

/** Approximate bytes of a cache entry without the file's contents. */
const OVERHEAD = 1024;

/**
 * Resolution of file system clocks. A file changed again within this many milliseconds may keep its modification time.
 */
const CLOCK_STEP_MS = 2000;

/** Header values for sending a file. */
export interface Announcement {
  type: string;
  cacheControl: string;
}

/** Identifies one version of a file's content. */
interface Version {
  size: number;
  /** Unique for each content. */
  tag: string;
  /** Modification time as an HTTP date; null if unknown. */
  modified: string | null;
  /** The file's `stat`; null for a file that is part of the program. */
  stat: BigIntStats | null;
}

function versionOf(stat: BigIntStats): Version {
  return {
    size: Number(stat.size),
    tag: stat.mtimeNs.toString(36),
    modified: new Date(Number(stat.mtimeMs)).toUTCString(),
    stat,
  };
}

/** Location of a file: below the directory `root`, or, if null, wherever the program chose. */
export interface Place {
  path: string;
  root: string | null;
}

/** A file ready for sending: its header fields, and its bytes if it is small. */
export class FileContent implements Cached {
  checkedAt = 0;
  readonly size: number;
  readonly etag: string;
  /** HTTP date; null if unknown. */
  readonly modified: string | null;
  /** Header fields of a plain 200, as a flat list of names and values. */
  readonly headers: string[];
  weight: number;
  /** Called with the number of bytes by which `weight` has grown. */
  onGrowth: ((bytes: number) => void) | null = null;
  /** Whether any later change is certain to show in `stat`. */
  private readonly settled: boolean;
  /** Compressed forms by encoding, finished or in progress; null if no smaller than the file. */
  private readonly forms = new Map<string, FileContent | null | Promise<FileContent | null>>();

  /** @param encoding the Content-Encoding of `body` */
  constructor(
    readonly place: Place,
    private readonly version: Version,
    readonly announcement: Announcement,
    readonly body: Buffer | null,
    readonly encoding: string | null = null,
  ) {
    const { stat, tag, modified } = version;
    this.size = body === null ? version.size : body.length;
    // The tag identifies the bytes sent, so each form has its own (RFC 9110, 8.8.3.3).
    this.etag = `"${this.size.toString(36)}-${tag}${encoding === null ? '' : `-${encoding}`}"`;
    this.modified = modified;
    this.settled = stat !== null && Math.abs(Date.now() - Number(stat.ctimeMs)) > CLOCK_STEP_MS;
    // The bytes of a file that is part of the program are in memory anyway.
    this.weight = OVERHEAD + place.path.length + (stat === null && encoding === null ? 0 : (body?.length ?? 0));
    this.headers = [
      'Content-Type',
      announcement.type,
      'Content-Length',
      String(this.size),
      'Cache-Control',
      announcement.cacheControl,
      'Accept-Ranges',
      'bytes',
      ...(modified === null ? [] : ['Last-Modified', modified]),
      'ETag',
      this.etag,
    ];
    if (encoding !== null) this.headers.push('Content-Encoding', encoding);
  }

  /** Whether the file is part of the program and so never changes. */
  get isPartOfProgram(): boolean {
    return this.version.stat === null;
  }

  /** Whether a file just found is this one, unchanged. */
  isStill({ path, stat }: Found): boolean {
    const old = this.version.stat;
    return (
      old !== null &&
      this.settled &&
      path === this.place.path &&
      stat.ino === old.ino &&
      stat.dev === old.dev &&
      stat.size === old.size &&
      stat.mtimeNs === old.mtimeNs &&
      stat.ctimeNs === old.ctimeNs
    );
  }

  /** The same file with its state at the time it was opened for sending. */
  reopened(stat: BigIntStats): FileContent {
    return new FileContent(this.place, versionOf(stat), this.announcement, null);
  }

  /**
   * Returns the file in that encoding, or null if that would be no smaller. Made once; concurrent callers share the
   * result.
   */
  encoded(
    encoding: string,
    encode: (bytes: Buffer) => Promise<Buffer>,
  ): FileContent | null | Promise<FileContent | null> {
    const known = this.forms.get(encoding);
    if (known !== undefined) return known;
    const making = this.make(encoding, encode);
    this.forms.set(encoding, making);
    // Forget a failure, which may be temporary: the disk, the number of open files.
    making.then(
      (form) => this.keep(encoding, form),
      () => this.forms.delete(encoding),
    );
    return making;
  }

  /** The bytes of a file that is not kept in memory, as it is now. @throws FileNotFoundError, IOError, MemoryError */
  async bytes(vm: NativeContext, signal: AbortSignal): Promise<Bytes> {
    const { path, root } = this.place;
    const opened = await io(`read ${path}`, () => openFound(path, root));
    if (opened === null) return failIo(`read ${path}`, { code: 'ENOENT' });
    return readOpened(vm, path, opened.handle, Number(opened.stat.size), signal);
  }

  private async make(encoding: string, encode: (bytes: Buffer) => Promise<Buffer>): Promise<FileContent | null> {
    const plain = this.body ?? (await this.readAgain());
    if (plain === null) return null;
    const bytes = await encode(plain);
    return bytes.length >= plain.length
      ? null
      : new FileContent(this.place, this.version, this.announcement, bytes, encoding);
  }

  private keep(encoding: string, form: FileContent | null): void {
    this.forms.set(encoding, form);
    if (form === null) return;
    this.weight += form.weight;
    this.onGrowth?.(form.weight);
  }

  /** Reads the bytes of a file that is not kept in memory; null if it has changed. */
  private async readAgain(): Promise<Buffer | null> {
    const opened = await openFound(this.place.path, this.place.root);
    if (opened === null) return null;
    try {
      if (this.reopened(opened.stat).etag !== this.etag) return null;
      const bytes = await readWhole(opened);
      return bytes.length === this.size ? bytes : null;
    } finally {
      await opened.handle.close();
    }
  }
}

/**
 * Loads the content of a file that has been found; null when it cannot be read. Small files are read at once, which
 * also proves that they can be.
 */
export async function loadContent(place: Place, announcement: Announcement): Promise<FileContent | null> {
  const opened = await openFound(place.path, place.root);
  if (opened === null) return null;
  try {
    const body = opened.stat.size > SMALL ? null : await readWhole(opened);
    return new FileContent(place, versionOf(opened.stat), announcement, body);
  } finally {
    await opened.handle.close();
  }
}

/** Tags of the assets requested so far; an artefact does not change. */
const TAGS = new WeakMap<Asset, Promise<string>>();

/** A file of the program's artefact, held entirely in memory. Its tag is 144 bits of the content's SHA-256. */
export async function assetContent(asset: Asset, announcement: Announcement): Promise<FileContent> {
  const body = bytesOf(asset);
  let tag = TAGS.get(asset);
  if (tag === undefined) TAGS.set(asset, (tag = tagOf(body)));
  return new FileContent(
    { path: asset.path, root: null },
    { size: body.length, tag: await tag, modified: null, stat: null },
    announcement,
    body,
  );
}

/** Hashes on a thread of its own, so that a large file does not block others. */
async function tagOf(body: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('base64url', 0, 18);
}
