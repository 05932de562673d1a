import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { visible } from '../../../vm/values/text/visible.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Exchange } from '../request/exchange.js';
import { Response } from '../response/response.js';
import { isBare, sendResponse } from '../response/send.js';
import type { FileContent } from './content.js';
import { openFound } from './find.js';
import type * as SendLibrary from './sendpackage.js';

let library: typeof SendLibrary | null = null;

/**
 * Loads the package `send` with its table of 1,000 media types on first use: programs that serve no files start without
 * it.
 */
export async function loadSend(): Promise<typeof SendLibrary> {
  return (library ??= await import('./sendpackage.js'));
}

/** A response that sends `file`. */
export function fileResponse(vm: NativeContext, file: FileContent): Response {
  const response = new Response(200, file.body ?? '', file.announcement.type);
  response.sender = (exchange, sent) => sendFile(vm, exchange, sent, file);
  if (file.body === null) response.unread = file;
  return response;
}

/** Sends a file, or one of its compressed forms, with the response's status and header fields. */
export function sendFile(vm: NativeContext, exchange: Exchange, response: Response, file: FileContent): void {
  if (isBare(response.status)) sendResponse(exchange, response);
  else if (file.body !== null && isPlain(exchange.req.headers, response, file))
    sendPlain(exchange, response, file, file.body);
  else if (file.body !== null && library !== null) library.answerBySend(exchange, response, file, null);
  else void sendLater(vm, exchange, response, file);
}

/** Whether the prepared header fields suffice: no range, no condition, no field changed by middleware. */
function isPlain(headers: IncomingHttpHeaders, response: Response, file: FileContent): boolean {
  return (
    headers.range === undefined &&
    headers['if-none-match'] === undefined &&
    headers['if-modified-since'] === undefined &&
    headers['if-match'] === undefined &&
    headers['if-unmodified-since'] === undefined &&
    response.status === 200 &&
    response.contentType === file.announcement.type &&
    !changesOurs(response.fields)
  );
}

const OURS = new Set(['cache-control', 'accept-ranges', 'last-modified', 'etag']);

function changesOurs(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (OURS.has(fields[i].toLowerCase())) return true;
  return false;
}

function sendPlain(exchange: Exchange, response: Response, file: FileContent, body: Buffer): void {
  const { res, isHead } = exchange;
  const fields = response.allFields();
  res.writeHead(200, fields.length === 0 ? file.headers : [...file.headers, ...fields]);
  if (isHead) res.end();
  else {
    exchange.bytes = body.length;
    res.end(body);
  }
}

/**
 * Waits until the earlier responses on the connection have been sent. Node does not notify a queued response when the
 * connection ends; if it had opened its file, the file would never be closed. If its turn never comes, the response and
 * this promise are garbage-collected.
 */
function turnOf(res: ServerResponse): Promise<void> | null {
  return res.socket !== null
    ? null
    : new Promise((resolve) => {
        res.once('socket', () => resolve());
      });
}

async function sendLater(vm: NativeContext, exchange: Exchange, response: Response, file: FileContent): Promise<void> {
  try {
    const { answerBySend } = await loadSend();
    await turnOf(exchange.res);
    const opened = file.body === null ? await openFound(file.place.path, file.place.root) : null;
    if (exchange.isGone) await opened?.handle.close();
    else if (opened !== null) answerBySend(exchange, response, file.reopened(opened.stat), opened);
    else if (file.body !== null) answerBySend(exchange, response, file, null);
    // Removed since it was found.
    else sendResponse(exchange, response.substitute(404, '404 Not Found'));
  } catch (error) {
    vm.host.stderr(`warning: cannot send ${visible(file.place.path)}: ${visible((error as Error).message)}\n`);
    if (exchange.res.headersSent) exchange.res.destroy();
    else sendResponse(exchange, response.substitute(500, 'Internal Server Error'));
  }
}
