/** How requests reach a server: over connections of the network, or inside of the process. */
import type { Readable } from 'node:stream';
import type { EndedBy } from '../../../vm/fibers/fiber.js';
import type { ErrorValue } from '../../../vm/values/error.js';

/** A request on its way. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  /** Names and values in turn. */
  readonly fields: string[];
  /** Parts of the body; null if there is none. */
  readonly body: readonly Uint8Array[] | null;
}

/** A response whose body is still to be read. */
export interface Incoming {
  readonly status: number;
  /** Names and values in turn, as sent. */
  readonly fields: readonly string[];
  readonly body: Readable;
  /** The error that the server's handler raised, if the server is part of this program. */
  readonly failure: ErrorValue | null;
}

export interface Route {
  /** Who ends waits for this route. */
  readonly endedBy: EndedBy;
  /** Sends a request; aborting `signal` closes its connection, also while the body is read. */
  send(request: Outgoing, signal: AbortSignal): Promise<Incoming>;
}

/** A route whose code is loaded with its first request. */
export class LazyRoute implements Route {
  private loaded: Promise<Pick<Route, 'send'>> | null = null;

  constructor(
    readonly endedBy: EndedBy,
    private readonly load: () => Promise<Pick<Route, 'send'>>,
  ) {}

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    this.loaded ??= this.load();
    // Loading fails if no file descriptor is free, and may succeed later.
    this.loaded.catch(() => (this.loaded = null));
    return (await this.loaded).send(outgoing, signal);
  }
}
