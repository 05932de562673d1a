import { Errors, type SvcError, errorOf } from './error.js';

/** Long work of a native that the memory watch can end. */
export interface Job {
  /** What it is done for, as with fibers: a request, a job, or null. */
  readonly context: object | null;
  /** Bytes by which the heap grew during its steps since memory became short. */
  allocated: number;
  /** Drops the work; the fiber waiting for it gets `error`. */
  end(error: SvcError): void;
}

/** Watches the memory of the process. */
export interface RoomWatch {
  /** Whether the heap has room for `bytes` more. `isPatient`: collects garbage before it says no, however recently it did. */
  isRoomFor(bytes: number, isPatient?: boolean): boolean;
  /** Bytes that values may take. */
  limit(): number;
  /** Called when a native found no room and throws `error`. */
  missed(error: SvcError): void;
  /** Called after a step of long work that continues. */
  afterPiece(job: Job): void;
  /** Called when long work has ended, with `error` if it failed. */
  afterJob(job: Job, error?: unknown): void;
}

/** One per process, as the heap is. */
let watch: RoomWatch = {
  isRoomFor: () => true,
  limit: () => Infinity,
  missed: () => {},
  afterPiece: () => {},
  afterJob: () => {},
};

/** Sets the watch: the VM's memory watch. */
export function setRoom(next: RoomWatch): void {
  watch = next;
}

/** Forwards to `RoomWatch.afterPiece`. */
export function afterPiece(job: Job): void {
  watch.afterPiece(job);
}

/** Forwards to `RoomWatch.afterJob`. */
export function afterJob(job: Job, error?: unknown): void {
  watch.afterJob(job, error);
}

/** Smaller allocations are not checked: the heap checks between slices notice them in time. */
const SMALL = 1 << 20;

/**
 * Call before allocating `bytes` at once: a failed allocation in V8 ends the process. `what` describes the value for
 * the message.
 * @throws MemoryError
 */
export function checkRoom(bytes: number, what: string): void {
  if (bytes < SMALL || watch.isRoomFor(bytes)) return;
  const error = errorOf(Errors.MemoryError, `out of memory: ${what}`);
  watch.missed(error);
  throw error;
}

/**
 * Whether the heap has room for `bytes` more; garbage never causes a refusal. For values that arrive bit by bit, whose
 * receiver asks once per many megabytes.
 */
export function isRoomFor(bytes: number): boolean {
  return watch.isRoomFor(bytes, true);
}

/** Bytes that values may take. */
export function heapLimit(): number {
  return watch.limit();
}

/** Maximum bytes per UTF-16 unit. */
const UNIT = 2;

/**
 * Call before making a text of `units` UTF-16 units, `before` of which existed. Checks once per mebibyte of growth.
 * @throws MemoryError
 */
export function checkTextRoom(units: number, before = 0): void {
  if (units >= SMALL && units >> 20 !== before >> 20)
    checkRoom(units * UNIT, `a text of ${units} characters would not fit`);
}

/** Bytes per element of a vector. */
const ELEMENT = 8;

/** Call before making a vector of `count` elements. @throws MemoryError */
export function checkElementsRoom(count: number): void {
  if (count * ELEMENT >= SMALL) checkRoom(count * ELEMENT, `a vector of ${count} elements would not fit`);
}
