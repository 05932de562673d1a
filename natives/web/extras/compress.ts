import { promisify } from 'node:util';
import type { BrotliOptions, ZlibOptions } from 'node:zlib';
import Negotiator from 'negotiator';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { builtin } from '../../builtin.js';
import type { App } from '../app/app.js';
import type { Exchange } from '../request/exchange.js';
import type { Response } from '../response/response.js';
import { headerFields, isBare, sendBody, sendResponse } from '../response/send.js';
import { sendFile } from '../files/send.js';
import type { FileContent } from '../files/content.js';
import { vary } from './vary.js';

const COMPRESSIBLE =
  /^(text\/|application\/(json|javascript|xml|manifest\+json|[\w.+-]+\+(json|xml)|wasm)|image\/svg\+xml)/i;
/** `constants.BROTLI_PARAM_QUALITY` of node:zlib, which only apps that compress load. */
const QUALITY = 1;
/** Quality at which brotli is about as fast as gzip and still compresses better. */
const BROTLI: BrotliOptions = { params: { [QUALITY]: 4 } };
const GZIP: ZlibOptions = { level: 6 };
/** A higher quality for files: each is compressed once for many requests. */
const FILE_BROTLI: BrotliOptions = { params: { [QUALITY]: 6 } };
/** Larger files are sent uncompressed: the first client would wait too long, and few would fit in the cache. */
const LARGEST_FILE = 1024 * 1024;

/** Compresses with the encoding that was chosen; `brotli` are the options if it is brotli. */
function compress(
  body: string | Buffer,
  encoding: string,
  brotli: BrotliOptions,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const zlib = builtin('node:zlib');
  if (encoding === 'br') zlib.brotliCompress(body, brotli, done);
  else zlib.gzip(body, GZIP, done);
}

const compressFile = promisify(compress);

/**
 * Native `app.compress`: compresses complete text bodies and static files of at least `least` bytes when the client
 * accepts it. Streams are not compressed because they flush.
 */
export function enableCompression(vm: NativeContext, app: App, least: number): void {
  app.encoder = (exchange, response) => {
    if (response.file !== null) return encodeFile(vm, exchange, response, response.file, least);
    return response.sender === null && encode(exchange, response, least);
  };
}

/** Returns the encoding that the client prefers, brotli if several are equal, or null for the plain form. */
function choose(exchange: Exchange): string | null {
  const accepted = exchange.req.headers['accept-encoding'];
  if (accepted === undefined) return null;
  // The package's types lack the second parameter.
  const negotiator: { encoding(available: string[], options: { preferred: string[] }): string | undefined } =
    new Negotiator({ headers: { 'accept-encoding': accepted.toLowerCase() } });
  const best = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] });
  return best === undefined || best === 'identity' ? null : best;
}

/**
 * Whether the program forbids other forms of the body, or already sends one (RFC 9111, 5.2.2.6; RFC 9110, 8.4 and
 * 14.4).
 */
function isFixed({ fields }: Response): boolean {
  return fields.some(
    (text, i) =>
      i % 2 === 0 &&
      (/^content-(encoding|range)$/i.test(text) ||
        (/^cache-control$/i.test(text) && /\bno-transform\b/i.test(fields[i + 1]))),
  );
}

/** Whether a body has fewer than `least` bytes. Compares the length first: each UTF-16 unit is at least one byte. */
function isShorter(body: string | Buffer, least: number): boolean {
  return body.length < least && Buffer.byteLength(body) < least;
}

function encode(exchange: Exchange, response: Response, least: number): boolean {
  const { status, body, contentType } = response;
  if (
    isBare(status) ||
    isShorter(body, least) ||
    contentType === null ||
    !COMPRESSIBLE.test(contentType) ||
    isFixed(response)
  )
    return false;
  vary(response, 'Accept-Encoding');
  const encoding = choose(exchange);
  if (encoding === null) return false;
  compress(body, encoding, BROTLI, (error, bytes) => {
    if (exchange.isGone) return;
    if (error === null) sendEncoded(exchange, response, encoding, bytes);
    else sendResponse(exchange, response);
  });
  return true;
}

/**
 * Whether a file may be sent compressed. A file with an ETag chosen by the program stays plain: that tag identifies one
 * form.
 */
function isCompressible(response: Response, file: FileContent, least: number): boolean {
  const { status, contentType } = response;
  return (
    !isBare(status) &&
    file.size >= least &&
    file.size <= LARGEST_FILE &&
    contentType !== null &&
    COMPRESSIBLE.test(contentType) &&
    !isFixed(response) &&
    !response.headerNames().has('etag')
  );
}

function encodeFile(
  vm: NativeContext,
  exchange: Exchange,
  response: Response,
  file: FileContent,
  least: number,
): boolean {
  if (!isCompressible(response, file, least)) return false;
  vary(response, 'Accept-Encoding');
  const encoding = choose(exchange);
  if (encoding === null) return false;
  const send = (form: FileContent | null): void => {
    if (!exchange.isGone) sendFile(vm, exchange, response, form ?? file);
  };
  const form = file.encoded(encoding, (bytes) => compressFile(bytes, encoding, FILE_BROTLI));
  // If encoding fails, send the plain form: it needs no extra memory, and reports the error itself if the disk is at
  // fault.
  if (form instanceof Promise) form.catch(() => null).then(send);
  else send(form);
  return true;
}

function sendEncoded(exchange: Exchange, response: Response, encoding: string, bytes: Buffer): void {
  // A strong ETag identifies the bytes of the plain form (RFC 9110, 8.8.1), so weaken it.
  const headers = headerFields(response).map((text, i, all) =>
    i % 2 === 1 && all[i - 1].toLowerCase() === 'etag' && text.startsWith('"') ? `W/${text}` : text,
  );
  headers.push('Content-Encoding', encoding, 'Content-Length', String(bytes.length));
  exchange.res.writeHead(response.status, headers);
  if (exchange.isHead) exchange.res.end();
  else {
    exchange.hold(bytes.length);
    sendBody(exchange, bytes, bytes.length);
  }
}
