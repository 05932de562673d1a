import { Bytes } from '../../../vm/values/bytes.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { bufferOf } from '../../core/bytes/texts.js';
import { Close, type Socket } from './socket.js';

export const ROOM = new HandleType('SvcRoom');
export const ROOMS = new HandleType('SvcRooms');

/** Counters of WebSocket events, for the metrics. */
export interface SocketCounts {
  opened: number;
  sent: number;
  /** Connections closed because they read broadcasts too slowly. */
  slow: number;
}

/**
 * Sends a message to many connections without waiting for any. A connection whose queue is full is closed with 1013: it
 * would otherwise miss messages unknowingly, and a client that reconnects can ask for what it missed. Returns how many
 * connections were reached.
 */
export function sendToAll(
  sockets: Iterable<Socket>,
  message: string | Bytes,
  except: Socket | null,
  counts: SocketCounts,
): number {
  const isBinary = message instanceof Bytes;
  const bytes = isBinary ? bufferOf(message) : Buffer.from(message);
  let reached = 0;
  for (const socket of [...sockets]) {
    if (socket === except) continue;
    if (socket.isSlow) {
      if (!socket.isOpen) continue;
      counts.slow++;
      socket.close(Close.tryLater, 'too slow');
    } else if (socket.post(bytes, isBinary)) reached++;
  }
  counts.sent += reached;
  return reached;
}

/** The connections that have joined a name. A room exists while it has members. */
export class Room extends Handle {
  constructor(
    readonly name: string,
    private readonly rooms: Rooms,
  ) {
    super();
  }

  get type(): HandleType {
    return ROOM;
  }

  override describe(): string {
    return `<SvcRoom ${this.name} ${this.size}>`;
  }

  get size(): number {
    return this.rooms.members(this.name).size;
  }

  send(message: string | Bytes, except: Socket | null): number {
    return sendToAll(this.rooms.members(this.name), message, except, this.rooms.counts);
  }
}

/** The rooms that a connection may join: those of the application that accepted it. */
const homes = new WeakMap<Socket, Rooms>();

/** The rooms of a socket's application; undefined for a client's socket. */
export function roomsOf(socket: Socket): Rooms | undefined {
  return homes.get(socket);
}

const NOBODY: ReadonlySet<Socket> = new Set();

/** All rooms of an application. */
export class Rooms extends Handle {
  private readonly byName = new Map<string, Set<Socket>>();
  private readonly bySocket = new Map<Socket, Set<string>>();

  constructor(readonly counts: SocketCounts) {
    super();
  }

  get type(): HandleType {
    return ROOMS;
  }

  adopt(socket: Socket): void {
    homes.set(socket, this);
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  members(name: string): ReadonlySet<Socket> {
    return this.byName.get(name) ?? NOBODY;
  }

  of(socket: Socket): string[] {
    return [...(this.bySocket.get(socket) ?? [])];
  }

  /** Adds a connection; it is removed automatically when it closes. */
  join(name: string, socket: Socket): void {
    if (!socket.isOpen) return;
    let members = this.byName.get(name);
    if (members === undefined) this.byName.set(name, (members = new Set()));
    members.add(socket);
    let names = this.bySocket.get(socket);
    if (names === undefined) {
      this.bySocket.set(socket, (names = new Set()));
      socket.whenClosed.push(() => {
        for (const joined of this.of(socket)) this.leave(joined, socket);
      });
    }
    names.add(name);
  }

  leave(name: string, socket: Socket): void {
    const members = this.byName.get(name);
    members?.delete(socket);
    if (members?.size === 0) this.byName.delete(name);
    const names = this.bySocket.get(socket);
    names?.delete(name);
    if (names?.size === 0 && !socket.isOpen) this.bySocket.delete(socket);
  }
}
