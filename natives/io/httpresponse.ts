import { type Bytes, checkBytes, joinSteps } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { methodsOf } from '../core/declare.js';
import { overBytes, partsOf } from '../core/bytes/texts.js';
import { parseSteps } from '../core/json/jsonparse.js';
import { HeaderHash } from '../http/headerhash.js';
import { mergeRawHeaders } from '../http/headers.js';

/** Maximum bytes of a response after decompression. */
const MAX_BODY = 64 << 20;

const RESPONSE = new HandleType('HttpResponse');

type Decoder = InstanceType<typeof TextDecoder>;

const HINT = 'bytes returns it unchanged';

/** The response of another server. */
export class HttpResponse extends Handle {
  private text: string | null = null;

  constructor(
    readonly url: string,
    readonly status: number,
    readonly headers: Hash,
    readonly bytes: Bytes,
    private readonly charset: string | null,
  ) {
    super();
  }

  /**
   * The body as text, decoded in the charset of its Content-Type, or in UTF-8 if that is missing or unknown, in steps.
   * @throws ValueError
   */
  *body(): Generator<void, string, void> {
    if (this.text !== null) return this.text;
    const { decoder, name } = decoderOf(this.charset);
    if (name !== 'utf-8') return (this.text = yield* this.decoded(decoder, name));
    const text = yield* this.bytes.textSteps('body: the response is', HINT);
    return (this.text = text.startsWith('\ufeff') ? text.slice(1) : text);
  }

  private *decoded(decoder: Decoder, name: string): Generator<void, string, void> {
    let text = '';
    try {
      for (const part of partsOf(this.bytes)) {
        text += decoder.decode(part, { stream: true });
        yield;
      }
      return text + decoder.decode();
    } catch {
      return fail(Errors.ValueError, `body: the response is not ${name}; ${HINT}`);
    }
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
export async function readResponse(vm: NativeContext, response: Response, signal: AbortSignal): Promise<HttpResponse> {
  const body = await readBody(vm, response, signal);
  const headers = new HeaderHash(mergeRawHeaders([...response.headers].flat()));
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(response.headers.get('content-type') ?? '')?.[1] ?? null;
  return new HttpResponse(response.url, response.status, headers, body, charset);
}

async function readBody(vm: NativeContext, response: Response, signal: AbortSignal): Promise<Bytes> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // Counts decompressed bytes: a small response may expand to a large one.
  for await (const chunk of response.body ?? []) {
    total += chunk.length;
    if (total > MAX_BODY)
      fail(Errors.MemoryError, `the response from ${response.url} is larger than ${MAX_BODY} bytes`);
    checkBytes(total, total - chunk.length);
    chunks.push(chunk);
  }
  return (await vm.laterInPieces(joinSteps(chunks), signal)) as Bytes;
}

function decoderOf(charset: string | null): { decoder: Decoder; name: string } {
  try {
    const decoder = new TextDecoder(charset ?? 'utf-8', { fatal: true });
    return { decoder, name: decoder.encoding };
  } catch {
    return { decoder: new TextDecoder(), name: 'utf-8' };
  }
}

/** The body of a response as text. */
function text(vm: NativeContext, response: HttpResponse): Value | undefined {
  return overBytes(vm, 'body', response.bytes.length, response.body());
}

function* jsonSteps(response: HttpResponse): Generator<void, Value, void> {
  return yield* parseSteps(yield* response.body());
}

/** Methods of HttpResponse. */
// prettier-ignore
export const httpResponseMethods = methodsOf('HttpResponse', [
  ['status', '', 'Integer', 'The status code.', (_: unknown, response: HttpResponse) => response.status],
  ['body', '', 'String', 'The body as text; ValueError when the bytes are not valid in its charset.', text],
  ['bytes', '', 'Bytes', 'The body as Bytes.', (_: unknown, response: HttpResponse) => response.bytes],
  ['headers', '', 'Hash', 'Header fields; names are case-insensitive.', (_: unknown, response: HttpResponse) => response.headers],
  ['ok ok?', '', 'Boolean', 'Whether the status is from 200 to 299.', (_: unknown, response: HttpResponse) => response.ok],
  ['json', '', 'Any', 'The body as JSON; ValueError with line and column when it is not valid.', (vm: NativeContext, response: HttpResponse) => overBytes(vm, 'json', response.bytes.length, jsonSteps(response))],
  ['url', '', 'String', 'The address that answered, after all redirects.', (_: unknown, response: HttpResponse) => response.url],
]);
for (const fn of httpResponseMethods) RESPONSE.methods.set(fn.name, fn);
