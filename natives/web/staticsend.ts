import type { Stats } from 'node:fs';
import type { ServerResponse } from 'node:http';
import send from 'send';
import type { Exchange } from './exchange.js';
import type { Response } from './response.js';
import type { FileContent } from './staticcontent.js';
import type { Opened } from './staticfile.js';

/** Fields that speak of the file and not of the reason why it is not sent. */
const OF_THE_FILE = ['Content-Disposition', 'Cache-Control', 'Last-Modified', 'ETag'];

/**
 * Lets the package `send` answer: it decides on ranges and conditions. The bytes come from memory or from a descriptor that is open already,
 * never from a path: `send` would look at the path and then open it, and the file could be another one by then. `opened` is closed in any case.
 */
export function answerBySend(exchange: Exchange, response: Response, file: FileContent, opened: Opened | null): void {
  const { req, res } = exchange;
  const isWhole = response.status !== 200;
  announce(res, response, file);
  const sending = send(req, '/file', { index: false, cacheControl: false, acceptRanges: !isWhole });
  let streamed = false;
  // Ranges and conditions are for files sent as such, not for one that a middleware has made the body of an error page.
  if (isWhole) sending.isConditionalGET = () => false;
  sending.sendFile = () => sending.send('/file', { size: file.size } as Stats);
  sending.stream = (_path, range) => {
    const { start, end } = range as { start: number; end: number };
    // `send` asks for byte 0 of an empty file as well.
    const length = Math.min(end + 1, file.size) - start;
    exchange.bytes = length;
    if (opened === null) res.end((file.body as Buffer).subarray(start, start + length));
    else if (length === 0) res.end();
    else {
      streamed = true;
      stream(res, opened, start, length);
    }
  };
  sending.on('error', (error: { status: number; message: string }) => refuse(exchange, error));
  sending.pipe(res);
  if (!streamed && opened !== null) void opened.handle.close();
}

function announce(res: ServerResponse, response: Response, file: FileContent): void {
  res.statusCode = response.status;
  res.setHeader('Content-Type', response.contentType ?? file.announcement.type);
  const fields = response.allFields();
  for (let i = 0; i < fields.length; i += 2) res.appendHeader(fields[i], fields[i + 1]);
  const own = [['Cache-Control', file.announcement.cacheControl], ['Last-Modified', file.modified], ['ETag', file.etag]];
  for (const [name, value] of own) if (!res.hasHeader(name)) res.setHeader(name, value);
}

/** 412 and 416, as text like all of the library's own answers. */
function refuse({ res, isHead }: Exchange, { status, message }: { status: number; message: string }): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const text = `${status} ${message}`;
  for (const name of OF_THE_FILE) res.removeHeader(name);
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(isHead ? undefined : text);
}

/** Sends `length` bytes from `start` on. A file that has become shorter breaks the connection: nothing else tells the client. */
function stream(res: ServerResponse, { handle }: Opened, start: number, length: number): void {
  // Closes the descriptor at its end and when it is destroyed.
  const file = handle.createReadStream({ start, end: start + length - 1 });
  file.on('end', () => {
    if (file.bytesRead === length) res.end();
    else res.destroy();
  });
  file.on('error', () => res.destroy());
  res.on('close', () => file.destroy());
  file.pipe(res, { end: false });
}
