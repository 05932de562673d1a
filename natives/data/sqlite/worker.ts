/** A thread that holds one connection to a database. Messages: protocol.ts. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { PIECE, type RowLimits } from '../driver.js';
import { commitTogether, type Outcomes } from './commits.js';
import { Connection, type Weighed } from './connection.js';
import { CancelledFault, faultOf } from './faults.js';
import type { Library } from './libraries.js';
import { openConnection } from './opening.js';
import { AnswerWriter, RequestReader } from './messages.js';
import {
  type Fault,
  type FromConnection,
  NOTHING,
  type Request,
  type ThreadSettings,
  type ToConnection,
} from './protocol.js';

/** Maximum number of heavy messages that the receiver has not handled yet. */
const HEAVY_AHEAD = 2;

/** Weight, in rows, from which a message counts as heavy. */
const HEAVY = PIECE / 2;

/** Maximum number of statements that share a COMMIT. */
const GROUP = 500;

/**
 * Answers that are too few for a message of their own while other requests wait, and those that are enough: the main
 * thread works with them meanwhile.
 */
const FEW = 16;
const MANY = 250;

const port = parentPort as MessagePort;

/** Answers that wait to be sent in one message. */
class Outbox {
  private answers: unknown[] = [];
  /** Number of answers, in which those in several parts count more than once. */
  count = 0;
  private readonly writer = new AnswerWriter();
  private weight = 0;
  private unhandled = 0;
  private wake: (() => void) | null = null;
  private workingSince = 0;

  /**
   * @param idleMs milliseconds of the work since the last call that say nothing about its statements
   * @param schema version of the schema
   */
  constructor(
    private readonly idleMs: () => number,
    private readonly schema: () => number | null,
  ) {}

  get isEmpty(): boolean {
    return this.answers.length === 0;
  }

  /** Call before work whose answers are added. */
  startWork(): void {
    this.idleMs();
    this.workingSince = performance.now();
  }

  handled(count: number): void {
    this.unhandled -= count;
    this.wake?.();
  }

  /** Waits for the receiver no more: it handles no further messages. */
  stopWaiting(): void {
    this.handled(Infinity);
  }

  /** Adds an answer; sends those before it if the message would be too heavy with it. Returns null if none is sent. */
  add(id: number, part: Weighed): Promise<void> | null {
    if (this.weight + part.weight >= PIECE) return this.addHeavy(id, part);
    this.put(id, part);
    return null;
  }

  private async addHeavy(id: number, part: Weighed): Promise<void> {
    if (this.weight > 0 && this.weight + part.weight > PIECE) await this.send();
    this.put(id, part);
    if (this.weight >= PIECE) await this.send();
  }

  private put(id: number, part: Weighed): void {
    this.count++;
    this.writer.write(this.answers, id, part, null);
    this.weight += part.weight;
  }

  fail(id: number, fault: Fault): void {
    this.count++;
    this.writer.write(this.answers, id, NOTHING, fault);
  }

  async send(): Promise<void> {
    if (this.isEmpty) return;
    const heavy = this.weight >= HEAVY;
    const ms = performance.now() - this.workingSince - this.idleMs();
    while (heavy && this.unhandled >= HEAVY_AHEAD) await new Promise<void>((resolve) => (this.wake = resolve));
    const message: FromConnection = { answers: this.answers, ms, heavy, schema: this.schema(), opened: null };
    if (heavy) this.unhandled++;
    this.answers = [];
    this.count = 0;
    this.weight = 0;
    port.postMessage(message);
    this.startWork();
  }
}

/** Runs the requests of the main thread in their order. */
class Desk {
  private readonly outbox: Outbox;
  private readonly reader = new RequestReader();
  private readonly connection: Connection;
  private queue: Request[] = [];
  private readonly cancelled = new Set<number>();
  private current: ReadonlySet<number> = new Set();
  /** Number of requests without an answer, as the main thread last saw it. */
  private load = 0;
  private isBusy = false;
  private isClosing = false;

  constructor(library: Library, limits: RowLimits) {
    const wasCancelled = (id: number): boolean => {
      this.look();
      return this.cancelled.has(id);
    };
    this.connection = new Connection(library, wasCancelled, limits);
    this.outbox = new Outbox(
      () => this.connection.takeControlMs(),
      () => this.connection.schema,
    );
    port.on('message', (message: ToConnection) => {
      this.accept(message);
      if (!this.isBusy) void this.work();
    });
  }

  /** Takes messages that have arrived, although the event loop does not run. */
  private look(): void {
    for (let found = receiveMessageOnPort(port); found !== undefined; found = receiveMessageOnPort(port))
      this.accept(found.message as ToConnection);
  }

  private accept({ requests, cancelled, received, load, close }: ToConnection): void {
    this.connection.expectChanges();
    this.load = load;
    for (const request of this.reader.read(requests)) this.queue.push(request);
    for (const id of cancelled) this.cancel(id);
    if (received > 0) this.outbox.handled(received);
    if (close) {
      this.isClosing = true;
      this.outbox.stopWaiting();
    }
  }

  private cancel(id: number): void {
    if (this.current.has(id)) {
      this.cancelled.add(id);
      this.connection.interrupt(id);
    } else if (this.queue.some((request) => request.id === id)) {
      this.queue = this.queue.filter((request) => request.id !== id);
      this.outbox.fail(id, faultOf(new CancelledFault()));
    }
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    this.outbox.startWork();
    for (this.look(); this.queue.length > 0 && !this.isClosing; this.look()) {
      if (!(await this.answerQuickly())) await this.answerGroup(this.nextGroup());
      if (this.outbox.count >= this.enough) await this.outbox.send();
    }
    await this.outbox.send();
    this.isBusy = false;
    if (this.isClosing) this.close();
    else if (this.queue.length > 0) void this.work();
  }

  /**
   * Number of answers for a message: half of what the main thread waits for, so that both threads work at the same time,
   * and not very many.
   */
  private get enough(): number {
    return Math.max(FEW, Math.min(MANY, Math.ceil(this.load / 2)));
  }

  /** Answers the next requests, as many as are quick. Returns whether there were some. */
  private async answerQuickly(): Promise<boolean> {
    const answers = this.connection.quickly(this.queue, this.enough);
    // Before any wait, in which messages may change the queue.
    const requests = this.queue.splice(0, answers.length);
    for (const [i, { id }] of requests.entries()) {
      const answer = answers[i];
      if ('message' in answer) this.outbox.fail(id, answer);
      else {
        const sending = this.outbox.add(id, answer);
        if (sending !== null) await sending;
      }
    }
    return answers.length > 0;
  }

  private async answerGroup(group: readonly Request[]): Promise<void> {
    const isSlow = (): boolean => group.some(({ sql }) => this.connection.isSlow(sql));
    this.current = new Set(group.map(({ id }) => id));
    // So that answers to others do not wait for a slow one, and it can be seen how long it takes.
    if (isSlow()) await this.outbox.send();
    if (group[0].grouped) await this.commit(group);
    else await this.answer(group[0]);
    if (this.cancelled.size > 0) this.cancelled.clear();
    this.current = new Set();
    if (isSlow()) await this.outbox.send();
  }

  /** The next request, and those after it that may share its COMMIT. */
  private nextGroup(): Request[] {
    let count = 1;
    const mayJoin = ({ grouped, sql }: Request): boolean => grouped && !this.connection.isLong(sql);
    if (mayJoin(this.queue[0]))
      while (count < Math.min(GROUP, this.queue.length) && mayJoin(this.queue[count])) count++;
    return this.queue.splice(0, count);
  }

  private async commit(group: readonly Request[]): Promise<void> {
    const outcomes: Outcomes = new Map();
    await commitTogether(this.connection, group, outcomes, ({ id }, part) => this.outbox.add(id, part));
    for (const [{ id }, outcome] of outcomes)
      if ('fault' in outcome) this.outbox.fail(id, outcome.fault);
      else await this.outbox.add(id, outcome.last);
  }

  private async answer(request: Request): Promise<void> {
    const { id } = request;
    try {
      await this.outbox.add(id, await this.connection.handle(request, (part) => this.outbox.add(id, part)));
    } catch (error) {
      this.outbox.fail(id, faultOf(this.cancelled.has(id) ? new CancelledFault() : error));
    }
  }

  private close(): void {
    this.connection.close();
    port.close();
  }
}

async function start(): Promise<void> {
  const settings = workerData as ThreadSettings;
  const opened = await openConnection(settings);
  if ('library' in opened) new Desk(opened.library, settings.limits);
  const fault = 'fault' in opened ? opened.fault : null;
  const message: FromConnection = { answers: [], ms: 0, heavy: false, schema: null, opened: { fault } };
  port.postMessage(message);
}

void start();
