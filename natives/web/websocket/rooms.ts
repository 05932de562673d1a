import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Close, type Socket } from './socket.js';

export const ROOM = new HandleType('SvcRoom');
export const ROOMS = new HandleType('SvcRooms');

/** Counts of what happened to WebSockets, for metrics. */
export interface SocketCounts {
  opened: number;
  sent: number;
  /** Connections that were closed because they took broadcasts too slowly. */
  slow: number;
}

/**
 * Sends a text to many connections without waiting for any. One whose queue is full is closed with 1013: it would miss messages without
 * knowing, and a client that connects again can ask for what it missed. Gives the number of connections that got it.
 */
export function sendToAll(
  sockets: Iterable<Socket>,
  text: string,
  except: Socket | null,
  counts: SocketCounts,
): number {
  const bytes = Buffer.from(text);
  let reached = 0;
  for (const socket of [...sockets]) {
    if (socket === except) continue;
    if (socket.isSlow) {
      if (!socket.isOpen) continue;
      counts.slow++;
      socket.close(Close.tryLater, 'too slow');
    } else if (socket.post(bytes)) reached++;
  }
  counts.sent += reached;
  return reached;
}

/** Connections under a name. Rooms come and go with their members. */
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

  send(text: string, except: Socket | null): number {
    return sendToAll(this.rooms.members(this.name), text, except, this.rooms.counts);
  }
}

/** The rooms that a connection may join: those of the application that has accepted it. */
const homes = new WeakMap<Socket, Rooms>();

/** The rooms of a socket's application; undefined for the socket of a client. */
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

  /** Adds a connection, which leaves by itself when it ends. */
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
