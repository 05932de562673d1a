import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fiber } from '../../../vm/fiber.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import { refuseBody } from '../body.js';
import type { Settings } from '../settings.js';
import { type Part, UploadAborted, UploadReader, UploadRefusal } from './reader.js';
import type { TempFiles } from './tempfiles.js';

/** What a multipart body held. */
export class Upload {
  readonly fields: [string, string][] = [];
  readonly files: [string, Hash][] = [];

  constructor(parts: readonly Part[], private readonly temps: TempFiles) {
    for (const part of parts) {
      if ('text' in part) this.fields.push([part.name, part.text]);
      else this.files.push([part.name, fileHash(part)]);
    }
  }

  /** Deletes the temporary files once the request's thread, if it has one, has ended. */
  disposeAfter(fiber: Fiber | null): void {
    const remove = (): void => void this.temps.remove();
    if (fiber === null) remove();
    else fiber.onEnd(remove);
  }
}

function fileHash({ filename, contentType, file }: Exclude<Part, { text: string }>): Hash {
  const { size, body, path } = file;
  const entries: [string, Value][] = [['filename', filename], ['content_type', contentType], ['size', size]];
  if (body !== null) entries.push(['body', body]);
  if (path !== null) entries.push(['path', path]);
  return Hash.from(entries);
}

// RFC 2046 5.1.1: 1 to 70 of these characters, quoted where it is no token.
const BOUNDARY = /^multipart\/form-data[\t ]*;(?:.*;)?[\t ]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70}))[\t ]*(?:;|$)/i;

/** The boundary of a multipart form; null when the type is another one or has none that is valid, so that there is no form to read. */
export function boundaryOf(contentType: string | undefined): string | null {
  const match = contentType === undefined ? null : BOUNDARY.exec(contentType);
  return match === null ? null : (match[1] ?? match[2]);
}

const REASONS = { 400: 'Bad Request', 413: 'Content Too Large', 500: 'Internal Server Error' };

/** Reads a multipart body and hands on what it held; refuses it when it is too large or malformed. */
export function readUpload(vm: VM, req: IncomingMessage, res: ServerResponse, settings: Settings, boundary: string, done: (upload: Upload) => void): void {
  const refuse = (status: keyof typeof REASONS): void => refuseBody(req, res, status, REASONS[status]);
  if (Number(req.headers['content-length'] ?? 0) > settings.upload_bytes) {
    refuse(413);
    return;
  }
  const reader = new UploadReader(req, settings, boundary);
  reader.read().then((parts) => done(new Upload(parts, reader.temps)), (reason: unknown) => {
    if (reason instanceof UploadAborted) return;
    if (reason instanceof UploadRefusal) {
      refuse(reason.status);
      return;
    }
    vm.host.stderr(`warning: an upload could not be stored: ${(reason as Error).message}\n`);
    refuse(500);
  });
}
