import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from './send.js';
import type { Settings } from './settings.js';

/** Reads a request's body up to `limit` bytes and hands it on; a longer one is answered with 413 and not buffered. */
export function readBody(req: IncomingMessage, res: ServerResponse, settings: Settings, done: (body: Buffer) => void): void {
  const limit = settings.body_bytes;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) {
    tooLarge(req, res);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      req.removeAllListeners('data');
      req.removeAllListeners('end');
      tooLarge(req, res);
    } else chunks.push(chunk);
  });
  req.on('end', () => done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  // A client that goes away in the middle of its body gets no answer: nobody is there.
  req.on('error', () => {});
}

function tooLarge(req: IncomingMessage, res: ServerResponse): void {
  sendText(res, 413, 'Content Too Large', true);
  res.on('finish', () => req.destroy());
}
