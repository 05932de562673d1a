/** The body of a response while it arrives. */
import { type Bytes, checkBytes, joinSteps } from '../../../vm/values/bytes.js';
import { Errors, fail, SvcError } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Chunks } from './decoding.js';
import type { RequestFailure } from './failures.js';

/** Limit of a body, and its errors. */
export interface BodyRules {
  readonly maxBytes: number;
  tooLarge(): SvcError;
  failed(error: unknown): RequestFailure;
}

/** What reading a body says whose connection was closed, by the program or by a `timeout` in a wait for it. */
export const CLOSED = 'this response was closed before its body was read';

/** Closes the connections of bodies that the program has dropped. */
const dropped = new FinalizationRegistry<AbortController>((controller) => controller.abort());

/** A body that is read piece by piece. */
export class OpenBody {
  private total = 0;
  private isReading = false;
  /** Whether all of it has been read, or its connection closed. */
  isOver = false;
  /** Whether its connection was closed before all of it was read. */
  isCut = false;

  /** @param controller closes the connection */
  constructor(
    private readonly chunks: Chunks,
    private readonly controller: AbortController,
    private readonly rules: BodyRules,
  ) {
    dropped.register(this, controller, this);
  }

  /**
   * The next piece, of at least a byte; null at the end. Counts decompressed bytes: a small response may expand to a
   * large one.
   * @throws RequestFailure, SvcError
   */
  next(): Promise<Uint8Array | null> {
    return this.reading(() => this.piece());
  }

  /** The rest of the body. Aborting `signal` drops the work. @throws RequestFailure, SvcError */
  async rest(vm: NativeContext, signal: AbortSignal): Promise<Bytes> {
    const pieces: Uint8Array[] = [];
    await this.reading(async () => {
      let total = 0;
      for (let piece = await this.piece(); piece !== null; piece = await this.piece()) {
        checkBytes(total + piece.length, total);
        total += piece.length;
        pieces.push(piece);
      }
    });
    return (await vm.laterInPieces(joinSteps(pieces), signal)) as Bytes;
  }

  /** Reads for one thread at a time. */
  private async reading<T>(read: () => Promise<T>): Promise<T> {
    if (this.isReading) fail(Errors.RuntimeError, 'another thread is reading the body of this response');
    this.isReading = true;
    try {
      return await read();
    } catch (error) {
      // Another thread has closed it.
      if (this.isCut) fail(Errors.RuntimeError, CLOSED);
      this.close();
      throw error instanceof SvcError ? error : this.rules.failed(error);
    } finally {
      this.isReading = false;
    }
  }

  private async piece(): Promise<Uint8Array | null> {
    if (this.isCut) fail(Errors.RuntimeError, CLOSED);
    if (this.isOver) return null;
    for (;;) {
      const { done, value } = await this.chunks.next();
      if (done === true) {
        this.over();
        return null;
      }
      this.total += value.length;
      if (this.total > this.rules.maxBytes) throw this.rules.tooLarge();
      if (value.length > 0) return value;
    }
  }

  /** Closes the connection, unless the body has been read. */
  close(): void {
    if (this.isOver) return;
    this.isCut = true;
    this.over();
    this.controller.abort();
    // Releases the decoders. A pending read ends with an error first.
    void this.chunks.return().catch(() => {});
  }

  private over(): void {
    this.isOver = true;
    dropped.unregister(this);
  }
}
