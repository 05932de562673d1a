import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, TOO_LARGE } from './admission.js';
import type { Settings } from './settings.js';

/** Reads a request's body up to the limit and hands it on; refuses a longer one, which is not buffered. */
export function readBody(req: IncomingMessage, res: ServerResponse, settings: Settings, done: (body: Buffer) => void, refuse: (refusal: Refusal) => void): void {
  const limit = settings.body_bytes;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) {
    refuse(TOO_LARGE);
    return;
  }
  invite(req, res);
  const chunks: Buffer[] = [];
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      req.removeAllListeners('data');
      req.removeAllListeners('end');
      req.resume();
      refuse(TOO_LARGE);
    } else chunks.push(chunk);
  });
  req.on('end', () => done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  // A client that goes away in the middle of its body gets no answer: nobody is there.
  req.on('error', () => {});
}

/** Asks a client that waits for it to send its body (RFC 9110 10.1.1). */
export function invite({ headers, httpVersionMinor }: IncomingMessage, res: ServerResponse): void {
  if (headers.expect !== undefined && httpVersionMinor > 0) res.writeContinue();
}
