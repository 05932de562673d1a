import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { Settings } from '../settings.js';
import { type RawHead, readHead } from './head.js';
import { readFilePart, safeFilename, type UploadedFile } from './part.js';
import { TempFiles } from './tempfiles.js';

const MAX_FILES = 100;
/** Limits of the head of a part; what is beyond them is not looked at. */
const HEAD_LIMITS = { maxHeaderPairs: 16, maxHeaderSize: 8 * 1024 };
/** Milliseconds without progress after which the parser counts as stuck. */
const STUCK_MS = 1000;

/** Why a body is not accepted. */
export class UploadRefusal {
  constructor(readonly status: 400 | 413) {}
}

/** A client that went away in the middle of its body. */
export class UploadAborted {}

/** A part of a form. */
export type Part = { name: string; text: string } | { name: string; filename: string; contentType: string; file: UploadedFile };

/**
 * Reads one multipart body while it arrives. Of busboy it uses the parser alone: its upper layer skips bad parts instead of refusing them, and
 * decodes fields by whatever charset the client names.
 */
export class UploadReader {
  readonly temps = new TempFiles();
  private readonly parser: Dicer;
  private readonly parts: Promise<Part | null>[] = [];
  private partCount = 0;
  private fileCount = 0;
  private bytes = 0;
  private fieldBytes = 0;
  private current: Readable | null = null;
  /** Whether a part has begun whose head is not complete. */
  private isInHead = false;
  private hasFailed = false;
  /** Whether the closing boundary has come: what follows is no part. */
  private isParsed = false;
  /** Parts that are being read, and whether the parser has yet to take what it got. */
  private unread = 0;
  private isParsing = false;
  private watchdog: NodeJS.Timeout | undefined = undefined;
  private fail: (reason: unknown) => void = () => {};

  constructor(private readonly req: IncomingMessage, private readonly settings: Settings, boundary: string) {
    this.parser = new Dicer({ boundary, ...HEAD_LIMITS } as Dicer.Config);
  }

  /** The parts in their order. When it fails, with an UploadRefusal, UploadAborted or an error of the disk, nothing is left of them. */
  async read(): Promise<Part[]> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.fail = reject;
        this.listenToParser();
        this.listenToClient(resolve);
      });
      const parts = await Promise.all(this.parts);
      return parts.filter((part) => part !== null);
    } catch (reason) {
      this.hasFailed = true;
      this.req.off('data', this.take);
      this.current?.destroy();
      await Promise.allSettled(this.parts);
      await this.temps.remove();
      throw reason;
    } finally {
      clearTimeout(this.watchdog);
    }
  }

  private listenToParser(): void {
    const malformed = (): void => this.fail(new UploadRefusal(400));
    this.parser.on('part', (stream) => this.part(stream));
    this.parser.on('error', malformed);
    this.parser.on('drain', () => this.goOn());
    this.parser.on('finish', () => {
      if (this.isInHead) malformed();
      this.isParsed = true;
      this.goOn();
    });
  }

  private goOn(): void {
    this.parsing(false);
    this.req.resume();
  }

  private listenToClient(done: () => void): void {
    const { req, parser } = this;
    let awaited = 2;
    const ended = (): void => { if (--awaited === 0) done(); };
    parser.on('finish', ended);
    req.on('data', this.take);
    req.on('end', () => {
      ended();
      if (this.isParsed) return;
      this.parsing(true);
      parser.end();
    });
    req.on('error', () => {});
    req.on('close', () => { if (!req.complete) this.fail(new UploadAborted()); });
  }

  /** Damaged heads of parts after large parts can leave the parser (3.2.6) waiting for itself: then the body is malformed. */
  private parsing(isParsing = this.isParsing): void {
    this.isParsing = isParsing;
    clearTimeout(this.watchdog);
    if (isParsing && !this.hasFailed && this.unread === 0) this.watchdog = setTimeout(() => this.fail(new UploadRefusal(400)), STUCK_MS);
  }

  private readonly take = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    if (this.bytes > this.settings.upload_bytes) this.fail(new UploadRefusal(413));
    else if (!this.isParsed && !this.parser.write(chunk)) {
      this.req.pause();
      this.parsing(true);
    }
  };

  private part(stream: Readable): void {
    // Whoever reads it is told as well.
    stream.on('error', () => {});
    if (this.hasFailed || this.isInHead || ++this.partCount > this.settings.query_pairs) {
      this.fail(new UploadRefusal(400));
      stream.resume();
      return;
    }
    this.current = stream;
    this.isInHead = true;
    stream.once('header', (head: RawHead) => {
      this.isInHead = false;
      this.begin(stream, head);
    });
  }

  private begin(stream: Readable, head: RawHead): void {
    this.unread++;
    this.parsing();
    const part = this.readPart(stream, head);
    this.parts.push(part);
    part.catch((reason: unknown) => this.fail(reason)).finally(() => {
      this.unread--;
      this.parsing();
    });
  }

  private async readPart(stream: Readable, raw: RawHead): Promise<Part | null> {
    const head = readHead(raw);
    if (head === null) throw new UploadRefusal(400);
    const { name, contentType } = head;
    if (head.filename === null) return { name, text: await this.fieldText(stream) };
    if (++this.fileCount > MAX_FILES) throw new UploadRefusal(400);
    const filename = safeFilename(head.filename);
    const file = await readFilePart(stream, this.temps);
    // What browsers send for a file input in which nothing was chosen.
    return filename === '' && file.size === 0 ? null : { name, filename, contentType, file };
  }

  private async fieldText(stream: AsyncIterable<Buffer>): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      this.fieldBytes += chunk.length;
      if (this.fieldBytes > this.settings.body_bytes) throw new UploadRefusal(413);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }
}
