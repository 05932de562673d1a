import type { Linked } from '../../../vm/fibers/linkedlist.js';
import { contextOf, controllerFor } from '../../../vm/fibers/operations.js';
import { WaitingLine } from '../../../vm/fibers/waitingline.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Bytes } from '../../../vm/values/bytes.js';
import type { Steps } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import { bufferOf } from '../../core/bytes/texts.js';
import { Close, type Socket } from './socket.js';

/** How many connections of this process were reached; a promise if there are many. */
export type Sent = number | Promise<Value>;

/** Makes the signal of a mailing, if one is needed: when aborted, a message that is not being sent yet is dropped. */
export type SignalOf = () => AbortSignal;

/** Connections that are sent to at once: writing to them takes one to three milliseconds. */
const AT_ONCE = 200;
/** Connections between two looks at the clock, if there are more. */
const PER_STEP = 32;
/** Bytes of messages that are sent together, of those that wait for the same group. */
const TOGETHER_BYTES = 64 * 1024;

/** Counters of WebSocket events, for the metrics. */
export interface SocketCounts {
  opened: number;
  sent: number;
  /** Connections closed because they read broadcasts too slowly. */
  slow: number;
}

/** A message for many connections. */
export interface Mailing {
  /** Names the connections: mailings to the same ones follow each other. */
  readonly group: string;
  /** The connections at this moment. */
  readonly members: () => Iterable<Socket>;
  readonly message: string | Bytes;
  readonly except: Socket | null;
}

/** A mailing that waits for others to its group, or is under way. */
interface Job extends Linked<Job> {
  readonly context: object;
  readonly mailing: Mailing;
  readonly bytes: Buffer;
  readonly resolve: (reached: Value) => void;
  readonly reject: (error: unknown) => void;
  isWaiting: boolean;
  reached: number;
}

function bytesOf(message: string | Bytes): Buffer {
  return message instanceof Bytes ? bufferOf(message) : Buffer.from(message);
}

/**
 * Sends messages to many connections without waiting for any. A connection whose queue is full is closed with 1013: it
 * would otherwise miss messages unknowingly, and a client that reconnects can ask for what it missed. Large groups are
 * sent to in pieces, between which other threads run; all connections of a group get its messages in the same order.
 */
export class Mailer {
  /** Groups that are sent to in pieces, with the mailings that wait. */
  private readonly busy = new Map<string, WaitingLine<Job>>();

  constructor(private readonly counts: SocketCounts) {}

  send(vm: NativeContext, mailing: Mailing, signal: SignalOf): Sent {
    const sockets = this.busy.has(mailing.group) ? null : [...mailing.members()];
    if (sockets === null || sockets.length > AT_ONCE) return this.later(vm, mailing, signal());
    const bytes = bytesOf(mailing.message);
    let reached = 0;
    for (const socket of sockets) if (this.reaches(socket, mailing, bytes)) reached++;
    this.counts.sent += reached;
    return reached;
  }

  private later(vm: NativeContext, mailing: Mailing, signal: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      const context = contextOf(signal);
      const bytes = bytesOf(mailing.message);
      const place = { older: null, younger: null };
      const job: Job = { context, mailing, bytes, resolve, reject, isWaiting: true, reached: 0, ...place };
      const line = this.busy.get(mailing.group) ?? new WaitingLine();
      line.add(job);
      signal.addEventListener('abort', () => {
        if (!job.isWaiting) return;
        line.leave(job);
        reject(signal.reason);
      });
      if (this.busy.has(mailing.group)) return;
      this.busy.set(mailing.group, line);
      void this.sendAll(vm, mailing.group, line);
    });
  }

  private async sendAll(vm: NativeContext, group: string, line: WaitingLine<Job>): Promise<void> {
    while (line.length > 0) {
      const jobs = nextJobs(line);
      try {
        // Once begun, a message goes to all: aborting its signal has no effect on the work.
        await vm.laterInPieces(this.steps(jobs), controllerFor(jobs[0].context).signal);
        for (const { resolve, reached } of jobs) resolve(reached);
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    this.busy.delete(group);
  }

  private *steps(jobs: readonly Job[]): Steps {
    const sockets = [...jobs[0].mailing.members()];
    for (const [i, socket] of sockets.entries()) {
      if (i % PER_STEP === PER_STEP - 1) yield;
      socket.atOnce(() => {
        for (const job of jobs) if (this.reaches(socket, job.mailing, job.bytes)) job.reached++;
      });
    }
    for (const { reached } of jobs) this.counts.sent += reached;
    return null;
  }

  private reaches(socket: Socket, { except, message }: Mailing, bytes: Buffer): boolean {
    if (socket === except) return false;
    if (!socket.isSlow) return socket.post(bytes, message instanceof Bytes);
    if (socket.isOpen) {
      this.counts.slow++;
      socket.close(Close.tryLater, 'too slow');
    }
    return false;
  }
}

/** Takes those out of a line that are sent together, at least one. */
function nextJobs(line: WaitingLine<Job>): Job[] {
  const jobs: Job[] = [];
  for (let bytes = 0; bytes < TOGETHER_BYTES;) {
    const job = line.next();
    if (job === null) break;
    job.isWaiting = false;
    bytes += job.bytes.length;
    jobs.push(job);
  }
  return jobs;
}

/** The result of a native that sends to many connections: how many `send` reached. Waits if there are many. */
export function reached(vm: NativeContext, send: (signal: SignalOf) => Sent): Value | undefined {
  let controller: AbortController | null = null;
  const sent = send(() => (controller = vm.controller()).signal);
  if (typeof sent === 'number') return sent;
  return vm.wait('websocket send', (resume, failed) => {
    sent.then(resume, failed);
    return () => controller?.abort();
  });
}
