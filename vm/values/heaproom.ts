import { Errors, type SvcError, errorOf } from './error.js';

/** Long work of a native that the watch on memory can end. */
export interface Job {
  /** Growth of the heap during its pieces since memory is short, in bytes. */
  allocated: number;
  /** Drops the work; whoever waits for it gets the error. */
  end(error: SvcError): void;
}

/** What watches the memory of the process. */
export interface RoomWatch {
  /** Whether the heap has room for so many bytes more. */
  isRoomFor(bytes: number): boolean;
  /** A native has found no room, and throws `error`. */
  missed(error: SvcError): void;
  /** After a piece of long work that goes on. */
  afterPiece(job: Job): void;
  /** Long work has come to its end, with `error` if that is given. */
  afterJob(job: Job, error?: unknown): void;
}

/** The heap is the process's, and so is this. */
let watch: RoomWatch = { isRoomFor: () => true, missed: () => {}, afterPiece: () => {}, afterJob: () => {} };

/** Sets what decides: the VM's watch on memory. */
export function setRoom(next: RoomWatch): void {
  watch = next;
}

/** For what runs natives' long work: see `RoomWatch`. */
export function afterPiece(job: Job): void {
  watch.afterPiece(job);
}

/** The same. */
export function afterJob(job: Job, error?: unknown): void {
  watch.afterJob(job, error);
}

/** Bytes below which nobody asks: the looks at the heap between slices see them in time. */
const SMALL = 1 << 20;

/** Before something of `bytes` is made at once: what V8 cannot allocate ends the process. `what` says what would not fit. @throws MemoryError */
export function checkRoom(bytes: number, what: string): void {
  if (bytes < SMALL || watch.isRoomFor(bytes)) return;
  const error = errorOf(Errors.MemoryError, `out of memory: ${what}`);
  watch.missed(error);
  throw error;
}

/** Most bytes that a UTF-16 unit takes. */
const UNIT = 2;

/** Before a text of so many UTF-16 units is made, of which `before` were there: asked once for each mebibyte that it grows by. @throws MemoryError */
export function checkTextRoom(units: number, before = 0): void {
  if (units >= SMALL && units >> 20 !== before >> 20)
    checkRoom(units * UNIT, `a text of ${units} characters would not fit`);
}

/** Bytes of an element of a vector. */
const ELEMENT = 8;

/** Before a vector of so many elements is made. @throws MemoryError */
export function checkElementsRoom(count: number): void {
  if (count * ELEMENT >= SMALL) checkRoom(count * ELEMENT, `a vector of ${count} elements would not fit`);
}
