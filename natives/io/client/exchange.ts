/** Requests by a dispatcher of `undici`, whose own reading of header fields is not used. */
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';

/** A response whose body is still to be read. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, as sent. */
  readonly fields: string[];
  readonly body: Readable;
}

/** Has the code of the parser's errors, because a status below 100 is one. */
class BadStatus extends Error {
  readonly code = 'HPE_INVALID_STATUS';
}

/**
 * Sends a request. Fields are Latin-1, as in node. `undici` reads them as UTF-8, and collects them in an object, where
 * names such as `constructor` have a meaning.
 * @param over called when the connection is free again
 * @throws Error of node or `undici`
 */
export async function exchange(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  options: Dispatcher.RequestOptions,
  over: () => void = () => {},
): Promise<Answer> {
  let fields: string[] = [];
  const noticing: Pick<Dispatcher, 'dispatch'> = {
    dispatch: (given, handler) => {
      const { onHeaders, onComplete, onError } = handler;
      handler.onHeaders = (status, raw, resume, text) => {
        if (status < 100) throw new BadStatus();
        fields = raw.map((part) => part.toString('latin1'));
        return onHeaders?.call(handler, status, lengthIn(fields), resume, text) ?? true;
      };
      handler.onComplete = () => {
        over();
        onComplete?.call(handler, []);
      };
      handler.onError = (error) => {
        over();
        onError?.call(handler, error);
      };
      return dispatcher.dispatch(given, handler);
    },
  };
  try {
    const { statusCode, body } = await request.call(noticing, options);
    // A connection may break while nothing reads the body.
    body.on('error', () => {});
    return { status: statusCode, fields, body };
  } catch (error) {
    over();
    throw error;
  }
}

/** The Content-Length field alone, which `undici` needs to skip a body. */
function lengthIn(fields: readonly string[]): Buffer[] {
  const at = fields.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'content-length');
  return at === -1 ? [] : [Buffer.from(fields[at]), Buffer.from(fields[at + 1])];
}
