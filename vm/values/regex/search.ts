/**
 * Searches one text for an expression, in steps. V8 searches where its work is provably bounded: in windows without a
 * long run of characters that a loop matches. An automaton searches the rest; backtracking with memory handles what the
 * automaton cannot.
 */
import type { RegexForm } from '../structured.js';
import { isInPair } from '../text/codepoints.js';
import { Automaton, Run } from './automaton.js';
import { Backtracker, FOUND, NONE, PENDING, planOf, STOPPED, type Plan } from './backtrack.js';
import type { Cost } from './cost.js';
import type { Program } from './program.js';

/** Steps of our own engines in one step: a fraction of a millisecond. */
const BUDGET = 16_384;
/** Matches visited in one step. */
const BATCH = 256;
/** Offsets tried backwards in one step, and the steps for each before a pause. */
const TRIED = 128;
const TRIED_STEPS = BUDGET / TRIED;
/** Steps that V8 may take to find the groups of a match whose bounds are known. */
const ATTEMPT_STEPS = 200_000;
/** Characters that the automaton may read beyond the ends of matches, per character of the text. */
const OVERSCAN = 4;

/** One match. Offsets count UTF-16 units. */
export interface Found {
  start: number;
  end: number;
  /** The whole match, then the groups; undefined for a group that did not take part. */
  groups: readonly (string | undefined)[];
  /** Group texts by name, or null if no group has a name. */
  names: Readonly<Record<string, string | undefined>> | null;
}

/**
 * A kind of window: no loop matches more than `run` characters in a row in it, and no attempt reads further than
 * `margin`. Lengths in UTF-16 units.
 */
interface Window {
  run: number;
  size: number;
  margin: number;
}

/** Maximum window and run sizes that V8 can search in a few milliseconds, by degree. */
// prettier-ignore
const WINDOWS: readonly (readonly { size: number; run: number; steps: number }[])[] = [
  [],
  [{ size: 1 << 18, run: 1 << 14, steps: 1 << 22 }],
  [{ size: 1 << 15, run: 128, steps: 1 << 22 }, { size: 1 << 14, run: 512, steps: 1 << 23 }, { size: 1 << 13, run: 1024, steps: 1 << 23 }],
  [{ size: 1 << 12, run: 32, steps: 1 << 22 }, { size: 1 << 11, run: 64, steps: 1 << 23 }],
];
/** Number of Latin-1 characters. */
const LATIN = 256;
/** Maximum number of loop sets for which windows are checked. */
const MAX_UNIONS = 8;

/** Results of the analysis of an expression. */
export class Prepared {
  readonly plan: Plan;
  private readonly windows: readonly [plain: readonly Window[], pairs: readonly Window[]];
  /** Classes of loops, without sets contained in another one. */
  readonly unions: readonly Uint8Array[];
  /** For each of them, membership of the Latin-1 characters. */
  readonly latin: readonly Uint8Array[];
  private forwards: Automaton | null = null;
  private backwards: Automaton | null = null;

  /** @param usesV8 whether V8 compiles the expression quickly */
  constructor(
    readonly program: Program,
    readonly cost: Cost,
    readonly usesV8: boolean,
    windows = WINDOWS,
  ) {
    this.plan = planOf(program);
    this.unions = largest(cost.reach?.unions ?? []);
    this.latin = this.unions.map((union) =>
      Uint8Array.from({ length: LATIN }, (_, unit) => union[program.classOf(unit)]),
    );
    this.windows =
      !usesV8 || this.unions.length > MAX_UNIONS
        ? [[], []]
        : [windowsOf(cost, 1, windows), windowsOf(cost, 2, windows)];
  }

  /** Kinds of windows; with `pairs`, a character can have two units. */
  windowsFor(pairs: boolean): readonly Window[] {
    return this.windows[pairs ? 1 : 0];
  }

  get hasAutomaton(): boolean {
    return this.program.reverseStart >= 0;
  }

  /** The longest text that V8 certainly searches within about 2 ms; -1: none. */
  get atOnce(): number {
    return this.usesV8 ? atOnceFor(this.cost) : -1;
  }

  /**
   * The search of a text. `pairs`: whether characters of it can have two units. `name` stands for the expression in
   * messages.
   */
  search(form: RegexForm, text: string, pairs: boolean, name: string): Search {
    return new Search(this, form, text, pairs, name);
  }

  /** The automaton of a direction. Only the most recent expressions keep their tables. */
  automaton(reverse: boolean): Automaton {
    let known = reverse ? this.backwards : this.forwards;
    if (known !== null) return known;
    known = new Automaton(this.program, reverse);
    if (reverse) this.backwards = known;
    else this.forwards = known;
    if (!recent.includes(this)) recent.push(this);
    if (recent.length > RECENT) (recent.shift() as Prepared).forget();
    return known;
  }

  private forget(): void {
    this.forwards = this.backwards = null;
  }
}

/** The sets that are not contained in another one. */
function largest(sets: readonly Uint8Array[]): Uint8Array[] {
  const distinct = [...new Map(sets.map((set) => [set.join(''), set])).values()];
  return distinct.filter((set) => !distinct.some((other) => other !== set && set.every((has, k) => has <= other[k])));
}

/** Expressions whose automata are kept, oldest first. */
const recent: Prepared[] = [];
const RECENT = 8;

/** Length of the longest text that V8 searches in about 2 ms; −1: none. */
export function atOnceFor({ search, weight }: Cost): number {
  if (search === Infinity || weight > 1 << 20) return -1;
  return search === 1
    ? Math.min(1 << 16, Math.floor((1 << 23) / (weight + 8)))
    : Math.floor(((1 << 21) / heaviness(weight)) ** (1 / search));
}

/** Factor by which a loop iteration can be slower than a step, since the loop can be left at each iteration. */
function heaviness(weight: number): number {
  return Math.max(1, weight / 32);
}

function windowsOf({ search, weight, reach }: Cost, units: number, windows: typeof WINDOWS): Window[] {
  if (reach === null || search >= windows.length) return [];
  const out: Window[] = [];
  for (const { size, run, steps } of windows[search]) {
    const most = Math.floor(
      Math.min(
        size,
        search === 1 ? (2 * steps) / (weight + 8) : steps / (run ** (search - 1) * heaviness(weight) + weight),
      ),
    );
    // The margin at a window's end is searched again: at most a sixteenth of the window where runs are unlimited.
    const longest = search === 1 ? Math.min(run, Math.floor(most / 16 / Math.max(1, reach.loops))) : run;
    const margin = (reach.fixed + reach.loops * longest) * units + 4;
    if (longest > 0 && 4 * margin <= most) out.push({ run: longest, size: most, margin });
  }
  return out;
}

const enum Phase {
  Idle,
  Window,
  Ends,
  Starts,
  Groups,
  Remember,
}

/** Iterates over the matches of one expression in one text. Holds all state, so a search can stop after any step. */
export class Search {
  /** The current match. */
  start = -1;
  end = -1;
  private phase = Phase.Idle;
  private fresh = true;
  private from = 0;
  private byV8: RegExpExecArray | null = null;
  private usesAutomaton: boolean;
  private readonly ends: Run | null;
  private readonly begins: Run | null;
  private backtracker: Backtracker | null = null;
  /** Whether the backtracker has found the groups of the match. */
  private hasSlots = false;
  private overscan = 0;
  private visited = 0;
  /** Index of the kind of windows in use; past the last one, no windows are used. */
  private kind = 0;
  /** Offset from which windows are worth another try. */
  private badUntil = 0;
  private readonly good: number[];
  private readonly windows: readonly Window[];
  private base = 0;
  private windowEnd = -1;
  /** Last start for which the window is valid. */
  private last = -1;
  private windowText = '';
  private readonly behind: number;
  /** Whether V8 has thrown an error. */
  private v8Failed = false;

  /**
   * @param pairs whether `text` contains surrogate pairs that the expression reads as one character
   * @param name the expression, for error messages
   */
  constructor(
    private readonly prepared: Prepared,
    private readonly form: RegexForm,
    private readonly text: string,
    private readonly pairs: boolean,
    private readonly name: string,
  ) {
    this.usesAutomaton = prepared.hasAutomaton;
    this.ends = this.usesAutomaton ? new Run(prepared.automaton(false), text, pairs) : null;
    this.begins = this.usesAutomaton ? new Run(prepared.automaton(true), text, pairs) : null;
    this.windows = prepared.windowsFor(pairs);
    this.good = prepared.unions.map(() => 0);
    this.behind = 2 + 2 * (prepared.cost.reach?.behind ?? 0);
  }

  /** Starts the search for the next match, at `from`. */
  begin(from: number): void {
    this.from = from;
    this.byV8 = null;
    this.hasSlots = false;
    this.enter(this.hasWindows && from >= this.badUntil ? Phase.Window : this.ownPhase());
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.fresh = true;
  }

  private ownPhase(): Phase {
    return this.usesAutomaton ? Phase.Ends : Phase.Remember;
  }

  /** Runs for a fraction of a millisecond. Returns PENDING, FOUND or NONE. @throws RuntimeError, MemoryError */
  step(budget = BUDGET): number {
    switch (this.phase) {
      case Phase.Window:
        return this.window();
      case Phase.Ends:
        return this.findEnd(budget);
      case Phase.Starts:
        return this.findStart(budget);
      case Phase.Groups:
        return this.findGroups(budget);
      case Phase.Remember:
        return this.remember(budget);
      default:
        return NONE;
    }
  }

  private window(): number {
    const { text, from } = this;
    if ((from < this.base + this.behind && this.base > 0) || from > this.last) {
      if (!this.open(from)) {
        this.enter(this.ownPhase());
        return PENDING;
      }
    }
    const match = this.exec(from);
    if (this.v8Failed) return PENDING;
    if (match === null || match.index + this.base > this.last) {
      if (this.windowEnd === text.length) return NONE;
      this.from = Math.max(from + 1, this.last + 1);
      if (this.pairs && isInPair(text, this.from)) this.from++;
      return PENDING;
    }
    this.take(match);
    return FOUND;
  }

  /** V8's next match in the window. Skips empty matches between the units of a surrogate pair. */
  private exec(from: number): RegExpExecArray | null {
    const { global } = this.form;
    global.lastIndex = from - this.base;
    try {
      let match = global.exec(this.windowText);
      while (match !== null && this.pairs && isInPair(this.text, this.base + match.index)) {
        global.lastIndex = match.index + 1;
        match = global.exec(this.windowText);
      }
      return match;
    } catch {
      // The expression is too large for V8, or its backtracking stack overflowed.
      this.v8Failed = true;
      this.from = from;
      this.enter(this.ownPhase());
      return null;
    }
  }

  private take(match: RegExpExecArray): void {
    this.byV8 = match;
    this.start = this.base + match.index;
    this.end = this.start + match[0].length;
  }

  /** Opens the next window. Returns false if the runs there are too long. */
  private open(from: number): boolean {
    const { text, windows } = this;
    for (; this.kind < windows.length; this.kind++) {
      const { size, margin, run } = windows[this.kind];
      const wanted = Math.min(text.length, from + size);
      const end = this.provenUntil(from, wanted, run);
      if (end === wanted || end - from >= 4 * margin) {
        this.base = Math.max(0, from - this.behind);
        this.windowEnd = end;
        this.last = end === text.length ? Infinity : end - margin;
        this.windowText = this.base === 0 && end === text.length ? text : text.slice(this.base, end);
        return true;
      }
      this.badUntil = end + 8 * run;
    }
    this.kind = 0;
    this.last = -1;
    return false;
  }

  /**
   * The first offset where a run of a loop's characters exceeds `run`, or `end`. Jumps by a run's length, then scans
   * backwards for the end of the run.
   */
  private provenUntil(from: number, end: number, run: number): number {
    const { text, good, pairs } = this;
    const { program, unions, latin } = this.prepared;
    const { table } = program;
    let until = end;
    for (const [u, union] of unions.entries()) {
      const low = latin[u];
      let at = Math.max(good[u], from - 1);
      while (at < until) {
        let next = at + run;
        if (next >= text.length) {
          at = next;
          break;
        }
        for (; next > at; next--) {
          const unit = text.charCodeAt(next);
          // A surrogate can be half of a character that the loop matches.
          if (unit < LATIN ? low[unit] === 0 : union[table[unit]] === 0 && !(pairs && (unit & 0xf800) === 0xd800))
            break;
        }
        if (next === at) break;
        at = next;
      }
      if (this.kind === 0) good[u] = at;
      if (at < until) until = Math.max(at, from);
    }
    return until;
  }

  private findEnd(budget: number): number {
    const run = this.ends as Run;
    if (this.fresh) {
      run.begin(this.from, this.text.length);
      this.fresh = false;
    }
    const done = run.forward(
      this.windowsAhead(run.at) ? Math.min(budget, Math.max(256, this.badUntil - run.at)) : budget,
    );
    if (!done) {
      if (run.thrashes) this.forgetAutomaton();
      else if (run.isBetween && run.at >= this.badUntil && this.hasWindows) {
        // No character read so far belongs to a match.
        this.from = run.at;
        this.enter(Phase.Window);
      }
      return PENDING;
    }
    if (run.found < 0) return NONE;
    this.end = run.found;
    this.overscan += run.at - run.found;
    // Starting with the next match, use the backtracker: its memory is valid for all later matches.
    if (this.overscan > OVERSCAN * this.text.length + BUDGET) this.usesAutomaton = false;
    this.enter(Phase.Starts);
    return PENDING;
  }

  private get hasWindows(): boolean {
    return this.windows.length > 0 && !this.v8Failed;
  }

  private windowsAhead(at: number): boolean {
    return this.hasWindows && at < this.badUntil;
  }

  private forgetAutomaton(): void {
    this.usesAutomaton = false;
    this.enter(Phase.Remember);
  }

  private findStart(budget: number): number {
    const run = this.begins as Run;
    if (this.fresh) {
      run.begin(this.end, this.from);
      this.fresh = false;
    }
    if (!run.backward(budget)) return PENDING;
    this.start = run.found;
    if (this.prepared.program.groups === 0) return FOUND;
    // V8 reads no further than the automaton did.
    const { attempt, weight } = this.prepared.cost;
    const far = (this.ends as Run).at - this.start + 1;
    if (this.prepared.usesV8 && attempt !== Infinity && far ** attempt * heaviness(weight) + weight <= ATTEMPT_STEPS) {
      const { sticky } = this.form;
      sticky.lastIndex = this.start;
      this.byV8 = sticky.exec(this.text);
      return FOUND;
    }
    this.enter(Phase.Groups);
    return PENDING;
  }

  private get memory(): Backtracker {
    return (this.backtracker ??= new Backtracker(
      this.prepared.program,
      this.prepared.plan,
      this.text,
      this.pairs,
      this.name,
    ));
  }

  private findGroups(budget: number): number {
    if (this.fresh) this.memory.begin(this.start, true);
    this.fresh = false;
    const state = this.memory.run(budget);
    this.hasSlots = state === FOUND;
    return state;
  }

  private remember(budget: number): number {
    if (this.fresh)
      this.memory.begin(this.from, false, this.hasWindows ? Math.max(this.badUntil, this.from + 1) : Infinity);
    this.fresh = false;
    const state = this.memory.run(budget);
    if (state === STOPPED) {
      this.from = this.memory.at;
      this.enter(Phase.Window);
      return PENDING;
    }
    if (state === FOUND) {
      this.hasSlots = true;
      [this.start, this.end] = this.memory.slots;
    }
    return state;
  }

  /** The current match. */
  get found(): Found {
    const { text, start, end, byV8 } = this;
    if (byV8 !== null) return { start, end, groups: byV8, names: byV8.groups ?? null };
    const { groups: count, names } = this.prepared.program;
    if (!this.hasSlots || count === 0) return { start, end, groups: [text.slice(start, end)], names: null };
    const { slots } = this.memory;
    const groups: (string | undefined)[] = [];
    for (let i = 0; i < slots.length; i += 2)
      groups.push(slots[i] < 0 || slots[i + 1] < 0 ? undefined : text.slice(slots[i], slots[i + 1]));
    return {
      start,
      end,
      groups,
      names: names.size === 0 ? null : Object.fromEntries([...names].map(([name, group]) => [name, groups[group]])),
    };
  }

  /** Where the next search begins: at the end of the match, or one character later if it is empty. */
  get next(): number {
    if (this.end > this.start) return this.end;
    return this.end + (this.pairs && (this.text.codePointAt(this.end) ?? 0) > 0xffff ? 2 : 1);
  }

  /** Start and end of a group of the match at `start`, which is matched again. Null if the group did not take part. */
  *groupSpan(start: number, group: number): Generator<void, readonly [number, number] | null, void> {
    if (!(yield* this.findAt(start))) return null;
    const [from, to] = this.memory.slots.subarray(2 * group, 2 * group + 2);
    return from < 0 || to < 0 ? null : [from, to];
  }

  /** Whether a match begins at an offset. */
  *findAt(start: number): Generator<void, boolean, void> {
    this.memory.begin(start, true);
    let state = this.memory.run(BUDGET);
    for (; state === PENDING; state = this.memory.run(BUDGET)) yield;
    return state === FOUND;
  }

  /**
   * Finds the last match that begins between two offsets, both included. Takes linear time: a failed state is
   * remembered for all offsets. No other search may follow.
   */
  *findLast(low: number, high: number): Generator<void, boolean, void> {
    // States on the path of a match are remembered too, so use the memory of no other search.
    this.backtracker = this.byV8 = null;
    const { memory } = this;
    let count = 0;
    for (let at = high; at >= low; at--) {
      if (isInPair(this.text, at)) continue;
      memory.begin(at, true);
      let state = memory.run(TRIED_STEPS);
      for (; state === PENDING; state = memory.run(BUDGET)) yield;
      if (state === FOUND) {
        this.hasSlots = true;
        [this.start, this.end] = memory.slots;
        return true;
      }
      if (++count % TRIED === 0) yield;
    }
    return false;
  }

  /** Searches from an offset. Returns whether there is a match. */
  *find(from: number): Generator<void, boolean, void> {
    this.begin(from);
    let state = this.step();
    for (; state === PENDING; state = this.step()) yield;
    return state === FOUND;
  }

  /** Calls `visit` for each match until it returns false. */
  *each(visit: (found: Found) => unknown): Generator<void, void, void> {
    for (let from = 0; from <= this.text.length && (yield* this.find(from));) {
      if (visit(this.found) === false) return;
      from = this.next;
      if (this.phase !== Phase.Window) {
        if (++this.visited % BATCH === 0) yield;
        continue;
      }
      from = this.follow(from, visit);
      if (from < 0) return;
      yield;
    }
  }

  /** Visits matches in the rest of the window directly. Returns where to continue, or −1 at the end. */
  private follow(start: number, visit: (found: Found) => unknown): number {
    const { text, base, last, windowEnd } = this;
    let from = start;
    for (let count = 1; count < BATCH && from <= last; count++) {
      if (from > text.length) return -1;
      const match = this.exec(from);
      if (this.v8Failed) return from;
      if (match === null || match.index + base > last) return windowEnd === text.length ? -1 : last + 1;
      this.take(match);
      if (visit({ start: this.start, end: this.end, groups: match, names: match.groups ?? null }) === false) return -1;
      from = this.next;
    }
    return from;
  }
}
