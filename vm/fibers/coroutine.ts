import { errorOf, Errors, fail, Signal, type SvcError } from '../values/error.js';
import { Internal, type Value } from '../values/value.js';
import { type Deadline, type Fiber, NO_VALUE, type Thrown } from './fiber.js';
import type { Frame } from './frame.js';
import { noteThrown, replaces } from './signals.js';

/** Message of a StackError. */
export function stackMessage(limit: number): string {
  return `stack is deeper than ${limit} calls`;
}

/**
 * A function whose frames leave the stack when it yields, and are put onto the stack of the thread that resumes it. So
 * its errors, deadlines and cancellation are those of that thread, and resuming it needs no scheduling.
 */
export class Coroutine extends Internal {
  state: 'parked' | 'running' | 'ended' = 'parked';
  /** Whether it is being unwound by `close`. */
  closing = false;
  private started = false;
  /** Frames while it is parked, from the innermost one, and their number. */
  private top: Frame | null;
  private bottom: Frame | null;
  private depth = 1;
  /** The frame that resumed it, while it runs. */
  private caller: Frame | null = null;
  /** The error whose `rescue` clause it runs; while it runs, that of its caller. */
  private handling: Fiber['handling'] = null;
  /** Its `timeout` blocks while it is parked. */
  private deadlines: Deadline[] = [];
  /** Marks of its calls, as in a fiber, while it is parked; number of those of the caller while it runs. */
  private marks: number[] | null = null;
  private callerMarks = 0;
  /** What the call at which it is parked returns. */
  private result: Value = null;
  /** Number of deadlines of the caller. */
  private callerDeadlines = 0;
  /** While it is parked: the innermost span of tracing that it has opened and not closed; null: none. */
  private span: Fiber['span'] = null;
  /** The span around it when it opened the outermost of these, which it restores when that ends. */
  private spanAround: Fiber['span'] = null;
  /** The span of its caller, while it runs. */
  private callerSpan: Fiber['span'] = null;

  /** @param frame its first frame, which calls `ended` when the function returns or fails */
  constructor(frame: Frame) {
    super();
    this.top = this.bottom = frame;
  }

  /** @throws RuntimeError if it runs already */
  checkResume(): void {
    if (this.state === 'running') fail(Errors.RuntimeError, 'the sequence is already computing an element');
  }

  /** Whether it is parked within protected ranges, whose `ensure` blocks have to run. */
  get mustClose(): boolean {
    if (!this.started) return false;
    // The last frame is that which calls `ended`.
    for (let frame = this.top; frame !== null && frame !== this.bottom; frame = frame.parent)
      if (frame.fn.handlers.length > 0) return true;
    return false;
  }

  /** Puts its frames onto the stack of a suspended fiber, to continue there or to throw. */
  enter(fiber: Fiber, thrown: Thrown | null, maxDepth: number): void {
    const { bottom } = this;
    if (this.state !== 'parked' || bottom === null) return;
    if (fiber.depth + this.depth > maxDepth) {
      fiber.thrown = errorOf(Errors.StackError, stackMessage(maxDepth));
      return;
    }
    this.caller = bottom.parent = fiber.frame;
    fiber.frame = this.top;
    fiber.depth += this.depth;
    fiber.value = this.started && thrown === null ? this.result : NO_VALUE;
    fiber.thrown = thrown;
    this.top = this.bottom = null;
    this.started = true;
    this.state = 'running';
    this.swapHandling(fiber);
    if (fiber.span !== null || this.span !== null) this.enterSpan(fiber);
    this.callerDeadlines = fiber.deadlines.length;
    this.moveDeadlines(fiber);
    this.callerMarks = fiber.marks?.length ?? 0;
    if (this.marks !== null) fiber.marks = (fiber.marks ?? []).concat(this.marks);
  }

  /** Puts its frames onto the stack of a suspended fiber, to run their `ensure` blocks: nobody will resume it. */
  close(fiber: Fiber, maxDepth: number): void {
    this.closing = true;
    this.enter(fiber, new Signal('close', fiber.deadlines.length), maxDepth);
  }

  /** Makes its deadlines those of a fiber. If the time of one was over meanwhile, its block ends now. */
  private moveDeadlines(fiber: Fiber): void {
    const deadlines = this.deadlines.splice(0);
    for (const deadline of deadlines) deadline.moveTo(fiber);
    const late = deadlines.find((deadline) => deadline.late);
    if (late === undefined) return;
    for (const deadline of deadlines) deadline.late = false;
    const signal = new Signal('deadline', late);
    if (fiber.thrown instanceof Signal && !replaces(fiber, signal, fiber.thrown)) return;
    fiber.thrown = signal;
    noteThrown(fiber, signal);
  }

  /**
   * Takes its frames off the stack of a suspended fiber. `value` goes to the frame that resumed it, `result` to its own
   * frame when it continues.
   */
  park(fiber: Fiber, value: Value, result: Value): void {
    let bottom = fiber.frame;
    let depth = 1;
    while (bottom !== null && bottom.parent !== this.caller) {
      bottom = bottom.parent;
      depth++;
    }
    if (bottom === null || this.caller === null) {
      fiber.thrown = outside();
      return;
    }
    this.top = fiber.frame;
    this.bottom = bottom;
    this.depth = depth;
    bottom.parent = null;
    fiber.frame = this.caller;
    fiber.depth -= depth;
    fiber.value = value;
    this.caller = null;
    this.result = result;
    this.state = 'parked';
    this.swapHandling(fiber);
    if (fiber.span !== null || this.span !== null) this.leaveSpan(fiber);
    this.deadlines = fiber.deadlines.slice(this.callerDeadlines);
    for (const deadline of this.deadlines) deadline.leave();
    const marks = fiber.marks?.splice(this.callerMarks) ?? [];
    this.marks = marks.length === 0 ? null : marks;
  }

  /** Call when its function has returned or failed in `fiber`. */
  ended(fiber: Fiber | null): void {
    this.state = 'ended';
    this.caller = null;
    if (fiber !== null) {
      fiber.handling = this.handling;
      fiber.span = this.callerSpan;
    }
    this.handling = this.span = this.spanAround = this.callerSpan = null;
  }

  /** Ends a coroutine that has not started. Returns false if it has. */
  drop(): boolean {
    if (this.started) return false;
    this.state = 'ended';
    this.top = this.bottom = null;
    return true;
  }

  /** Continues within the spans that it has opened; what it opens outside of them is below the span of its caller. */
  private enterSpan(fiber: Fiber): void {
    this.callerSpan = fiber.span;
    if (this.span === null) this.spanAround = fiber.span;
    else fiber.span = this.span;
  }

  /** Leaves its spans open, and returns to the one of its caller. */
  private leaveSpan(fiber: Fiber): void {
    if (fiber.span === this.spanAround) this.span = this.spanAround = null;
    else this.span = fiber.span;
    fiber.span = this.callerSpan;
    this.callerSpan = null;
  }

  private swapHandling(fiber: Fiber): void {
    const { handling } = fiber;
    fiber.handling = this.handling;
    this.handling = handling;
  }
}

/** The error of an `out` that is used outside of its sequence's block. */
export function outside(): SvcError {
  return errorOf(
    Errors.RuntimeError,
    'out takes elements only while the block of its sequence computes one, in the same thread',
  );
}
