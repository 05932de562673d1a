import type { Steps } from '../values/steps.js';
import type { Host } from '../host.js';
import { FairQueue } from './fairqueue.js';
import type { Thrown } from './fiber.js';
import { Signal, SvcError } from '../values/error.js';
import { afterJob, afterPiece, type Job as Watched } from '../values/heaproom.js';
import type { Value } from '../values/value.js';

/** Milliseconds of work per turn. */
const PIECE_MS = 1;

interface Job extends Watched {
  steps: Steps;
  resume(value: Value): void;
  fail(thrown: Thrown): void;
}

/**
 * Work of natives that takes longer than a slice. The fibers that requested it wait meanwhile. In each turn of the
 * event loop, one of them gets a piece of time, so that together they delay other fibers no more than one busy loop does.
 * Their contexts take turns.
 */
export class LongWork {
  private readonly jobs = new FairQueue<Job>(2);
  private scheduled = false;

  /** @param stepwise ends a piece after each step, regardless of the clock */
  constructor(
    private readonly host: Host,
    private readonly stepwise: boolean,
  ) {}

  get isIdle(): boolean {
    return this.jobs.length === 0;
  }

  /** Runs the first piece. Returns the result, or undefined if there is more to do. */
  begin(steps: Steps): { value: Value } | undefined {
    const { done, value } = this.piece(steps);
    return done === true ? { value } : undefined;
  }

  /** Continues the work, which is done for `context`, in later turns. Returns a function that drops it. */
  goOn(
    steps: Steps,
    context: object | null,
    resume: (value: Value) => void,
    fail: (thrown: Thrown) => void,
  ): () => void {
    const job: Job = {
      steps,
      context,
      resume,
      fail,
      allocated: 0,
      end: (error) => {
        this.drop(job);
        fail(error);
      },
    };
    this.jobs.push(job);
    this.schedule();
    return () => this.drop(job);
  }

  private drop(job: Job): void {
    this.jobs.remove(job);
    afterJob(job);
  }

  private schedule(): void {
    if (this.scheduled || this.jobs.length === 0) return;
    this.scheduled = true;
    this.host.defer(() => {
      this.scheduled = false;
      this.turn();
      this.schedule();
    });
  }

  private turn(): void {
    const job = this.jobs.shift();
    if (job === undefined) return;
    try {
      const { done, value } = this.piece(job.steps);
      if (done === true) {
        job.resume(value);
        afterJob(job);
        return;
      }
      this.jobs.push(job);
      afterPiece(job);
    } catch (error) {
      if (!(error instanceof SvcError) && !(error instanceof Signal)) throw error;
      job.fail(error);
      afterJob(job, error);
    }
  }

  private piece(steps: Steps): IteratorResult<void, Value> {
    const end = this.host.now() + PIECE_MS;
    for (;;) {
      const step = steps.next();
      if (step.done === true || this.stepwise || this.host.now() >= end) return step;
    }
  }
}
