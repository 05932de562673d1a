import type * as Library from 'ws';
import type { WebSocket } from 'ws';

/** What happens on a connection, told to the socket of the program that it belongs to. */
export interface Owner {
  received(data: Buffer, isBinary: boolean): void;
  pinged(data: Buffer): void;
  /** The connection is broken: `ws` reads no more, and its end, whose code shows the problem, follows. */
  ignoreRest(): void;
  ended(code: number, reason: Buffer): void;
}

/** A connection of `ws`. */
export interface Connection extends WebSocket {
  /** Gets all events once it is set. */
  owner?: Owner;
  /** node's table of listeners, which it makes again for the next one. */
  _events?: object;
}

/** Makes an object the owner of a connection. */
export function give(ws: Connection, owner: Owner): void {
  ws.owner = owner;
  if (ws.eventNames().length === 0) ws._events = undefined;
}

let made: typeof WebSocket | null = null;

/**
 * The class of connections, made when `ws` is loaded. With listeners for four events, each idle connection would keep a
 * table of 256 bytes; an empty table takes 184.
 */
export function connectionClass(ws: typeof Library): typeof WebSocket {
  return (made ??= class extends ws.WebSocket {
    owner?: Owner;

    override emit(event: string, data?: unknown, detail?: unknown): boolean {
      const { owner } = this;
      if (owner === undefined) return super.emit(event, data, detail);
      if (event === 'message') owner.received(data as Buffer, detail as boolean);
      else if (event === 'ping') owner.pinged(data as Buffer);
      else if (event === 'error') owner.ignoreRest();
      else if (event === 'close') owner.ended(data as number, detail as Buffer);
      return true;
    }
  });
}
