/** Threads that read lines of standard input. */
import { Handover, type Thrown } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { errorOf, Errors, Signal, SvcError } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import { checkElements } from './limits.js';

/** Source of input lines. */
export interface LineSource {
  /** Returns the next line without its end, or null when there are no more. */
  readLine(): Promise<string | null>;
}

type Line = string | null;

/**
 * Lines that no thread has received, from the index `next`; null is the end of the input. Or why one could not be read.
 * `first` is the number of the first line in the order of the source.
 */
type Kept = { first: number } & ({ lines: Line[]; next: number } | { error: Thrown });

/** A thread that waits for lines. A line that it does not receive is for the next reader. */
abstract class Reader extends Handover {
  constructor(
    protected readonly lines: InputLines,
    protected readonly goOn: (value: Value) => void,
    readonly failed: (thrown: Thrown) => void,
  ) {
    super();
  }

  /** Takes a line with its number. Returns whether it waits for another one. */
  abstract receive(line: Line, number: number): boolean;

  cancel(): void {
    this.lines.forget(this);
  }
}

class LineReader extends Reader {
  private line: Line = null;
  private number = 0;

  constructor(
    lines: InputLines,
    goOn: (value: Value) => void,
    failed: (thrown: Thrown) => void,
    private readonly asVector: boolean,
  ) {
    super(lines, goOn, failed);
  }

  receive(line: Line, number: number): boolean {
    this.line = line;
    this.number = number;
    this.goOn(this.asVector && line !== null ? [line] : line);
    return false;
  }

  giveBack(): void {
    this.lines.putBack([this.line], this.number);
  }
}

/** Waits for all lines. */
class AllReader extends Reader {
  private all: Line[] = [];
  private first = 0;

  receive(line: Line, number: number): boolean {
    if (line === null) {
      this.goOn(this.all);
      return false;
    }
    if (this.all.length === 0) this.first = number;
    this.all.push(line);
    try {
      checkElements(this.all.length);
    } catch (error) {
      this.failed(error as SvcError);
      return false;
    }
    return true;
  }

  /** Takes several lines from the index `next`, without the end. They may be millions, so they are not copied. */
  receiveAll(lines: Line[], next: number, number: number): void {
    if (this.all.length === 0) this.first = number;
    this.all = this.all.length === 0 && next === 0 ? lines : this.all.concat(lines.slice(next));
  }

  /** Also when an error ends the wait. */
  giveBack(): void {
    if (this.all.length > 0) this.lines.putBack(this.all, this.first);
  }

  override cancel(): void {
    super.cancel();
    this.giveBack();
  }
}

/** The lines of a source, which threads of one or several VMs read in the order in which they ask. */
class InputLines {
  private readonly readers: Reader[] = [];
  /** What was read and no thread has received, in the reverse order of the source: the last one is next. */
  private readonly kept: Kept[] = [];
  private isReading = false;
  /** Number of reads that have ended. */
  private reads = 0;

  constructor(private readonly source: LineSource) {}

  /** Suspends until there is a line. */
  wait(
    vm: NativeContext,
    readerOf: (resume: (value: Value) => void, failed: (thrown: Thrown) => void) => Reader,
  ): undefined {
    return vm.wait('input', (resume, failed) => {
      const reader = readerOf(resume, failed);
      this.readers.push(reader);
      // Later, because a value that arrives before the wait is known cannot be given back.
      queueMicrotask(() => this.serve());
      return reader;
    });
  }

  next(vm: NativeContext, asVector: boolean): undefined {
    return this.wait(vm, (resume, failed) => new LineReader(this, resume, failed, asVector));
  }

  all(vm: NativeContext): undefined {
    return this.wait(vm, (resume, failed) => new AllReader(this, resume, failed));
  }

  forget(reader: Reader): void {
    const at = this.readers.indexOf(reader);
    if (at >= 0) this.readers.splice(at, 1);
  }

  /** Keeps lines for the next readers. @param first the number of the first one */
  putBack(lines: Line[], first: number): void {
    const at = this.kept.filter((kept) => kept.first > first).length;
    this.kept.splice(at, 0, { first, lines, next: 0 });
    this.serve();
  }

  /** Passes on what was kept, and reads on if threads still wait. One read runs at a time, and none is given up. */
  private serve(): void {
    while (this.readers.length > 0 && this.kept.length > 0) this.passKept(this.kept[this.kept.length - 1]);
    if (this.readers.length === 0 || this.isReading) return;
    this.isReading = true;
    this.source.readLine().then(
      (line) => this.arrived({ first: this.reads++, lines: [line], next: 0 }),
      (error: unknown) => this.arrived({ first: this.reads++, error: thrownFor(error) }),
    );
  }

  private arrived(arrival: Kept): void {
    this.isReading = false;
    // What was put back meanwhile comes first.
    this.kept.unshift(arrival);
    this.serve();
  }

  /** Passes the next line of what was kept, or all of it, to the first reader. */
  private passKept(kept: Kept): void {
    const [reader] = this.readers;
    if ('error' in kept) {
      this.kept.pop();
      this.forget(reader);
      if (reader instanceof AllReader) reader.giveBack();
      reader.failed(kept.error);
      return;
    }
    const left = kept.lines.length - kept.next;
    const number = kept.first + kept.next;
    if (reader instanceof AllReader && left > 1) {
      this.kept.pop();
      reader.receiveAll(kept.lines, kept.next, number);
      return;
    }
    if (left === 1) this.kept.pop();
    if (!reader.receive(kept.lines[kept.next++], number)) this.forget(reader);
  }
}

function thrownFor(error: unknown): Thrown {
  return error instanceof SvcError || error instanceof Signal
    ? error
    : errorOf(Errors.IOError, String((error as Error).message ?? error));
}

/** The lines of each source: programs that follow each other in a process share them. */
const LINES = new WeakMap<LineSource, InputLines>();

/** The lines of a source. */
export function linesOf(source: LineSource): InputLines {
  let lines = LINES.get(source);
  if (lines === undefined) LINES.set(source, (lines = new InputLines(source)));
  return lines;
}
