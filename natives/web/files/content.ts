import type { BigIntStats } from 'node:fs';
import type { Asset } from '../../../vm/bytecode/program.js';
import { bytesOf } from '../../io/assets.js';
import type { Cached } from './cache.js';
import { openFound, readWhole, type Found } from './find.js';

/** Larger files are streamed each time. */
const SMALL = 64 * 1024;

/** What an entry of the cache takes apart from the file's bytes, roughly. */
const OVERHEAD = 1024;

/** A file changed again within this time of its last change may keep its time of change: the clocks of file systems tick in such steps. */
const CLOCK_STEP_MS = 2000;

/** How a file is to be announced. */
export interface Announcement {
  type: string;
  cacheControl: string;
}

/** Which content of a file this is. */
interface Version {
  size: number;
  /** Another one for each content. */
  tag: string;
  /** When the file was changed, as HTTP writes it; null: nobody knows. */
  modified: string | null;
  /** What the disk says of it; null: it is part of the program. */
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

/** Where a file was found: below the directory `root`, or, with null, where the program said. */
export interface Place {
  path: string;
  root: string | null;
}

/** A file as it is sent: its header fields, and its bytes when they are few. */
export class FileContent implements Cached {
  checkedAt = 0;
  readonly size: number;
  readonly etag: string;
  /** Null: nobody knows. */
  readonly modified: string | null;
  /** Header fields of a plain 200, flat. */
  readonly headers: string[];
  weight: number;
  /** Told of the bytes that have come on top of the weight. */
  onGrowth: ((bytes: number) => void) | null = null;
  /** Whether a later change is sure to show in `stat`. */
  private readonly settled: boolean;
  /** Its compressed forms by their encoding, ready or in the making; null: no smaller than the file. */
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
    // The tag names the bytes that are sent, so each form has its own (RFC 9110, 8.8.3.3).
    this.etag = `"${this.size.toString(36)}-${tag}${encoding === null ? '' : `-${encoding}`}"`;
    this.modified = modified;
    this.settled = stat !== null && Math.abs(Date.now() - Number(stat.ctimeMs)) > CLOCK_STEP_MS;
    // The bytes of a file that is part of the program are there in any case.
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

  /** It can never change. */
  get isPartOfProgram(): boolean {
    return this.version.stat === null;
  }

  /** Whether the file that was found now is this one, unchanged. */
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

  /** The same file as it was when it was opened for sending. */
  reopened(stat: BigIntStats): FileContent {
    return new FileContent(this.place, versionOf(stat), this.announcement, null);
  }

  /** The form in that encoding, made once; null when it would be no smaller. Those who ask meanwhile wait for the same one. */
  encoded(
    encoding: string,
    encode: (bytes: Buffer) => Promise<Buffer>,
  ): FileContent | null | Promise<FileContent | null> {
    const known = this.forms.get(encoding);
    if (known !== undefined) return known;
    const making = this.make(encoding, encode);
    this.forms.set(encoding, making);
    // What has failed may work the next time: the disk, the number of open files.
    making.then(
      (form) => this.keep(encoding, form),
      () => this.forms.delete(encoding),
    );
    return making;
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

  /** The bytes of a file that is not kept in memory; null when it is not the same any more. */
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

/** The content of a file that has been found; null when it cannot be read. Small ones are read at once, which also tells that it can be. */
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

/** Tags of the assets that were asked for: an artefact does not change. */
const TAGS = new WeakMap<Asset, Promise<string>>();

/** A file of the program's artefact, all of it in memory. Its tag is 144 bits of the content's SHA-256. */
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

/** In a thread of its own: a large file must not hold up others. */
async function tagOf(body: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('base64url', 0, 18);
}
