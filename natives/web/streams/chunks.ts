import { type Caller, PullIterator, type Requests } from '../../../vm/calls/caller.js';
import { methods } from '../../../vm/calls/native.js';
import { Sequence, SEQUENCE } from '../../../vm/calls/sequence.js';
import { Acquisition } from '../../../vm/fibers/fiber.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Errors, errorOf, fail, Signal, type SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { END, type Iterator } from '../../../vm/values/iterator.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { BodyStream, Breakdown } from '../connection/bodystream.js';
import { TOO_LARGE } from '../connection/refusal.js';
import { REQUEST, type Request } from '../request/request.js';
import { refusalTo } from '../response/refusals.js';

/** Bytes of a part of a body that is already in memory. */
const PART = 64 * 1024;

function halted(request: Request, status: number, text: string): Signal {
  return new Signal('halt', refusalTo(request, status, text));
}

/** The error of a wait for a body that breaks off. */
function brokenOff(request: Request, why: Breakdown): SvcError | Signal {
  return why === 'idle'
    ? halted(request, 408, 'Request Timeout')
    : errorOf(Errors.ConnectionError, 'the client has disconnected before the end of its body');
}

/** Parts of a body as they arrive. */
class ArrivingChunks extends PullIterator {
  constructor(
    private readonly request: Request,
    private readonly stream: BodyStream,
    private readonly max: number,
  ) {
    super();
  }

  override next(): Value {
    const part = this.stream.isAwaited ? null : this.stream.take();
    return part === null ? super.next() : this.checked(part);
  }

  pull(vm: Caller): Value | undefined {
    const { stream } = this;
    if (stream.isAwaited) fail(Errors.RuntimeError, 'each_chunk: another thread is reading this body');
    if (stream.announced > this.max) throw halted(this.request, TOO_LARGE.status, TOO_LARGE.text);
    if (stream.isRead) return END;
    return (vm as NativeContext).wait('body', (resume, failed) => {
      let taken: Buffer | null = null;
      const stop = stream.next((part) => {
        if (part === null) resume(END);
        else if (typeof part === 'string') failed(brokenOff(this.request, part));
        else if (stream.size > this.max) failed(halted(this.request, TOO_LARGE.status, TOO_LARGE.text));
        else resume(Bytes.of((taken = part)));
      });
      return new Acquisition(stop, () => {
        if (taken !== null) stream.giveBack(taken);
      });
    });
  }

  private checked(part: Buffer): Bytes {
    if (this.stream.size > this.max) throw halted(this.request, TOO_LARGE.status, TOO_LARGE.text);
    return Bytes.of(part);
  }
}

/** Parts of a body in memory. */
class MemoryChunks extends PullIterator {
  private at = 0;

  constructor(private readonly body: Buffer) {
    super();
  }

  pull(): Value {
    if (this.at >= this.body.length) return END;
    const part = this.body.subarray(this.at, this.at + PART);
    this.at += part.length;
    return Bytes.of(part);
  }
}

function* passing(request: Request, chunks: Iterator, block: Value): Requests {
  for (;;) {
    const chunk = yield chunks;
    if (chunk === END) return request;
    yield { fn: block, args: [chunk] };
  }
}

/** Native `req.each_chunk`. */
function eachChunk(vm: NativeContext, request: Request, max: Value, block: Value): Value | undefined {
  const limit = max === null ? Infinity : Number(max);
  if (!(limit > 0)) fail(Errors.ArgumentError, `each_chunk: max must be an Integer above 0, got ${limit}`);
  const { stream } = request;
  if (stream === null && request.parts.body.length > limit) throw halted(request, TOO_LARGE.status, TOO_LARGE.text);
  const begin = (): Iterator =>
    stream === null ? new MemoryChunks(request.parts.body) : new ArrivingChunks(request, stream, limit);
  return block === null ? new Sequence(SEQUENCE, begin) : vm.answering(passing(request, begin(), block));
}

/** The method of SvcRequest for bodies that are read while they arrive. */
// prettier-ignore
export const chunkNatives: NativeFunction[] = methods('SvcRequest', [
  ['each_chunk', 'max: Integer? = nil, &block: Function? = nil', 'Any', 'Calls the block with the body in parts as Bytes; with `stream_body: true` of the route as they arrive. More than `max` bytes end the request with 413. Without a block: a sequence of the parts.', eachChunk],
]);
for (const fn of chunkNatives) REQUEST.methods.set(fn.name, fn);
