import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { splitTarget } from '../../natives/http/target.js';
import { SETTINGS } from '../../natives/logging/logger.js';
import type { Redaction } from '../../natives/logging/redaction.js';
import { reasonOf } from '../../natives/reasons.js';
import type { App } from '../../natives/web/app/app.js';
import { INSPECTION } from '../../natives/web/app/inspection.js';
import type { RequestRecorder } from '../../natives/web/dev/devhost.js';
import { BAD_PATH } from '../../natives/web/routing/router.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { mapBody } from './bodyfields.js';
import { Mask } from './mask.js';
import {
  type Body,
  type Fields,
  fieldOf,
  FORMAT,
  LEFT,
  MAX_BODY,
  type Message,
  type Missing,
  type Recording,
} from './recording.js';
import { FOLDER, RecordingWriter } from './store.js';

const decompress: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(gunzip)(bytes, { maxOutputLength: MAX_BODY }),
  br: (bytes) => promisify(brotliDecompress)(bytes, { maxOutputLength: MAX_BODY }),
};

/** Collects the bytes of a body. Keeps none if there are more than MAX_BODY. */
class Taken {
  private chunks: Buffer[] = [];
  bytes = 0;

  /** Number of bytes that are kept. */
  get held(): number {
    return this.isTooLong ? 0 : this.bytes;
  }

  get isTooLong(): boolean {
    return this.bytes > MAX_BODY;
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    if (this.isTooLong) this.chunks = [];
    else this.chunks.push(Buffer.from(chunk));
  }

  get whole(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Makes the stored form of a body; null if it is empty. */
export function bodyOf(bytes: Buffer): Body | null {
  if (bytes.length === 0) return null;
  return isUtf8(bytes)
    ? { encoding: 'utf8', data: bytes.toString() }
    : { encoding: 'base64', data: bytes.toString('base64') };
}

/** Makes the stored form of a message, with secrets replaced. @param missing why its body is not stored, or null */
export function messageOf(fields: Fields, bytes: Buffer, missing: Missing | null, mask: Mask): Message {
  const shown = mask.fields(fields);
  if (missing !== null) return { fields: shown, body: null, missing };
  const body = mapBody(bytes, fieldOf(fields, 'content-type') ?? '', mask.field);
  return { fields: shown, body: body === null ? null : bodyOf(body), missing: body === null ? 'malformed' : null };
}

/** Decodes a body. @param coding Content-Encoding; null, or an unknown one: the body is returned unchanged */
export async function decoded(bytes: Buffer, coding: string | null): Promise<Buffer | 'too long' | 'malformed'> {
  const decode = coding === null ? undefined : decompress[coding.toLowerCase()];
  if (decode === undefined || bytes.length === 0) return bytes;
  try {
    return await decode(bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too long' : 'malformed';
  }
}

/** Calls `head` with the headers of a response, and `see` with each part of its body, when they are written. */
function watch(res: ServerResponse, head: (fields: Fields) => void, see: (chunk: Uint8Array) => void): void {
  const { writeHead, write, end } = res;
  const take = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string')
      see(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    else if (chunk instanceof Uint8Array) see(chunk);
  };
  res.writeHead = (...args: unknown[]) => {
    const given = args.findLast((arg) => typeof arg === 'object' && arg !== null) ?? [];
    head((Array.isArray(given) ? given : Object.entries(given).flat()).map(String));
    return Reflect.apply(writeHead, res, args) as ServerResponse;
  };
  res.write = (...args: unknown[]) => {
    take(args[0], args[1]);
    return Reflect.apply(write, res, args) as boolean;
  };
  res.end = (...args: unknown[]) => {
    take(args[0], args[1]);
    return Reflect.apply(end, res, args) as ServerResponse;
  };
}

/** Records the requests of routes, for `svcc run --dev --record`. */
export class Recorder implements RequestRecorder {
  private readonly writer: RecordingWriter;
  private readonly versions = new WeakMap<App, string>();
  /** Responses that are error pages. */
  private readonly explained = new WeakSet<ServerResponse>();
  /** Digest of the version that is being started. */
  version = '';

  /** @param program path of the program @param tell prints a line for the developer */
  constructor(
    private readonly program: string,
    private readonly tell: (text: string) => void,
  ) {
    this.writer = new RecordingWriter((error) =>
      tell(`svcc: cannot write recordings to ${FOLDER}: ${reasonOf(error)}; requests are not recorded\n`),
    );
  }

  /** Resolves when all recordings have been written. */
  get written(): Promise<void> {
    return this.writer.written;
  }

  serves(app: App): void {
    this.versions.set(app, this.version);
    const sockets = app.sockets.routes.map(({ pattern }) => pattern);
    const without = sockets.length === 0 ? '' : `, except WebSockets: ${sockets.join(', ')}`;
    this.tell(`svcc: recording requests in ${FOLDER}${without}\n`);
  }

  explains(res: ServerResponse): void {
    this.explained.add(res);
  }

  begin(req: IncomingMessage, res: ServerResponse, app: App, vm: NativeContext): void {
    const method = req.method as string;
    const match = app.router.find(method === 'HEAD' ? 'GET' : method, splitTarget(req.url as string).path);
    if (match === null || match === BAD_PATH || INSPECTION.of(vm)?.owns(match.value.handler)) return;
    const route = `${match.value.method} ${match.value.pattern}`;
    const time = Date.now();
    const startedAt = performance.now();
    const sent = new Taken();
    const answer = new Taken();
    let fields: Fields = [];
    // Not a listener of `data`, which would start the stream before the program reads it.
    const { push } = req;
    req.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk instanceof Uint8Array) sent.add(chunk);
      return push.call(req, chunk, encoding);
    };
    watch(
      res,
      (given) => (fields = given),
      (chunk) => answer.add(chunk),
    );
    res.once('close', () => {
      const ms = performance.now() - startedAt;
      const { redaction } = SETTINGS.of(vm);
      const version = this.versions.get(app) ?? '';
      this.writer.add(sent.held + answer.held, async (): Promise<Recording> => {
        const mask = new Mask(redaction);
        const request = messageOf(req.rawHeaders, sent.whole, missingOf(req, sent), mask);
        return {
          ...{ format: FORMAT, time, program: this.program, version, route, ms },
          request: { ...request, method, target: mask.target(req.url as string) },
          // Without the secrets of the response, because the user supplies only those of the request.
          masked: mask.masked.slice(),
          response: await responseOf(res, fields, answer, this.explained.has(res), redaction),
        };
      });
    });
  }
}

/** Returns why the body of a request is not stored, or null. The server does not read bodies that it refuses. */
function missingOf({ complete, headers }: IncomingMessage, sent: Taken): Missing | null {
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== sent.bytes)
    return Number(length) > MAX_BODY ? 'too long' : 'incomplete';
  return missing(sent, complete);
}

function missing(taken: Taken, isComplete: boolean): Missing | null {
  if (taken.isTooLong) return 'too long';
  return isComplete ? null : 'incomplete';
}

async function responseOf(
  res: ServerResponse,
  fields: Fields,
  answer: Taken,
  isExplained: boolean,
  redaction: Redaction,
): Promise<Recording['response']> {
  const status = res.headersSent ? res.statusCode : LEFT;
  const mask = new Mask(redaction);
  const problem = isExplained ? 'error page' : missing(answer, res.writableFinished);
  const bytes = problem === null ? await decoded(answer.whole, fieldOf(fields, 'content-encoding')) : Buffer.alloc(0);
  if (typeof bytes === 'string') return { status, ...messageOf(fields, Buffer.alloc(0), bytes, mask) };
  return { status, ...messageOf(fields, bytes, problem, mask) };
}
