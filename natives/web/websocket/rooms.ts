import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Bytes } from '../../../vm/values/bytes.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Value } from '../../../vm/values/value.js';
import type { Mailer, Sent, SignalOf } from './sending.js';
import type { ClosedListener, Socket } from './socket.js';

export const ROOM = new HandleType('SvcRoom');
export const ROOMS = new HandleType('SvcRooms');

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
    return this.rooms.members(this.name).size + (this.rooms.elsewhere?.size(this.name) ?? 0);
  }

  /** What the members of all processes have given about themselves, as JSON texts. */
  *infos(): Generator<string, void, void> {
    yield* this.rooms.infosOf(this.name).values();
    yield* this.rooms.elsewhere?.infos(this.name) ?? [];
  }

  /** Sends a message to the members in all processes. */
  send(vm: NativeContext, message: string | Bytes, except: Socket | null, signal: SignalOf): Sent {
    this.rooms.elsewhere?.send(this.name, message);
    return this.rooms.sendHere(vm, this.name, message, except, signal);
  }
}

/** The rooms of the same application in other processes. */
export interface Elsewhere {
  send(room: string, message: string | Bytes): void;
  broadcast(path: string, message: string | Bytes): void;
  /** A room has its first member here. Returns a promise for the time when messages of others arrive; null: at once. */
  opened(room: string): Promise<void> | null;
  /** A room has no member here. */
  closed(room: string): void;
  /** The number of members here has changed. */
  changed(room: string): void;
  /** What the member with this number has given about itself has changed. */
  infoChanged(room: string, id: number): void;
  /** Number of members in other processes. */
  size(room: string): number;
  /** Names of rooms in other processes; one may come several times. */
  names(): Iterable<string>;
  /** What members in other processes have given about themselves, as JSON texts. */
  infos(room: string): Iterable<string>;
}

/** The rooms that a connection may join: those of the application that accepted it. */
const homes = new WeakMap<Socket, Rooms>();

/** The rooms of a socket's application; undefined for a client's socket. */
export function roomsOf(socket: Socket): Rooms | undefined {
  return homes.get(socket);
}

const NOBODY: ReadonlySet<Socket> = new Set();
const NO_INFOS: ReadonlyMap<number, string> = new Map();

/** All rooms of an application. */
export class Rooms extends Handle implements ClosedListener {
  private readonly byName = new Map<string, Set<Socket>>();
  private readonly bySocket = new Map<Socket, Set<string>>();
  /** What members have given about themselves: for each room JSON texts by numbers of the members. */
  private readonly infos = new Map<string, Map<number, string>>();
  /** Numbers of the connections that have given something about themselves. */
  private readonly ids = new WeakMap<Socket, number>();
  private nextId = 1;
  /** The rooms in other processes; null if there are none. */
  elsewhere: Elsewhere | null = null;
  /** Functions of the program for times in which messages may have been lost. */
  readonly onGap: Value[] = [];

  constructor(readonly mailer: Mailer) {
    super();
  }

  get type(): HandleType {
    return ROOMS;
  }

  adopt(socket: Socket): void {
    homes.set(socket, this);
  }

  get names(): string[] {
    if (this.elsewhere === null) return [...this.byName.keys()];
    return [...new Set([...this.byName.keys(), ...this.elsewhere.names()])];
  }

  /** Names of the rooms that have members in this process. */
  ownNames(): Iterable<string> {
    return this.byName.keys();
  }

  /** What members in this process have given about themselves. */
  infosOf(name: string): ReadonlyMap<number, string> {
    return this.infos.get(name) ?? NO_INFOS;
  }

  members(name: string): ReadonlySet<Socket> {
    return this.byName.get(name) ?? NOBODY;
  }

  /** Sends a message to the members in this process. */
  sendHere(vm: NativeContext, name: string, message: string | Bytes, except: Socket | null, signal: SignalOf): Sent {
    const members = (): Iterable<Socket> => this.members(name);
    return this.mailer.send(vm, { group: `room ${name}`, members, message, except }, signal);
  }

  of(socket: Socket): string[] {
    return [...(this.bySocket.get(socket) ?? [])];
  }

  /**
   * Adds a connection; it is removed automatically when it closes. Returns a promise for the time when messages of other
   * processes reach it; null: they do at once.
   * @param info what it gives about itself as a JSON text; null: nothing
   */
  join(name: string, socket: Socket, info: string | null = null): Promise<void> | null {
    if (!socket.isOpen) return null;
    let members = this.byName.get(name);
    const isFirst = members === undefined;
    if (members === undefined) this.byName.set(name, (members = new Set()));
    if (!members.has(socket)) {
      members.add(socket);
      this.elsewhere?.changed(name);
    }
    let names = this.bySocket.get(socket);
    if (names === undefined) {
      this.bySocket.set(socket, (names = new Set()));
      socket.onClosed(this);
    }
    names.add(name);
    this.setInfo(name, socket, info);
    return isFirst ? (this.elsewhere?.opened(name) ?? null) : null;
  }

  /** A member's connection has ended: it leaves its rooms. */
  closed(socket: Socket): void {
    for (const joined of this.of(socket)) this.leave(joined, socket);
  }

  leave(name: string, socket: Socket): void {
    const members = this.byName.get(name);
    if (members?.delete(socket) === true) this.elsewhere?.changed(name);
    this.setInfo(name, socket, null);
    if (members?.size === 0) {
      this.byName.delete(name);
      this.elsewhere?.closed(name);
    }
    const names = this.bySocket.get(socket);
    names?.delete(name);
    if (names?.size === 0 && !socket.isOpen) this.bySocket.delete(socket);
  }

  private setInfo(name: string, socket: Socket, info: string | null): void {
    let id = this.ids.get(socket);
    if (info === null) {
      const infos = this.infos.get(name);
      if (id === undefined || infos?.delete(id) !== true) return;
      if (infos.size === 0) this.infos.delete(name);
    } else {
      if (id === undefined) this.ids.set(socket, (id = this.nextId++));
      let infos = this.infos.get(name);
      if (infos === undefined) this.infos.set(name, (infos = new Map()));
      if (infos.get(id) === info) return;
      infos.set(id, info);
    }
    this.elsewhere?.infoChanged(name, id);
  }
}
