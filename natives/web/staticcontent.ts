import type { BigIntStats } from 'node:fs';
import type { Cached } from './filecache.js';
import { openFound, readWhole, type Found } from './staticfile.js';

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
  readonly modified: string;
  /** Header fields of a plain 200, flat. */
  readonly headers: string[];
  readonly weight: number;
  /** Whether a later change is sure to show in `stat`. */
  private readonly settled: boolean;

  constructor(readonly place: Place, private readonly stat: BigIntStats, readonly announcement: Announcement, readonly body: Buffer | null) {
    this.size = body === null ? Number(stat.size) : body.length;
    this.etag = `"${this.size.toString(36)}-${stat.mtimeNs.toString(36)}"`;
    this.modified = new Date(Number(stat.mtimeMs)).toUTCString();
    this.settled = Math.abs(Date.now() - Number(stat.ctimeMs)) > CLOCK_STEP_MS;
    this.weight = OVERHEAD + place.path.length + (body?.length ?? 0);
    this.headers = [
      'Content-Type', announcement.type, 'Content-Length', String(this.size), 'Cache-Control', announcement.cacheControl,
      'Accept-Ranges', 'bytes', 'Last-Modified', this.modified, 'ETag', this.etag,
    ];
  }

  /** Whether the file that was found now is this one, unchanged. */
  isStill({ path, stat }: Found): boolean {
    const old = this.stat;
    return this.settled && path === this.place.path && stat.ino === old.ino && stat.dev === old.dev && stat.size === old.size
      && stat.mtimeNs === old.mtimeNs && stat.ctimeNs === old.ctimeNs;
  }

  /** The same file as it was when it was opened for sending. */
  reopened(stat: BigIntStats): FileContent {
    return new FileContent(this.place, stat, this.announcement, null);
  }
}

/** The content of a file that has been found; null when it cannot be read. Small ones are read at once, which also tells that it can be. */
export async function loadContent(place: Place, announcement: Announcement): Promise<FileContent | null> {
  const opened = await openFound(place.path, place.root);
  if (opened === null) return null;
  try {
    const body = opened.stat.size > SMALL ? null : await readWhole(opened);
    return new FileContent(place, opened.stat, announcement, body);
  } finally {
    await opened.handle.close();
  }
}
