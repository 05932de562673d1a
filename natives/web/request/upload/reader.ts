import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Settings } from '../../config/settings.js';
import { type PartHead, type RawHead, readHead } from './head.js';
import { MultipartParser } from './parser.js';
import { readFilePart, safeFilename, type UploadedFile } from './part.js';
import { TempFiles } from './tempfiles.js';

const MAX_FILES = 100;

/** Reason for refusing a body. */
export class UploadRefusal {
  constructor(readonly status: 400 | 413) {}
}

/** Signals that the client disconnected in the middle of its body. */
export class UploadAborted {}

/** One part of a form. */
export type Part =
  { name: string; text: string } | { name: string; filename: string; contentType: string; file: UploadedFile };

/** Reads one multipart body as it arrives. */
export class UploadReader {
  readonly temps = new TempFiles();
  private readonly parser: MultipartParser;
  private readonly parts: Promise<Part | null>[] = [];
  private fileCount = 0;
  private bytes = 0;
  private fieldBytes = 0;
  private current: Readable | null = null;
  private hasFailed = false;
  private fail: (reason: unknown) => void = () => {};

  constructor(
    private readonly req: IncomingMessage,
    private readonly settings: Settings,
    boundary: string,
  ) {
    this.parser = new MultipartParser(boundary, {
      head: (head) => this.begin(head),
      data: (bytes) => {
        if (this.current?.push(bytes) === false) req.pause();
      },
      end: () => this.current?.push(null),
    });
  }

  /** The parts in order. On failure (UploadRefusal, UploadAborted or a disk error) all their files are removed. */
  async read(): Promise<Part[]> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.fail = (reason) => {
          this.hasFailed = true;
          reject(reason);
        };
        this.listen(resolve);
      });
      const parts = await Promise.all(this.parts);
      return parts.filter((part) => part !== null);
    } catch (reason) {
      this.req.off('data', this.take);
      this.current?.destroy();
      await Promise.allSettled(this.parts);
      await this.temps.remove();
      throw reason;
    }
  }

  private listen(done: () => void): void {
    const { req } = this;
    req.on('data', this.take);
    req.on('end', () => {
      if (this.parser.isDone) done();
      else this.fail(new UploadRefusal(400));
    });
    req.on('error', () => {});
    req.on('close', () => {
      if (!req.complete) this.fail(new UploadAborted());
    });
  }

  private readonly take = (chunk: Buffer): void => {
    if (this.hasFailed) return;
    this.bytes += chunk.length;
    if (this.bytes > this.settings.upload_bytes) this.fail(new UploadRefusal(413));
    else if (!this.parser.write(chunk)) this.fail(new UploadRefusal(400));
  };

  private begin(raw: RawHead): boolean {
    const head = readHead(raw);
    if (head === null || this.parts.length === this.settings.query_pairs) return false;
    if (head.filename !== null && ++this.fileCount > MAX_FILES) return false;
    const more = (): void => void this.req.resume();
    const stream = new Readable({ read: more });
    // The error also reaches the code that reads the part; without a listener node would throw it. A stream read to its
    // end does not ask for more, so resume the request on `close`.
    stream.on('error', () => {}).on('close', more);
    this.current = stream;
    const part = this.readPart(stream, head);
    this.parts.push(part);
    part.catch((reason: unknown) => this.fail(reason));
    return true;
  }

  private async readPart(stream: Readable, { name, filename: sent, contentType }: PartHead): Promise<Part | null> {
    if (sent === null) return { name, text: await this.fieldText(stream) };
    const filename = safeFilename(sent);
    const file = await readFilePart(stream, this.temps);
    // Browsers send this for a file input without a chosen file.
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
