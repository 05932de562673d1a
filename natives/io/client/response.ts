import { type Caller, PullIterator } from '../../../vm/calls/caller.js';
import { Sequence, SEQUENCE } from '../../../vm/calls/sequence.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Errors, type ErrorValue, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import { END, Iterator } from '../../../vm/values/iterator.js';
import type { Steps } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { EndedBy } from '../../../vm/fibers/fiber.js';
import type { DurationValue } from '../../core/dates/duration.js';
import { methodsOf, type Num } from '../../core/declare.js';
import { overBytes, partsOf } from '../../core/bytes/texts.js';
import { parseSteps } from '../../core/json/jsonparse.js';
import { HeaderHash } from '../../http/headerhash.js';
import { findHeader, mergeRawHeaders } from '../../http/headers.js';
import { decodePercent } from '../../http/percent.js';
import { noteTransfer } from '../../../vm/watch/quiet.js';
import { waitForOperation } from '../waiting.js';
import { CLOSED, type OpenBody } from './body.js';
import { failureOf } from './failures.js';
import { documentOf, loadParser } from './html.js';
import { shownUrl } from './target.js';

const RESPONSE = new HandleType('HttpResponse');

type Decoder = InstanceType<typeof TextDecoder>;

const HINT = 'bytes returns it unchanged';

/** Names in lower case with their values, in order; values of repeated fields are joined. */
export function responseFields(raw: readonly string[]): [string, string][] {
  return mergeRawHeaders(raw.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)));
}

/** What is known of a response before its body. */
export interface Head {
  readonly url: URL;
  readonly status: number;
  readonly fields: readonly (readonly [string, string])[];
  /** Values of its Set-Cookie fields. */
  readonly cookies: readonly string[];
  /** The error that the handler raised, if the server is part of this program. */
  readonly failure: ErrorValue | null;
}

/** How long, and for whom, a program waits for the rest of a body. */
export interface Patience {
  readonly timeout: Num | DurationValue | null;
  readonly endedBy: EndedBy;
}

/** The response of a server. */
export class HttpResponse extends Handle {
  readonly headers: Hash;
  readonly url: string;
  private loaded: Bytes | null = null;
  private text: string | null = null;
  /** Whether pieces of the body have been passed to the program. */
  private isUsed = false;
  private html: Value | null = null;

  /** @param open the body, until it is loaded */
  constructor(
    readonly head: Head,
    readonly open: OpenBody,
    readonly patience: Patience,
  ) {
    super();
    this.headers = new HeaderHash(head.fields);
    const { href, hash } = head.url;
    this.url = hash === '' ? href : href.slice(0, -hash.length);
  }

  get status(): number {
    return this.head.status;
  }

  /** Number of bytes to work on, as far as known. */
  get size(): number {
    return this.loaded?.length ?? Infinity;
  }

  /** Reads the whole body. @throws RequestFailure, SvcError */
  async load(vm: NativeContext, signal: AbortSignal): Promise<Bytes> {
    return (this.loaded ??= await this.open.rest(vm, signal));
  }

  /** The body, if it is loaded. @throws RuntimeError if it never will be */
  get bytes(): Bytes | null {
    if (this.loaded === null && (this.isUsed || this.open.isOver))
      fail(Errors.RuntimeError, this.isUsed ? 'each_chunk has already read the body of this response' : CLOSED);
    return this.loaded;
  }

  /** The next piece of the body; null at the end. @throws RequestFailure, SvcError */
  async piece(): Promise<Bytes | null> {
    this.isUsed = true;
    const piece = await this.open.next();
    // A copy: the piece is a part of a larger buffer.
    return piece === null ? null : new Bytes(new Uint8Array(piece));
  }

  /** Closes the connection, unless the body has been read. */
  close(): void {
    if (this.patience.endedBy === 'loop') noteTransfer();
    this.open.close();
  }

  /**
   * The body as text, decoded in the charset of its Content-Type, or in UTF-8 if that is missing or unknown, in steps.
   * @throws ValueError
   */
  *body(): Generator<void, string, void> {
    if (this.text !== null) return this.text;
    const type = findHeader(this.head.fields, 'content-type') ?? '';
    const { decoder, name } = decoderOf(/;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? null);
    if (name !== 'utf-8') return (this.text = yield* this.decoded(decoder, name));
    const text = yield* this.content.textSteps('body: the response is', HINT);
    return (this.text = text.startsWith('\ufeff') ? text.slice(1) : text);
  }

  private get content(): Bytes {
    return this.bytes as Bytes;
  }

  private *decoded(decoder: Decoder, name: string): Generator<void, string, void> {
    let text = '';
    try {
      for (const part of partsOf(this.content)) {
        text += decoder.decode(part, { stream: true });
        yield;
      }
      return text + decoder.decode();
    } catch {
      return fail(Errors.ValueError, `body: the response is not ${name}; ${HINT}`);
    }
  }

  /** The body as a document, parsed once. */
  *document(): Generator<void, Value, void> {
    return (this.html ??= yield* documentOf(yield* this.body()));
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

function decoderOf(charset: string | null): { decoder: Decoder; name: string } {
  try {
    const decoder = new TextDecoder(charset ?? 'utf-8', { fatal: true });
    return { decoder, name: decoder.encoding };
  } catch {
    return { decoder: new TextDecoder(), name: 'utf-8' };
  }
}

/** Waits for a part of a response; raises what a failure means. */
function awaiting(
  vm: NativeContext,
  response: HttpResponse,
  operation: (signal: AbortSignal) => Promise<Value>,
): undefined {
  const { timeout, endedBy } = response.patience;
  return waitForOperation(
    vm,
    'http',
    async (signal) => {
      signal.addEventListener('abort', () => response.close());
      try {
        return await operation(signal);
      } catch (error) {
        if (signal.aborted) return null;
        throw failureOf('GET', response.head.url, error).error;
      }
    },
    timeout,
    // A piece that the thread does not receive is missing.
    { endedBy, about: shownUrl(response.head.url), returned: () => response.close() },
  );
}

/** The result of `steps` on the body, which is read first if that has not happened. */
function overBody(
  vm: NativeContext,
  what: string,
  response: HttpResponse,
  steps: () => Steps,
  prepare: () => Promise<unknown> | null = () => null,
): Value | undefined {
  const ready = prepare();
  if (response.bytes !== null && ready === null) return overBytes(vm, what, response.size, steps());
  return awaiting(vm, response, async (signal) => {
    await ready;
    await response.load(vm, signal);
    return vm.laterInPieces(steps(), signal);
  });
}

function* bytesSteps(response: HttpResponse): Steps {
  yield* [];
  return response.bytes;
}

function* jsonSteps(response: HttpResponse): Steps {
  return yield* parseSteps(yield* response.body());
}

/** The pieces of a body, read while they are used. */
class ChunkIterator extends PullIterator {
  constructor(private readonly response: HttpResponse) {
    super();
  }

  pull(vm: Caller): Value | undefined {
    const { response } = this;
    return awaiting(vm as NativeContext, response, async () => (await response.piece()) ?? END);
  }

  override close(): null {
    this.response.close();
    return null;
  }
}

/** Parts of a body that is loaded. */
class Parts extends Iterator {
  private readonly parts: Generator<Buffer, void, void>;

  constructor(bytes: Bytes) {
    super();
    this.parts = partsOf(bytes);
  }

  next(): Value | undefined {
    const { done, value } = this.parts.next();
    return done === true ? undefined : new Bytes(value);
  }
}

/** `each_chunk` without a block. With one, the compiler calls an iterator of the prelude. */
function eachChunk(_vm: NativeContext, response: HttpResponse): Sequence {
  const { bytes } = response;
  if (bytes !== null) return new Sequence(SEQUENCE, () => new Parts(bytes));
  const chunks: Sequence = new Sequence(SEQUENCE, () => (chunks.running = new ChunkIterator(response)));
  return chunks;
}

/** Cookies that the response sets, with decoded values. */
function cookiesOf({ head }: HttpResponse): Hash {
  const cookies = new Hash();
  for (const field of head.cookies) {
    const [pair] = field.split(';', 1);
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const value = pair.slice(at + 1).trim();
    if (name !== '') cookies.set(name, decodePercent(value) ?? value);
  }
  return cookies;
}

const json = (vm: NativeContext, response: HttpResponse): Value | undefined =>
  overBody(vm, 'json', response, () => jsonSteps(response));
const body = (vm: NativeContext, response: HttpResponse): Value | undefined =>
  overBody(vm, 'body', response, () => response.body());

/** Methods of HttpResponse. */
// prettier-ignore
export const httpResponseMethods = methodsOf('HttpResponse', [
  ['status', '', 'Integer', 'The status code.', (_: unknown, response: HttpResponse) => response.status],
  ['body text', '', 'String', 'The body as text; ValueError when the bytes are not valid in its charset.', body],
  ['bytes', '', 'Bytes', 'The body as Bytes.', (vm: NativeContext, response: HttpResponse) => overBody(vm, 'bytes', response, () => bytesSteps(response))],
  ['headers', '', 'Hash', 'Header fields; names are case-insensitive.', (_: unknown, response: HttpResponse) => response.headers],
  ['ok ok?', '', 'Boolean', 'Whether the status is from 200 to 299.', (_: unknown, response: HttpResponse) => response.ok],
  ['json', '', 'Any', 'The body as JSON; ValueError with line and column when it is not valid.', json],
  ['url', '', 'String', 'The address that answered, after all redirects.', (_: unknown, response: HttpResponse) => response.url],
  ['cookies', '', 'Hash', 'The cookies that the response sets.', (_: unknown, response: HttpResponse) => cookiesOf(response)],
  ['html', '', 'HtmlElement', 'The body as a page, for `css` and `at`.', (vm: NativeContext, response: HttpResponse) => overBody(vm, 'html', response, () => response.document(), loadParser)],
  ['each_chunk', '', 'Sequence', 'Without a block: a sequence of the pieces. A `timeout` that ends the wait for one closes the connection: reading on is a RuntimeError then.', eachChunk],
  ['close', '', 'Nil', 'Closes the connection of a response that was asked for with `stream: true`, unless its body has been read.', (_: unknown, response: HttpResponse) => response.close()],
  ['error', '', 'Error?', 'For a client of `app.client`: the error that the handler raised; nil if there was none.', (_: unknown, response: HttpResponse) => response.head.failure],
]);
for (const fn of httpResponseMethods) RESPONSE.methods.set(fn.name, fn);
