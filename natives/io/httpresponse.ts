import { Errors, fail } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Hash } from '../../vm/values/hash.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { methodsOf } from '../core/declare.js';
import { parse } from '../core/json/index.js';
import { HeaderHash } from '../http/headerhash.js';
import { mergeRawHeaders } from '../http/headers.js';

/** Maximum bytes of a response after decompression. */
const MAX_BODY = 64 << 20;

const RESPONSE = new HandleType('HttpResponse');

/** The response of another server. */
export class HttpResponse extends Handle {
  constructor(
    readonly url: string,
    readonly status: number,
    readonly headers: Hash,
    readonly body: string,
  ) {
    super();
  }

  get type(): HandleType {
    return RESPONSE;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  override describe(): string {
    return `<HttpResponse ${this.status} ${this.url}>`;
  }
}

/** Reads a response of `fetch` completely. @throws MemoryError when its body is too large */
export async function readResponse(response: Response): Promise<HttpResponse> {
  const body = await readBody(response);
  const headers = new HeaderHash(mergeRawHeaders([...response.headers].flat()));
  return new HttpResponse(response.url, response.status, headers, decoded(body, response.headers.get('content-type')));
}

async function readBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // Counts decompressed bytes: a small response may expand to a large one.
  for await (const chunk of response.body ?? []) {
    total += chunk.length;
    if (total > MAX_BODY)
      fail(Errors.MemoryError, `the response from ${response.url} is larger than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, total);
}

/** Decodes a body with the charset of its Content-Type, or as UTF-8 if that is missing or unknown. */
function decoded(body: Buffer, contentType: string | null): string {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** Methods of HttpResponse. */
// prettier-ignore
export const httpResponseMethods = methodsOf('HttpResponse', [
  ['status', '', 'Integer', 'The status code.', (_: unknown, response: HttpResponse) => response.status],
  ['body', '', 'String', 'The body as text.', (_: unknown, response: HttpResponse) => response.body],
  ['headers', '', 'Hash', 'Header fields; names are case-insensitive.', (_: unknown, response: HttpResponse) => response.headers],
  ['ok ok?', '', 'Boolean', 'Whether the status is from 200 to 299.', (_: unknown, response: HttpResponse) => response.ok],
  ['json', '', 'Any', 'The body as JSON; ValueError with line and column when it is not valid.', (vm: NativeContext, response: HttpResponse) => parse(vm, response.body)],
  ['url', '', 'String', 'The address that answered, after all redirects.', (_: unknown, response: HttpResponse) => response.url],
]);
for (const fn of httpResponseMethods) RESPONSE.methods.set(fn.name, fn);
