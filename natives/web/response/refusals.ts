import { Hash } from '../../../vm/values/hash.js';
import { encodeJson } from '../../core/json/encode.js';
import { Request } from '../request/request.js';
import { JSON_TYPE, Response, TEXT } from './response.js';

/**
 * The library's own answer where it refuses a request, in the form that the application has chosen (setting: refusals).
 * `message` is what JSON says.
 * @param context the request, or what a thread works for
 */
export function refusalTo(context: object | null, status: number, text: string, message = text): Response {
  if (!(context instanceof Request && context.refusedInJson)) return new Response(status, text, TEXT);
  const problem = Hash.from([
    ['at', ''],
    ['message', message],
  ]);
  return new Response(status, encodeJson(Hash.from([['errors', [problem]]])), JSON_TYPE);
}
