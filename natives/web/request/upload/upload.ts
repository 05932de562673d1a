import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fiber } from '../../../../vm/fibers/fiber.js';
import { type Hash } from '../../../../vm/values/hash.js';
import type { Value } from '../../../../vm/values/value.js';
import type { NativeContext } from '../../../../vm/nativecontext.js';
import { BAD_REQUEST, type Refusal, TOO_LARGE } from '../../connection/refusal.js';
import { invite } from '../../connection/body.js';
import type { Settings } from '../../config/settings.js';
import { FileHash } from './filehash.js';
import { type Part, UploadAborted, UploadReader, UploadRefusal } from './reader.js';
import type { TempFiles } from './tempfiles.js';

/** The parsed contents of a multipart body. */
export class Upload {
  readonly fields: [string, string][] = [];
  readonly files: [string, Hash][] = [];

  constructor(
    parts: readonly Part[],
    private readonly temps: TempFiles,
  ) {
    for (const part of parts) {
      if ('text' in part) this.fields.push([part.name, part.text]);
      else this.files.push([part.name, fileHash(part)]);
    }
  }

  /** Deletes the temporary files once the request's fiber has ended; at once if it has none. */
  disposeAfter(fiber: Fiber | null): void {
    const remove = (): void => void this.temps.remove();
    if (fiber === null) remove();
    else fiber.onEnd(remove);
  }
}

function fileHash({ filename, contentType, file }: Exclude<Part, { text: string }>): Hash {
  const { size, body, bytes, path } = file;
  const entries: [string, Value][] = [
    ['filename', filename],
    ['content_type', contentType],
    ['size', size],
  ];
  if (body !== null) entries.push(['body', body]);
  if (path !== null) entries.push(['path', path]);
  return new FileHash(entries, bytes);
}

// RFC 2046 5.1.1: 1 to 70 of these characters, quoted unless they form a token.
const BOUNDARY =
  /^multipart\/form-data[\t ]*;(?:.*;)?[\t ]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70}))[\t ]*(?:;|$)/i;

/** Whether a body is a multipart form, even if its boundary is missing. */
export function isMultipartForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^multipart\/form-data(?=[\t ;]|$)/i.test(contentType);
}

/** The boundary of a multipart form; null when it is missing or invalid. */
export function boundaryOf(contentType: string | undefined): string | null {
  const match = contentType === undefined ? null : BOUNDARY.exec(contentType);
  return match === null ? null : (match[1] ?? match[2]);
}

const REFUSALS = { 400: BAD_REQUEST, 413: TOO_LARGE };

/** Reads a multipart body and passes its contents to `done`; refuses one that is too large or malformed. */
export function readUpload(
  vm: NativeContext,
  req: IncomingMessage,
  res: ServerResponse,
  settings: Settings,
  done: (upload: Upload) => void,
  refuse: (refusal: Refusal) => void,
): void {
  const boundary = boundaryOf(req.headers['content-type']);
  if (boundary === null || Number(req.headers['content-length'] ?? 0) > settings.upload_bytes) {
    refuse(boundary === null ? BAD_REQUEST : TOO_LARGE);
    return;
  }
  invite(req, res);
  const reader = new UploadReader(req, settings, boundary);
  reader.read().then(
    (parts) => done(new Upload(parts, reader.temps)),
    (reason: unknown) => {
      if (reason instanceof UploadAborted) return;
      req.resume();
      if (reason instanceof UploadRefusal) {
        refuse(REFUSALS[reason.status]);
        return;
      }
      vm.host.stderr(`warning: an upload could not be stored: ${(reason as Error).message}\n`);
      refuse({ status: 500, text: 'Internal Server Error' });
    },
  );
}
