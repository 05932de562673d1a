import type { Channel } from '../cluster/channel.js';
import type { SharedService } from '../cluster/services.js';
import { BUS_SERVICE, type FromWorker, type ToWorker } from './clustermessage.js';

/** Maximum characters that wait for a worker. Above that, further messages to it are dropped. */
const WAITING_CHARACTERS = 8 * 1024 * 1024;

/** A worker that uses the bus. */
interface Member {
  origin: string;
  readonly topics: Set<string>;
  /** Packs dropped since it stopped reading. */
  dropped: number;
  /** Characters sent since its channel was last empty. */
  waiting: number;
}

/** Passes messages between workers, each to those that have subscribed to its topic. */
export class BusService implements SharedService {
  private readonly members = new Map<Channel, Member>();
  private readonly byTopic = new Map<string, Set<Channel>>();

  receive(given: unknown, from: Channel): unknown {
    const message = given as FromWorker;
    const member = this.memberOf(from);
    if ('packs' in message) this.pass(message.packs, from);
    else if ('subscribe' in message) for (const topic of message.subscribe) this.subscribe(topic, from, member);
    else if ('unsubscribe' in message) this.unsubscribe(message.unsubscribe, from, member);
    else if ('origin' in message) member.origin = message.origin;
    return undefined;
  }

  left(worker: Channel): void {
    const member = this.members.get(worker);
    if (member === undefined) return;
    for (const topic of member.topics) this.unsubscribe(topic, worker, member);
    this.members.delete(worker);
    for (const channel of this.members.keys()) post(channel, { ended: member.origin });
  }

  private memberOf(channel: Channel): Member {
    let member = this.members.get(channel);
    if (member === undefined)
      this.members.set(channel, (member = { origin: '', topics: new Set(), dropped: 0, waiting: 0 }));
    return member;
  }

  private subscribe(topic: string, channel: Channel, { topics }: Member): void {
    topics.add(topic);
    let channels = this.byTopic.get(topic);
    if (channels === undefined) this.byTopic.set(topic, (channels = new Set()));
    channels.add(channel);
  }

  private unsubscribe(topic: string, channel: Channel, { topics }: Member): void {
    topics.delete(topic);
    const channels = this.byTopic.get(topic);
    channels?.delete(channel);
    if (channels?.size === 0) this.byTopic.delete(topic);
  }

  private pass(packs: readonly string[], from: Channel): void {
    const outgoing = new Map<Channel, string[]>();
    for (let i = 0; i < packs.length; i += 2)
      for (const channel of this.byTopic.get(packs[i]) ?? []) {
        if (channel === from) continue;
        const list = outgoing.get(channel);
        if (list === undefined) outgoing.set(channel, [packs[i], packs[i + 1]]);
        else list.push(packs[i], packs[i + 1]);
      }
    for (const [channel, list] of outgoing) this.send(channel, list);
  }

  /** Sends packs to a worker, unless it has stopped reading. */
  private send(channel: Channel, packs: string[]): void {
    const member = this.memberOf(channel);
    if (channel.backlog === 0) member.waiting = 0;
    if (member.waiting > WAITING_CHARACTERS) {
      member.dropped += packs.length / 2;
      return;
    }
    if (member.dropped > 0) post(channel, { dropped: member.dropped });
    member.dropped = 0;
    for (const pack of packs) member.waiting += pack.length;
    post(channel, { packs });
  }
}

function post(channel: Channel, message: ToWorker): void {
  channel.post(BUS_SERVICE, message);
}
