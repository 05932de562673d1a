/** Characters that are passed on in one turn of the event loop. */
const TURN_CHARACTERS = 256 * 1024;
/** Characters counted for a message in addition to its text. */
const MESSAGE_COST = 100;
/** Waiting characters from which the driver reads no further. */
const FULL_CHARACTERS = 2 * 1024 * 1024;
/** Waiting characters from which all are passed on at once: the driver cannot stop reading. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

interface Arrival {
  readonly size: number;
  readonly pass: () => void;
}

/**
 * What has arrived from other processes. A driver may read megabytes in one turn of the event loop, in which no thread
 * runs and no socket drains. They are passed on over several turns, so that only those fall behind that are slow.
 */
export class Intake {
  /** What waits, from the index `next`. */
  private line: Arrival[] = [];
  private next = 0;
  /** Its characters. */
  private waiting = 0;
  /** Characters that were passed on in this turn. */
  private passed = 0;
  private isFull = false;

  /**
   * @param whenTaken calls a function once those that receive messages are not far behind
   * @param hold tells the driver to read no further, or again
   */
  constructor(
    private readonly whenTaken: (then: () => void) => void,
    private readonly hold: (isFull: boolean) => void,
  ) {}

  /** Passes on what has arrived, by calling `pass` now or in a later turn. @param characters of its text */
  add(characters: number, pass: () => void): void {
    const arrival = { size: characters + MESSAGE_COST, pass };
    if (this.line.length === 0 && this.passed < TURN_CHARACTERS) {
      this.pass(arrival);
      return;
    }
    this.line.push(arrival);
    this.waiting += arrival.size;
    if (this.waiting > MAX_CHARACTERS) this.passSome(Infinity);
    else if (this.waiting > FULL_CHARACTERS) this.setFull(true);
  }

  private pass({ size, pass }: Arrival): void {
    if (this.passed === 0) setImmediate(() => this.nextTurn());
    this.passed += size;
    pass();
  }

  private nextTurn(): void {
    this.whenTaken(() => {
      this.passed = 0;
      this.passSome(TURN_CHARACTERS);
    });
  }

  private passSome(characters: number): void {
    while (this.next < this.line.length && this.passed < characters) {
      const arrival = this.line[this.next++];
      this.waiting -= arrival.size;
      this.pass(arrival);
    }
    this.line = this.line.slice(this.next);
    this.next = 0;
    if (this.waiting < FULL_CHARACTERS / 2) this.setFull(false);
  }

  private setFull(isFull: boolean): void {
    if (this.isFull === isFull) return;
    this.isFull = isFull;
    this.hold(isFull);
  }
}
