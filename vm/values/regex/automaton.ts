/**
 * A lazily built automaton: linear time, constant memory. Forwards, it finds the end of the leftmost match, with the
 * priorities of backtracking; backwards, its start. A state is the ordered list of program states before conditions are
 * checked, plus the kind of the character just read. Conditions are decided when the next character is read, so a match
 * is noticed one character later.
 */
import { ASSERT, CHAR, MATCH, RESET, RUN, SAVE, SPLIT, type Program } from './program.js';

const UNKNOWN = -1;
/**
 * No transition. `MATCHED - state` is a transition to `state` that also reports a match completed before the character.
 */
const DEAD = -2;
const MATCHED = -3;
/** Limits of table cells, of states, and of program states in all lists; at a limit the table is cleared. */
const CELLS = 1 << 18;
const STATES = 4096;
const LISTED = 1 << 18;
/** Characters read per state that justify a table, and the number of times it may be cleared after fewer. */
const WORTH = 20;
const FLUSHES = 2;

interface State {
  list: readonly number[];
  /** Group of the class of the character just read. */
  group: number;
  searching: boolean;
}

/** The transition table of a program, shared by all searches. */
export class Automaton {
  readonly stride: number;
  states: State[] = [];
  cells = new Int32Array(0);
  /** Counts how often the table was cleared: state numbers are valid within one era. */
  era = 0;
  /** Whether states are made nearly as fast as characters are read, so that another engine is faster. */
  thrashes = false;
  private flushes = 0;
  private ids = new Map<string, number>();
  private listed = 0;
  private readonly start: number;
  private readonly marks: Int32Array;
  private readonly targets: Int32Array;
  private mark = 0;
  private readonly groups: Uint16Array;
  private readonly samples: number[] = [];
  private starts: Int32Array;

  constructor(
    readonly program: Program,
    readonly reverse: boolean,
  ) {
    this.start = reverse ? program.reverseStart : program.start;
    this.stride = program.width;
    this.marks = new Int32Array(program.op.length);
    this.targets = new Int32Array(program.op.length);
    this.groups = this.group();
    this.starts = new Int32Array(this.samples.length).fill(UNKNOWN);
    this.clear();
  }

  /** Groups the classes that no condition distinguishes as the character just read. */
  private group(): Uint16Array {
    const { width, conditions } = this.program;
    const groups = new Uint16Array(width);
    const rows = new Map<string, number>();
    for (let read = 0; read < width; read++) {
      let key = '';
      for (const condition of conditions)
        for (let next = 0; next < width; next++)
          key += this.reverse ? condition[next * width + read] : condition[read * width + next];
      let group = rows.get(key);
      if (group === undefined) {
        rows.set(key, (group = rows.size));
        this.samples.push(read);
      }
      groups[read] = group;
    }
    return groups;
  }

  private clear(): void {
    this.states = [];
    this.ids = new Map();
    this.cells = new Int32Array(this.stride * 16).fill(UNKNOWN);
    this.starts.fill(UNKNOWN);
    this.listed = 0;
    this.era++;
  }

  /** Clears the table. `read` is the number of characters read since it was last cleared. */
  flush(read: number): void {
    if (read < WORTH * this.states.length && ++this.flushes > FLUSHES) this.thrashes = true;
    this.clear();
  }

  get full(): boolean {
    return this.cells.length > 2 * CELLS || this.states.length > STATES || this.listed > LISTED;
  }

  /** The start state of a run next to a character of class `side`. */
  startBeside(side: number): number {
    const group = this.groups[side];
    if (this.starts[group] === UNKNOWN)
      this.starts[group] = this.numberOf({ list: [this.start], group, searching: !this.reverse });
    return this.starts[group];
  }

  /** The number of a state: the offset of its row in the table. */
  numberOf(state: State): number {
    const key = `${state.group}${state.searching ? 's' : 'a'}${state.list.join()}`;
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const number = this.states.length * this.stride;
    this.states.push(state);
    this.ids.set(key, number);
    this.listed += state.list.length;
    if (number + this.stride > this.cells.length) {
      const cells = new Int32Array(this.cells.length * 2).fill(UNKNOWN);
      cells.set(this.cells);
      this.cells = cells;
    }
    return number;
  }

  /** Computes the transition from a state on a class. */
  make(from: number, read: number): number {
    const { program, reverse } = this;
    const state = this.states[from / this.stride];
    const list: number[] = [];
    const matched = this.advance(state, read, list);
    const searching = state.searching && !matched;
    let to = DEAD;
    // At the end of the text, only whether a match is complete counts.
    if (read === program.classes) to = matched ? MATCHED - from : DEAD;
    else {
      if (searching && this.targets[this.start] !== this.mark) list.push(this.start);
      if (reverse) list.sort((x, y) => x - y);
      if (list.length > 0) to = this.numberOf({ list, group: this.groups[read], searching });
      if (matched) to = MATCHED - (list.length > 0 ? to : this.numberOf({ list: [], group: 0, searching: false }));
    }
    this.cells[from + read] = to;
    return to;
  }

  /**
   * Fills `list` with the program states reached by a class, by priority. Returns whether a match was complete before
   * it.
   */
  private advance(state: State, read: number, list: number[]): boolean {
    const { program, reverse, marks, targets } = this;
    const { op, a, b, has, conditions, width, classes } = program;
    const beside = this.samples[state.group];
    const at = reverse ? read * width + beside : beside * width + read;
    const mark = ++this.mark;
    const todo: number[] = [];
    let matched = false;
    for (const first of state.list) {
      todo.push(first);
      for (let s = todo.pop(); s !== undefined; s = todo.pop()) {
        if (marks[s] === mark) continue;
        marks[s] = mark;
        switch (op[s]) {
          case CHAR:
            if (read !== classes && has[a[s] * width + read] === 1 && targets[b[s]] !== mark) {
              targets[b[s]] = mark;
              list.push(b[s]);
            }
            break;
          case SPLIT:
          case RUN:
            todo.push(b[s], a[s]);
            break;
          case ASSERT:
            if (conditions[a[s]][at] === 1) todo.push(b[s]);
            break;
          case SAVE:
          case RESET:
            todo.push(b[s]);
            break;
          case MATCH:
            matched = true;
            // Later states have lower priority.
            if (!reverse) return true;
            break;
          default:
            break;
        }
      }
    }
    return matched;
  }

  /** Whether no transition leads out of a state. */
  isEmpty(state: number): boolean {
    return this.states[state / this.stride].list.length === 0;
  }
}

/** One run of an automaton over a text; can be paused after any character. */
export class Run {
  /** Forwards: the end of the match; backwards: its start; −1 for none. */
  found = -1;
  /** Offset up to which the text was read. */
  at = 0;
  private state = 0;
  private era = 0;
  private content: State | null = null;
  private read = 0;
  private to = 0;

  /** @param pairs whether `text` contains surrogate pairs that the program reads as one character */
  constructor(
    private readonly automaton: Automaton,
    private readonly text: string,
    private readonly pairs: boolean,
  ) {}

  /** Whether no character read so far belongs to a match that has begun. */
  get isBetween(): boolean {
    return this.found < 0 && this.content !== null && this.content.searching && this.content.list.length === 1;
  }

  /** See `Automaton.thrashes`. */
  get thrashes(): boolean {
    return this.automaton.thrashes;
  }

  /** Starts a run at `from`; backwards, it reads no further than `to`. */
  begin(from: number, to: number): void {
    const { automaton, text } = this;
    const { program, reverse } = automaton;
    this.at = from;
    this.to = to;
    this.found = -1;
    this.read = 0;
    this.content = null;
    this.state = automaton.startBeside(reverse ? program.classAfter(text, from) : program.classBefore(text, from));
    this.era = automaton.era;
  }

  /** The state to continue in; another run may have cleared the table in the meantime. */
  private resumed(): number {
    if (this.content !== null && this.era !== this.automaton.era) this.state = this.automaton.numberOf(this.content);
    return this.state;
  }

  private pause(state: number, at: number): false {
    this.state = state;
    this.at = at;
    this.era = this.automaton.era;
    this.content = this.automaton.states[state / this.automaton.stride];
    return false;
  }

  /** Computes a transition; clears the table first if it is full. */
  private make(state: number, read: number): number {
    const { automaton } = this;
    if (!automaton.full) return automaton.make(state, read);
    const content = automaton.states[state / automaton.stride];
    automaton.flush(this.read);
    this.read = 0;
    return automaton.make(automaton.numberOf(content), read);
  }

  /** Continues for about `budget` characters. Returns true when done. */
  forward(budget: number): boolean {
    const { automaton, text, pairs } = this;
    const { program } = automaton;
    const { table, classes } = program;
    const n = text.length;
    let state = this.resumed();
    let cells = automaton.cells;
    let i = this.at;
    let stop = Math.min(n, i + budget);
    let begun = i;
    for (;;) {
      if (i >= stop && i < n) {
        this.read += i - begun;
        return this.pause(state, i);
      }
      const unit = i < n ? text.charCodeAt(i) : 0;
      const wide = pairs && (unit & 0xfc00) === 0xd800 && i < n && (text.codePointAt(i) as number) > 0xffff;
      const read = i >= n ? classes : wide ? program.classAfter(text, i) : table[unit];
      let to = cells[state + read];
      if (to < 0) {
        if (to === UNKNOWN) {
          this.read += i - begun;
          begun = i;
          to = this.make(state, read);
          ({ cells } = automaton);
          stop = Math.min(stop, n, stop - (automaton.states[automaton.states.length - 1].list.length + 16));
        }
        if (to <= MATCHED) {
          this.found = i;
          to = MATCHED - to;
          if (i >= n || automaton.isEmpty(to)) to = DEAD;
        }
        if (to === DEAD) break;
      }
      if (i >= n) break;
      state = to;
      i += wide ? 2 : 1;
    }
    this.at = i;
    return true;
  }

  /** As `forward`, backwards. */
  backward(budget: number): boolean {
    const { automaton, text, pairs, to: least } = this;
    const { program } = automaton;
    const { table, classes } = program;
    let state = this.resumed();
    let cells = automaton.cells;
    let i = this.at;
    let left = budget;
    for (;;) {
      if (--left < 0 && i > least) return this.pause(state, i);
      const unit = i > 0 ? text.charCodeAt(i - 1) : 0;
      const wide = pairs && (unit & 0xfc00) === 0xdc00 && i > 1 && (text.charCodeAt(i - 2) & 0xfc00) === 0xd800;
      const read = i === 0 ? classes : wide ? program.classBefore(text, i) : table[unit];
      let to = cells[state + read];
      if (to < 0) {
        if (to === UNKNOWN) {
          to = this.make(state, read);
          ({ cells } = automaton);
          left -= automaton.states[automaton.states.length - 1].list.length + 16;
        }
        if (to <= MATCHED) {
          this.found = i;
          to = MATCHED - to;
          if (i === 0 || automaton.isEmpty(to)) to = DEAD;
        }
        if (to === DEAD) break;
      }
      if (i <= least) break;
      this.read++;
      state = to;
      i -= wide ? 2 : 1;
    }
    this.at = i;
    return true;
  }
}
