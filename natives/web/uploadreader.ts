import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { Settings } from './settings.js';
import { readFilePart, safeFilename, type UploadedFile } from './uploadpart.js';
import { TempFiles } from './uploadtemp.js';

const MAX_FILES = 100;
/** Limits of the head of a part; what is beyond them is not looked at. */
const HEADER_PAIRS = 16;
const HEADER_BYTES = 8 * 1024;

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

/** Reads one multipart body while it arrives. */
export class UploadReader {
  readonly temps = new TempFiles();
  private readonly parser: BusboyInstance;
  private readonly parts: Promise<Part | null>[] = [];
  private current: BusboyFileStream | null = null;
  private bytes = 0;
  private fieldBytes = 0;
  private files = 0;
  private hasFailed = false;
  /** Parts that are being read, and whether the parser has yet to take what it got. */
  private unread = 0;
  private isParsing = false;
  private watchdog: NodeJS.Timeout | undefined = undefined;
  private fail: (reason: unknown) => void = () => {};

  constructor(private readonly req: IncomingMessage, private readonly settings: Settings, boundary: string) {
    this.parser = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      // Fields come as streams too: busboy itself would decode them by whatever charset the client names.
      isPartAFile: () => true,
      limits: { parts: settings.query_pairs, headerPairs: HEADER_PAIRS, headerSize: HEADER_BYTES },
    });
  }

  /** The parts in their order. When it fails, with an UploadRefusal, UploadAborted or an error of the disk, nothing is left of them. */
  async read(): Promise<Part[]> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.fail = reject;
        this.listen(resolve);
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

  /** Damaged heads of parts after large parts can leave busboy waiting for itself (3.2.6): then the body is malformed. */
  private parsing(isParsing = this.isParsing): void {
    this.isParsing = isParsing;
    clearTimeout(this.watchdog);
    if (isParsing && !this.hasFailed && this.unread === 0) this.watchdog = setTimeout(() => this.fail(new UploadRefusal(400)), STUCK_MS);
  }

  private listen(done: () => void): void {
    const { req, parser } = this;
    let awaited = 2;
    const ended = (): void => { if (--awaited === 0) done(); };
    parser.on('file', (name, stream, filename, _encoding, type) => this.part(name, stream, filename, type));
    parser.on('partsLimit', () => this.fail(new UploadRefusal(400)));
    parser.on('error', () => this.fail(new UploadRefusal(400)));
    // The parser is done at the closing boundary, which text may follow.
    parser.on('finish', () => {
      this.parsing(false);
      ended();
    });
    parser.on('drain', () => {
      this.parsing(false);
      req.resume();
    });
    req.on('data', this.take);
    req.on('end', () => {
      ended();
      this.parsing(true);
      parser.end();
    });
    req.on('error', () => {});
    req.on('close', () => { if (!req.complete) this.fail(new UploadAborted()); });
  }

  private readonly take = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    if (this.bytes > this.settings.upload_bytes) this.fail(new UploadRefusal(413));
    else if (!this.parser.write(chunk)) {
      this.req.pause();
      this.parsing(true);
    }
  };

  private part(name: string | undefined, stream: BusboyFileStream, filename: string | undefined, contentType: string): void {
    // Whoever reads it is told as well.
    stream.on('error', () => {});
    if (this.hasFailed) {
      stream.destroy();
      return;
    }
    this.current = stream;
    this.unread++;
    this.parsing();
    const part = this.readPart(name, stream, filename, contentType);
    this.parts.push(part);
    part.catch((reason: unknown) => this.fail(reason)).finally(() => {
      this.unread--;
      this.parsing();
    });
  }

  private async readPart(name: string | undefined, stream: BusboyFileStream, sentName: string | undefined, contentType: string): Promise<Part | null> {
    if (name === undefined || (sentName !== undefined && ++this.files > MAX_FILES)) throw new UploadRefusal(400);
    if (sentName === undefined) return { name, text: await this.fieldText(stream) };
    const filename = safeFilename(sentName);
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
