/** An expression as a graph of states, run by our own engines and analysed by `cost.ts`. */
import { Unbounded, type Alternative, type Node, type Place, type Tree } from './regexparse.js';
import { rangesOf, type Ranges } from './sets.js';

/**
 * Kinds of states. CHAR reads a character of a set; SPLIT and RUN try `a` before `b`; RUN is a greedy loop over one
 * set.
 */
export const CHAR = 0;
export const SPLIT = 1;
export const SAVE = 2;
export const RESET = 3;
export const ASSERT = 4;
export const LOOK = 5;
export const REFERENCE = 6;
export const MATCH = 7;
const FAIL = 8;
export const RUN = 9;

const MAX_STATES = 10_000;
/** Maximum entries of the tables of which conditions hold between which classes. */
const MAX_TABLE_ENTRIES = 1 << 21;
/** Set boundaries processed in one step, times the number of sets. */
const LOOKED_AT = 20_000;

/** A lookaround: the start state of its body, the slots of the groups inside, and the enclosing lookaround or −1. */
export interface Look {
  start: number;
  ahead: boolean;
  negate: boolean;
  firstSlot: number;
  /** Less than `firstSlot` if there are no groups inside. */
  lastSlot: number;
  parent: number;
}

/**
 * A condition on the two characters around a position: number of a set (−1: none) and whether an end of the text
 * satisfies it.
 */
interface Condition {
  kind: 'previous' | 'next' | 'word' | 'lineStart';
  set: number;
  edge: boolean;
  negate: boolean;
}

/**
 * A compiled expression. Conditions are looked up by the class of the character before the position and of the one
 * after it.
 */
export class Program {
  op = new Uint8Array(0);
  /**
   * CHAR: set. SPLIT, RUN: first alternative. SAVE: slot. RESET: first slot. ASSERT: condition. LOOK: lookaround.
   * REFERENCE: group.
   */
  a = new Int32Array(0);
  /** Next state; SPLIT, RUN: second alternative; REFERENCE: next state if nothing was consumed. */
  b = new Int32Array(0);
  /** CHAR: 1 forwards, −1 backwards. RESET: last slot. REFERENCE: next state if something was consumed. */
  c = new Int32Array(0);
  /** REFERENCE: direction as in CHAR's `c`. */
  d = new Int32Array(0);
  start = 0;
  /**
   * Start state of the backward search from a match's end to its start; −1 if the program has lookarounds or
   * back-references.
   */
  reverseStart = -1;
  match = 0;
  readonly looks: Look[] = [];
  hasReference = false;
  groups = 0;
  names: ReadonlyMap<string, number> = new Map();
  /** Number of slots for starts and ends of groups. */
  slots = 2;
  /**
   * Number of classes: sets of characters that no set of the program distinguishes. The number itself is the class of
   * the end of the text.
   */
  classes = 0;
  /** `classes` + 1. */
  width = 1;
  /** [set * width + class]: 1 if the set contains the class. */
  has = new Uint8Array(0);
  /** For each condition, [class before * width + class after]: 1 if it holds. */
  conditions: Uint8Array[] = [];
  private bounds: number[] = [];
  private boundClasses: number[] = [];
  private classTable: Uint8Array | Uint16Array | null = null;

  constructor(
    readonly unicode: boolean,
    readonly ignoresCase: boolean,
  ) {}

  setClasses(bounds: number[], boundClasses: number[], classes: number): void {
    this.bounds = bounds;
    this.boundClasses = boundClasses;
    this.classes = classes;
    this.width = classes + 1;
  }

  /** Classes by UTF-16 unit. */
  get table(): Uint8Array | Uint16Array {
    if (this.classTable !== null) return this.classTable;
    const table = this.classes <= 255 ? new Uint8Array(65536) : new Uint16Array(65536);
    for (let i = 0; i < this.bounds.length && this.bounds[i] < 65536; i++)
      table.fill(this.boundClasses[i], this.bounds[i], Math.min(65536, this.bounds[i + 1] ?? 65536));
    return (this.classTable = table);
  }

  /** Class of a code point. */
  classOf(code: number): number {
    let lo = 0;
    let hi = this.bounds.length;
    while (hi - lo > 1) {
      const mid = (lo + hi) >> 1;
      if (this.bounds[mid] <= code) lo = mid;
      else hi = mid;
    }
    return this.boundClasses[lo];
  }

  /** Class of the character that ends at an offset. */
  classBefore(text: string, at: number): number {
    if (at === 0) return this.classes;
    const unit = text.charCodeAt(at - 1);
    if (this.unicode && (unit & 0xfc00) === 0xdc00 && at > 1) {
      const point = text.codePointAt(at - 2) as number;
      if (point > 0xffff) return this.classOf(point);
    }
    return this.table[unit];
  }

  /** Class of the character that begins at an offset. */
  classAfter(text: string, at: number): number {
    if (at >= text.length) return this.classes;
    const unit = text.charCodeAt(at);
    if (this.unicode && (unit & 0xfc00) === 0xd800) {
      const point = text.codePointAt(at) as number;
      if (point > 0xffff) return this.classOf(point);
    }
    return this.table[unit];
  }
}

/** Compiles an expression, in steps. @throws Unbounded if it would be too large */
export function* compileProgram(tree: Tree, flags: string): Generator<void, Program, void> {
  const builder = new Builder(tree, flags);
  yield* builder.findSets();
  yield* builder.build();
  yield* builder.classify();
  return builder.program;
}

class Builder {
  readonly program: Program;
  private readonly op: number[] = [];
  private readonly a: number[] = [];
  private readonly b: number[] = [];
  private readonly c: number[] = [];
  private readonly d: number[] = [];
  private readonly sets: Ranges[] = [];
  private readonly setKeys = new Map<string, number>();
  private readonly setOfAtom = new Map<string, number>();
  private readonly conditions: Condition[] = [];
  private readonly conditionKeys = new Map<string, number>();
  /** States by node and direction, then by both continuations. */
  private readonly made: (Map<number, number> | undefined)[] = [];
  private fail = 0;
  private openLook = -1;

  constructor(
    private readonly tree: Tree,
    private readonly flags: string,
  ) {
    const program = (this.program = new Program(flags.includes('u'), flags.includes('i')));
    program.groups = tree.groups;
    program.names = tree.names;
    program.slots = 2 * (tree.groups + 1);
  }

  /** Determines the sets of characters that the atoms match: the only part that can take long. */
  *findSets(): Generator<void, void, void> {
    const atoms = new Set<string>();
    const places = new Set<Place>();
    const visit = (node: Node): void => {
      if (node.kind === 'atom') atoms.add(node.raw);
      else if (node.kind === 'place') places.add(node.place);
      else if (node.kind === 'repeat') visit(node.body);
      else if (node.kind !== 'reference') for (const parts of node.alternatives) for (const part of parts) visit(part);
    };
    for (const parts of this.tree.alternatives) for (const part of parts) visit(part);
    if (places.has('word') || places.has('notWord')) atoms.add('\\w');
    if (places.has('lineStart') || places.has('lineEnd')) atoms.add('\\n');
    let count = 0;
    for (const raw of atoms) {
      this.setOfAtom.set(raw, this.set(yield* rangesOf(raw, this.flags)));
      if (++count % 4 === 0) yield;
    }
  }

  *build(): Generator<void, void, void> {
    const { program, tree } = this;
    program.match = this.emit(MATCH);
    this.fail = this.emit(FAIL);
    const end = this.emit(SAVE, 1, program.match);
    program.start = this.emit(SAVE, 0, this.alternatives(tree.alternatives, end, end, 1));
    yield;
    this.buildReverse();
    program.op = Uint8Array.from(this.op);
    program.a = Int32Array.from(this.a);
    program.b = Int32Array.from(this.b);
    program.c = Int32Array.from(this.c);
    program.d = Int32Array.from(this.d);
  }

  /**
   * Builds the backward program for the automaton; omitted if it would be too large, because other engines work without
   * it.
   */
  private buildReverse(): void {
    const { program, tree, op } = this;
    if (program.looks.length > 0 || program.hasReference || 2 * op.length > MAX_STATES) return;
    program.reverseStart = this.alternatives(tree.alternatives, program.match, program.match, -1);
  }

  private emit(op: number, a = 0, b = 0, c = 0, d = 0): number {
    if (this.op.length >= MAX_STATES)
      throw new Unbounded('is too large: it has more than 10,000 parts, counting repetitions');
    this.op.push(op);
    this.a.push(a);
    this.b.push(b);
    this.c.push(c);
    this.d.push(d);
    return this.op.length - 1;
  }

  private set(ranges: Ranges): number {
    const key = ranges.join();
    let id = this.setKeys.get(key);
    if (id === undefined) {
      this.setKeys.set(key, (id = this.sets.length));
      this.sets.push(ranges);
    }
    return id;
  }

  private condition(kind: Condition['kind'], set: number, edge: boolean, negate: boolean): number {
    const key = `${kind}${set}${edge}${negate}`;
    let id = this.conditionKeys.get(key);
    if (id === undefined) {
      this.conditionKeys.set(key, (id = this.conditions.length));
      this.conditions.push({ kind, set, edge, negate });
    }
    return id;
  }

  private atom(raw: string): number {
    return this.setOfAtom.get(raw) as number;
  }

  private alternatives(list: readonly Alternative[], k0: number, k1: number, direction: number): number {
    let at = this.sequence(list[list.length - 1], k0, k1, direction);
    for (let i = list.length - 2; i >= 0; i--) at = this.emit(SPLIT, this.sequence(list[i], k0, k1, direction), at);
    return at;
  }

  /**
   * Builds a sequence with two continuations: `k0` if nothing was consumed since the innermost loop's iteration began,
   * `k1` if something was. So matching needs no test for the rule that an optional iteration without progress fails,
   * and there are no cycles without progress.
   */
  private sequence(parts: Alternative, k0: number, k1: number, direction: number): number {
    let [a0, a1] = [k0, k1];
    for (let i = 0; i < parts.length; i++) {
      const part = parts[direction > 0 ? parts.length - 1 - i : i];
      const n0 = this.node(part, a0, a1, direction);
      a1 = a0 === a1 ? n0 : this.node(part, a1, a1, direction);
      a0 = n0;
    }
    return a0;
  }

  private node(node: Node, empty: number, k1: number, direction: number): number {
    const k0 = node.nullable ? empty : k1;
    const states = (this.made[2 * node.id + (direction > 0 ? 1 : 0)] ??= new Map());
    const key = k0 * MAX_STATES + k1;
    let at = states.get(key);
    if (at === undefined) states.set(key, (at = this.state(node, k0, k1, direction)));
    return at;
  }

  private state(node: Node, k0: number, k1: number, direction: number): number {
    switch (node.kind) {
      case 'atom':
        return this.emit(CHAR, this.atom(node.raw), k1, direction);
      case 'place':
        return this.emit(ASSERT, this.place(node.place), k0);
      case 'reference':
        this.program.hasReference = true;
        return this.emit(REFERENCE, node.groups[0], k0, k1, direction);
      case 'repeat':
        return this.repeat(node, k0, k1, direction);
      case 'look':
        return this.look(node, k0);
      case 'group': {
        if (node.index === 0) return this.alternatives(node.alternatives, k0, k1, direction);
        const [first, last] =
          direction > 0 ? [2 * node.index, 2 * node.index + 1] : [2 * node.index + 1, 2 * node.index];
        const e0 = this.emit(SAVE, last, k0);
        const e1 = k0 === k1 ? e0 : this.emit(SAVE, last, k1);
        return this.emit(SAVE, first, this.alternatives(node.alternatives, e0, e1, direction));
      }
    }
  }

  private place(place: Place): number {
    switch (place) {
      case 'start':
        return this.condition('previous', -1, true, false);
      case 'end':
        return this.condition('next', -1, true, false);
      case 'lineStart':
        return this.condition('lineStart', this.atom('\\n'), true, false);
      case 'lineEnd':
        return this.condition('next', this.atom('\\n'), true, false);
      case 'word':
        return this.condition('word', this.atom('\\w'), false, false);
      case 'notWord':
        return this.condition('word', this.atom('\\w'), false, true);
    }
  }

  private look(node: Node & { kind: 'look' }, k0: number): number {
    // A lookaround of one character is a condition on the neighbours, as `\b` is.
    const only = node.alternatives.length === 1 && node.alternatives[0].length === 1 ? node.alternatives[0][0] : null;
    if (only?.kind === 'atom')
      return this.emit(
        ASSERT,
        this.condition(node.ahead ? 'next' : 'previous', this.atom(only.raw), false, node.negate),
        k0,
      );
    const { looks } = this.program;
    const id = looks.length;
    const look: Look = {
      start: -1,
      ahead: node.ahead,
      negate: node.negate,
      firstSlot: 2 * node.first,
      lastSlot: node.last === 0 ? -1 : 2 * node.last + 1,
      parent: this.openLook,
    };
    looks.push(look);
    this.openLook = id;
    look.start = this.alternatives(node.alternatives, this.program.match, this.program.match, node.ahead ? 1 : -1);
    this.openLook = look.parent;
    return this.emit(LOOK, id, k0);
  }

  private repeat(node: Node & { kind: 'repeat' }, k0: number, k1: number, direction: number): number {
    const { body, greedy, min, max } = node;
    const iteration = (c0: number, c1: number): number => {
      const at = this.node(body, c0, c1, direction);
      return body.last === 0 ? at : this.emit(RESET, 2 * body.first, at, 2 * body.last + 1);
    };
    const split = (into: number, out: number): number => this.emit(SPLIT, greedy ? into : out, greedy ? out : into);
    let [a0, a1] = [k0, k1];
    if (max === Infinity) {
      const loop = this.emit(SPLIT);
      const into = iteration(this.fail, loop);
      this.a[loop] = greedy ? into : k1;
      this.b[loop] = greedy ? k1 : into;
      if (greedy && this.op[into] === CHAR && this.b[into] === loop) this.op[loop] = RUN;
      a1 = loop;
      a0 = k0 === k1 ? loop : split(into, k0);
    } else {
      for (let i = min; i < max; i++) {
        const into = iteration(this.fail, a1);
        a1 = split(into, k1);
        a0 = k0 === k1 ? a1 : split(into, k0);
      }
    }
    for (let i = 0; i < min; i++) {
      const was = a0;
      const n0 = iteration(a0, a1);
      a1 = a0 === a1 ? n0 : iteration(a1, a1);
      // An empty iteration takes time in V8: an extra state accounts for it.
      a0 = n0 === was ? this.emit(RESET, 1, n0, 0) : n0;
      if (n0 === was && a1 === was) a1 = a0;
    }
    return a0;
  }

  /** Puts characters that no set distinguishes into one class. */
  *classify(): Generator<void, void, void> {
    const { program, sets } = this;
    const bounds = bordersOf(sets);
    const cursors = sets.map(() => 0);
    const ids = new Map<string, number>();
    const classes: number[] = [];
    const pace = Math.ceil(LOOKED_AT / (sets.length + 1));
    for (const [i, lo] of bounds.entries()) {
      if (i % pace === pace - 1) yield;
      let key = '';
      for (const [s, ranges] of sets.entries()) {
        while (cursors[s] < ranges.length && ranges[cursors[s] + 1] < lo) cursors[s] += 2;
        key += cursors[s] < ranges.length && ranges[cursors[s]] <= lo ? '1' : '0';
      }
      let id = ids.get(key);
      if (id === undefined) ids.set(key, (id = ids.size));
      classes.push(id);
    }
    program.setClasses(bounds, classes, ids.size);
    const { width } = program;
    if (this.conditions.length * width * width > MAX_TABLE_ENTRIES || sets.length * width > MAX_TABLE_ENTRIES)
      throw new Unbounded('distinguishes too many kinds of characters');
    program.has = new Uint8Array(sets.length * width);
    for (const [key, id] of ids)
      for (let s = 0; s < sets.length; s++) program.has[s * width + id] = key.charCodeAt(s) - 48;
    for (const condition of this.conditions) {
      program.conditions.push(this.table(condition));
      yield;
    }
  }

  /** The table of a condition: for which pairs of classes it holds. */
  private table({ kind, set, edge, negate }: Condition): Uint8Array {
    const { has, width, classes } = this.program;
    const out = new Uint8Array(width * width);
    const inSet = (of: number, atEdge: boolean): boolean =>
      of === classes ? atEdge : set >= 0 && has[set * width + of] === 1;
    for (let before = 0; before < width; before++) {
      for (let after = 0; after < width; after++) {
        let holds: boolean;
        if (kind === 'word') holds = inSet(before, false) !== inSet(after, false);
        else if (kind === 'lineStart') holds = before === classes || (inSet(before, false) && after !== classes);
        else holds = inSet(kind === 'previous' ? before : after, edge);
        out[before * width + after] = holds !== negate ? 1 : 0;
      }
    }
    return out;
  }
}

/** All code points where a set begins or ends. */
function bordersOf(sets: readonly Ranges[]): number[] {
  const cuts = new Set([0]);
  for (const ranges of sets) {
    for (let i = 0; i < ranges.length; i += 2) {
      cuts.add(ranges[i]);
      cuts.add(ranges[i + 1] + 1);
    }
  }
  return [...cuts].filter((code) => code <= 0x10ffff).sort((x, y) => x - y);
}
