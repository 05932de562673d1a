import type { Outcome, Watcher } from '../../../vm/fibers/fiber.js';
import type { Following, Scheduler } from '../../../vm/fibers/scheduler.js';
import { type Gone, offGone, onGone } from '../connection/disconnect.js';
import type { Exchange } from '../request/exchange.js';

/** What answers with the outcome of a thread. */
export interface Answerer {
  answer(exchange: Exchange, outcome: Outcome): void;
}

/**
 * A request that a thread is working for. One object hears of the end of the thread, of the turn in which it ended, and of
 * its connection, because this is made for every request.
 */
export class Running implements Watcher, Following, Gone {
  private outcome: Outcome | null = null;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly answerer: Answerer,
    private readonly exchange: Exchange,
  ) {}

  /** Cancels the thread when the client disconnects: its result is no longer needed. */
  watchClient(): void {
    onGone(this.exchange.req.socket, this);
  }

  ended(outcome: Outcome): void {
    offGone(this.exchange.req.socket, this);
    this.outcome = outcome;
    // Responses of a turn are sent in quick succession.
    this.scheduler.afterTurn(this);
  }

  turnEnded(): void {
    const { outcome, exchange } = this;
    if (outcome === null) return;
    this.outcome = null;
    this.answerer.answer(exchange, outcome);
    // Requests that waited are old objects, and what a dead old object refers to lives until the next full collection.
    exchange.fiber?.forget();
    exchange.request.forget();
  }

  gone(): void {
    if (this.exchange.fiber !== null) this.scheduler.cancel(this.exchange.fiber);
  }
}
