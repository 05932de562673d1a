import { Bytes } from '../../../vm/values/bytes.js';
import { controllerFor } from '../../../vm/fibers/operations.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { SvcError } from '../../../vm/values/error.js';
import type { Bus, Listening } from '../../bus/bus.js';
import { callAfterGaps } from '../../bus/gaps.js';
import { bytesPayload, checkLength, wireTopic } from '../../bus/messages.js';
import { busOf } from '../../bus/opening.js';
import { Presence } from '../../bus/presence.js';
import { within } from '../../within.js';
import type { SocketHub } from './hub.js';
import type { Elsewhere } from './rooms.js';
import type { Sent } from './sending.js';

/** Maximum milliseconds that an application waits for its engine before it listens. */
const START_MS = 5000;

/** Connects the rooms and broadcasts of an application with those of other processes over a bus. */
class Link implements Elsewhere {
  private readonly rooms = new Map<string, Listening>();
  private readonly presence: Presence;

  /** @param id identifies the application among those of the program */
  constructor(
    private readonly vm: NativeContext,
    private readonly bus: Bus,
    private readonly hub: SocketHub,
    private readonly id: number,
  ) {
    const { rooms } = hub;
    this.presence = new Presence(bus, `presence${id}`, {
      rooms: () => rooms.ownNames(),
      count: (room) => rooms.members(room).size,
      infos: (room) => rooms.infosOf(room),
      info: (room, member) => rooms.infosOf(room).get(member),
    });
  }

  /** Resolves when broadcasts and presence of other processes arrive. */
  async start(): Promise<void> {
    const { ready } = this.bus.listen(`broadcast${this.id}`, (payload) => {
      const end = payload.indexOf('\n');
      const path = JSON.parse(payload.slice(0, end)) as string;
      this.sent(
        this.hub.broadcastHere(this.vm, path, messageOf(payload.slice(end + 1)), () => controllerFor(this).signal),
      );
    });
    await Promise.all([ready, this.presence.start()]);
  }

  /** Reports to other processes that this one ends. */
  leave(): void {
    this.presence.leave();
  }

  send(room: string, message: string | Bytes): void {
    const payload = payloadOf(message);
    checkLength('SvcRoom.send()', payload.length);
    this.bus.publish(this.topic(room), payload);
  }

  broadcast(path: string, message: string | Bytes): void {
    const payload = payloadOf(message);
    checkLength('SvcApp.broadcast()', payload.length);
    this.bus.publish(`broadcast${this.id}`, `${JSON.stringify(path)}\n${payload}`);
  }

  opened(room: string): Promise<void> | null {
    const { rooms } = this.hub;
    const listening = this.bus.listen(this.topic(room), (payload) => {
      this.sent(rooms.sendHere(this.vm, room, messageOf(payload), null, () => controllerFor(this).signal));
    });
    this.rooms.set(room, listening);
    return this.bus.isConnected ? listening.ready : null;
  }

  closed(room: string): void {
    this.rooms.get(room)?.stop();
    this.rooms.delete(room);
  }

  changed(room: string): void {
    this.presence.changed(room);
  }

  infoChanged(room: string, id: number): void {
    this.presence.infoChanged(room, id);
  }

  size(room: string): number {
    return this.presence.count(room);
  }

  names(): Iterable<string> {
    return this.presence.rooms();
  }

  infos(room: string): Iterable<string> {
    return this.presence.infos(room);
  }

  private sent(reached: Sent): void {
    if (typeof reached !== 'number') reached.catch((error: SvcError) => this.vm.report(null, error));
  }

  private topic(room: string): string {
    return wireTopic(`room${this.id}:`, room);
  }
}

/** Characters that engines cannot carry: NUL and surrogates. */
const NOT_CARRIED = /[\0\ud800-\udfff]/;

/** Makes the payload of a message. The first character is its encoding: `t` text, `j` JSON, otherwise Bytes. */
function payloadOf(message: string | Bytes): string {
  if (message instanceof Bytes) return bytesPayload(message);
  return NOT_CARRIED.test(message) ? `j${JSON.stringify(message)}` : `t${message}`;
}

function messageOf(payload: string): string | Bytes {
  const text = payload.slice(1);
  if (payload.startsWith('t')) return text;
  return payload.startsWith('j') ? (JSON.parse(text) as string) : new Bytes(Buffer.from(text, 'base64'));
}

/**
 * Connects the WebSockets of an application with those of other processes. Resolves when their messages arrive, or after
 * START_MS if the engine cannot be reached. Rejects with an SvcError for an invalid address.
 */
export async function linkHub(vm: NativeContext, hub: SocketHub, id: number, address: string): Promise<void> {
  const bus = await busOf(vm, address);
  const { rooms } = hub;
  if (bus.isAlone || rooms.elsewhere !== null) return;
  const link = new Link(vm, bus, hub, id);
  rooms.elsewhere = link;
  // Rooms that have members already.
  for (const room of rooms.ownNames()) void link.opened(room);
  callAfterGaps(vm, bus, rooms.onGap);
  bus.beforeEnd(() => link.leave());
  await within(START_MS, link.start(), () => undefined);
}
