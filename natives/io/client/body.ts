/** The body of a response while it arrives. */
import { type Bytes, checkBytes, joinSteps } from '../../../vm/values/bytes.js';
import { SvcError } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Chunks } from './decoding.js';
import type { RequestFailure } from './failures.js';

/** Limit of a body, and its errors. */
export interface BodyRules {
  readonly maxBytes: number;
  tooLarge(): SvcError;
  failed(error: unknown): RequestFailure;
}

/** Closes the connections of bodies that the program has dropped. */
const dropped = new FinalizationRegistry<AbortController>((controller) => controller.abort());

/** A body that is read piece by piece. */
export class OpenBody {
  private total = 0;
  private isReading = false;
  /** Whether all of it has been read, or its connection closed. */
  isOver = false;

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
  async next(): Promise<Uint8Array | null> {
    const { rules } = this;
    if (this.isOver || this.isReading) return null;
    this.isReading = true;
    try {
      for (;;) {
        const { done, value } = await this.chunks.next();
        if (done === true) {
          this.over();
          return null;
        }
        this.total += value.length;
        if (this.total > rules.maxBytes) throw rules.tooLarge();
        if (value.length > 0) return value;
      }
    } catch (error) {
      this.close();
      throw error instanceof SvcError ? error : rules.failed(error);
    } finally {
      this.isReading = false;
    }
  }

  /** The rest of the body. Aborting `signal` drops the work. */
  async rest(vm: NativeContext, signal: AbortSignal): Promise<Bytes> {
    const pieces: Uint8Array[] = [];
    let total = 0;
    for (let piece = await this.next(); piece !== null; piece = await this.next()) {
      checkBytes(total + piece.length, total);
      total += piece.length;
      pieces.push(piece);
    }
    return (await vm.laterInPieces(joinSteps(pieces), signal)) as Bytes;
  }

  /** Closes the connection, unless the body has been read. */
  close(): void {
    if (this.isOver) return;
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
