import type { Bus } from './bus.js';

/** Milliseconds between two heartbeats, and without a message after which a process is considered dead. */
const BEAT_MS = 2000;
const SILENT_MS = 7000;
/** Milliseconds for which changes are collected before they are sent. */
const GATHER_MS = 10;
/** Maximum entries of one message. */
const ENTRIES = 500;

/** The members of rooms in this process. */
export interface PresenceSource {
  /** Names of all rooms with members. */
  rooms(): Iterable<string>;
  count(room: string): number;
  /** The infos of members (the second argument of `join`) as JSON texts, by numbers of the members. */
  infos(room: string): Iterable<readonly [id: number, info: string]>;
  info(room: string, id: number): string | undefined;
}

/** The number of members of a room; the info of a member, null if it has left. */
type CountEntry = readonly [room: string, count: number];
type InfoEntry = readonly [room: string, id: number, info: string | null];

type Message =
  /** Changes and their number in sequence. Counts are absolute. */
  | readonly ['changes', number: number, counts: readonly CountEntry[], infos: readonly InfoEntry[]]
  /** A part of the whole state of a process, and the number of the last changes that it includes. */
  | readonly [
      'all',
      number: number,
      first: boolean,
      last: boolean,
      counts: readonly CountEntry[],
      infos: readonly InfoEntry[],
    ]
  /** A heartbeat, with the number of the last changes. */
  | readonly ['beat', number: number]
  /** Asks a process for its whole state; null: every process. */
  | readonly ['ask', origin: string | null]
  | readonly ['bye'];

/** A room in another process. */
interface RemoteRoom {
  count: number;
  /** null: no member has an info. */
  infos: Map<number, string> | null;
}

type RemoteRooms = Map<string, RemoteRoom>;

/** Another process. */
interface Peer {
  rooms: RemoteRooms;
  /** The whole state that is being received and will replace `rooms`. */
  fresh: RemoteRooms | null;
  /** Number of the last changes; null: some were missed, so the whole state is needed. */
  number: number | null;
  heardAt: number;
  /** Heartbeats since the first part of `fresh`. */
  beats: number;
}

/**
 * The members of rooms in all processes. Each process sends its changes to the others. A process that has missed some
 * asks for the whole state. A process without a message for SILENT_MS is removed.
 */
export class Presence {
  private readonly peers = new Map<string, Peer>();
  private readonly dirtyRooms = new Set<string>();
  private dirtyInfos: (readonly [room: string, id: number])[] = [];
  private number = 0;
  private isGathering = false;
  private isSendingAll = false;
  private mustSendAll = false;

  /** @param now returns the time in milliseconds */
  constructor(
    private readonly bus: Bus,
    private readonly topic: string,
    private readonly source: PresenceSource,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Subscribes to the changes of other processes. Resolves when the subscription is in force. */
  async start(): Promise<void> {
    const { ready } = this.bus.listen(this.topic, (payload, origin) => {
      if (origin !== '') this.received(JSON.parse(payload) as Message, origin);
    });
    this.bus.onRestore(() => this.exchange());
    this.bus.onEnd((origin) => this.peers.delete(origin));
    if (!this.bus.knowsEnds) setInterval(() => this.beat(), BEAT_MS).unref();
    await ready;
    this.exchange();
  }

  /** Called when the number of members of a room has changed. */
  changed(room: string): void {
    this.dirtyRooms.add(room);
    this.gather();
  }

  /** Called when the info of a member has changed. */
  infoChanged(room: string, id: number): void {
    this.dirtyInfos.push([room, id]);
    this.gather();
  }

  /** Called when this process ends. */
  leave(): void {
    this.send(['bye']);
  }

  /** Number of members in other processes. */
  count(room: string): number {
    let count = 0;
    for (const { rooms } of this.peers.values()) count += rooms.get(room)?.count ?? 0;
    return count;
  }

  /** Yields the names of the rooms of other processes, possibly more than once. */
  *rooms(): Generator<string, void, void> {
    for (const { rooms } of this.peers.values()) yield* rooms.keys();
  }

  /** Yields the infos of members in other processes, as JSON texts. */
  *infos(room: string): Generator<string, void, void> {
    for (const { rooms } of this.peers.values()) yield* rooms.get(room)?.infos?.values() ?? [];
  }

  private send(message: Message): void {
    this.bus.publish(this.topic, JSON.stringify(message));
  }

  /** Asks all processes for their whole state, and sends that of this process. */
  private exchange(): void {
    this.send(['ask', null]);
    this.sendAll();
  }

  private beat(): void {
    this.send(['beat', this.number]);
    const limit = this.now() - SILENT_MS;
    for (const [origin, { heardAt }] of this.peers) if (heardAt < limit) this.peers.delete(origin);
  }

  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    setTimeout(() => {
      this.isGathering = false;
      this.sendChanges();
    }, GATHER_MS).unref();
  }

  private sendChanges(): void {
    const counts = [...this.dirtyRooms].map((room): CountEntry => [room, this.source.count(room)]);
    const infos = this.dirtyInfos.map(([room, id]): InfoEntry => [room, id, this.source.info(room, id) ?? null]);
    this.dirtyRooms.clear();
    this.dirtyInfos = [];
    for (let at = 0; at < Math.max(counts.length, infos.length); at += ENTRIES)
      this.send(['changes', ++this.number, counts.slice(at, at + ENTRIES), infos.slice(at, at + ENTRIES)]);
  }

  /** Sends the whole state of this process, a part in each turn of the event loop. */
  private sendAll(): void {
    this.mustSendAll = this.isSendingAll;
    if (this.isSendingAll) return;
    this.isSendingAll = true;
    const parts = this.parts();
    let part = parts.next();
    let first = true;
    const sendPart = (): void => {
      const { counts, infos } = part.value ?? { counts: [], infos: [] };
      part = parts.next();
      const last = part.done === true;
      this.send(['all', this.number, first, last, counts, infos]);
      first = false;
      if (!last) {
        setImmediate(sendPart);
        return;
      }
      this.isSendingAll = false;
      if (this.mustSendAll) this.sendAll();
    };
    sendPart();
  }

  private *parts(): Generator<{ counts: CountEntry[]; infos: InfoEntry[] }, undefined, void> {
    let counts: CountEntry[] = [];
    let infos: InfoEntry[] = [];
    for (const room of this.source.rooms()) {
      counts.push([room, this.source.count(room)]);
      for (const [id, info] of this.source.infos(room)) {
        infos.push([room, id, info]);
        if (infos.length < ENTRIES) continue;
        yield { counts, infos };
        counts = [];
        infos = [];
      }
      if (counts.length < ENTRIES) continue;
      yield { counts, infos };
      counts = [];
      infos = [];
    }
    if (counts.length > 0 || infos.length > 0) yield { counts, infos };
    return undefined;
  }

  private received(message: Message, origin: string): void {
    if (message[0] === 'bye') {
      this.peers.delete(origin);
      return;
    }
    let peer = this.peers.get(origin);
    if (peer === undefined)
      this.peers.set(origin, (peer = { rooms: new Map(), fresh: null, number: null, heardAt: 0, beats: 0 }));
    peer.heardAt = this.now();
    if (message[0] === 'ask') {
      if (message[1] === null || message[1] === this.bus.origin) this.sendAll();
    } else if (message[0] === 'all') takeAll(peer, message);
    else if (message[0] === 'changes') this.takeChanges(peer, origin, message);
    else this.takeBeat(peer, origin, message[1]);
  }

  private takeBeat(peer: Peer, origin: string, number: number): void {
    // The state should have arrived between two heartbeats: a part was missed.
    if (peer.fresh !== null && ++peer.beats > 1) peer.fresh = null;
    if (peer.fresh === null && number !== peer.number) this.send(['ask', origin]);
  }

  private takeChanges(peer: Peer, origin: string, message: Extract<Message, readonly ['changes', ...unknown[]]>): void {
    const [, number, counts, infos] = message;
    apply(peer.rooms, counts, infos);
    if (peer.fresh !== null) apply(peer.fresh, counts, infos);
    else if (peer.number !== null && number === peer.number + 1) peer.number = number;
    else {
      peer.number = null;
      this.send(['ask', origin]);
    }
  }
}

function takeAll(peer: Peer, message: Extract<Message, readonly ['all', ...unknown[]]>): void {
  const [, number, first, last, counts, infos] = message;
  if (first) {
    peer.fresh = new Map();
    peer.beats = 0;
  }
  // The first part was missed. The next heartbeat shows that, and the state is asked for again.
  if (peer.fresh === null) return;
  apply(peer.fresh, counts, infos);
  if (!last) return;
  peer.rooms = peer.fresh;
  peer.fresh = null;
  peer.number = number;
}

function apply(rooms: RemoteRooms, counts: readonly CountEntry[], infos: readonly InfoEntry[]): void {
  for (const [room, count] of counts) {
    const known = rooms.get(room);
    if (count === 0) rooms.delete(room);
    else if (known === undefined) rooms.set(room, { count, infos: null });
    else known.count = count;
  }
  for (const [name, id, info] of infos) {
    const room = rooms.get(name);
    if (info === null) room?.infos?.delete(id);
    else if (room !== undefined) (room.infos ??= new Map()).set(id, info);
  }
}
