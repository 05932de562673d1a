/**
 * How the time of V8's search grows with the length n of the text: as n to the power of a degree, or exponentially.
 * This follows from the ambiguity of the automaton whose states are the characters of the expression (Weber and Seidl,
 * "On the degree of ambiguity of finite automata", 1991). A loop that one text can traverse in two ways is exponential.
 * Each pair of successive loops that can match the same text adds one to the degree. The search for a start counts as a
 * loop over all characters. Positions where the match is complete do not count, because an attempt succeeds there.
 * Conditions count as fulfilled, so the result is an upper bound.
 */
import { ASSERT, CHAR, LOOK, MATCH, REFERENCE, RUN, SPLIT, type Program } from './program.js';

/** Steps of the analysis before it gives up, and per step of its generator. */
const BUDGET = 150_000;
const STEP = 3000;
/** Steps charged for starting a closure. */
const CLOSURE = 10;
/** Maximum classes of a program whose conditions at the start are analysed exactly. */
const MAX_CLASSES = 64;
/** Upper limit of path counts. */
const MAX_PATHS = 1e9;

/** How far an attempt reads. */
export interface Reach {
  /** Number of characters outside loops, and of loops, on the longest path. */
  fixed: number;
  loops: number;
  /** Characters that lookbehinds read backwards. */
  behind: number;
  /** For each loop, the classes that it matches. */
  unions: Uint8Array[];
}

/** The cost of a search. */
export interface Cost {
  /** Degree in the text's length: of a search from all starts, and of an attempt at one start. */
  search: number;
  attempt: number;
  /** Steps of an attempt outside loops. */
  weight: number;
  /** Null if nothing bounds how far an attempt reads. */
  reach: Reach | null;
}

class GaveUp extends Error {}

/**
 * Positions reachable from a state without reading a character, with the number of paths to each, and the number of
 * steps.
 */
interface Closure {
  to: [position: number, ways: number][];
  steps: number;
  accepts: boolean;
}

/** Computes the cost of a program, in steps. */
export function* costOf(program: Program): Generator<void, Cost, void> {
  const analysis = new Analysis(program);
  try {
    return yield* analysis.judge();
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error;
    return { search: Infinity, attempt: Infinity, weight: 1, reach: null };
  }
}

class Analysis {
  private spent = 0;
  private paused = 0;

  constructor(private readonly program: Program) {}

  *judge(): Generator<void, Cost, void> {
    const { program } = this;
    const main = yield* this.part(program.start, true);
    let [search, attempt, weight] = [main.search, main.attempt, main.weight];
    let reach = main.reach;
    const added: number[] = [];
    for (const look of program.looks) {
      const part = yield* this.part(look.start, false);
      yield* this.pause();
      // A lookaround can run at every position that the path around it reaches.
      added.push((part.loops ? part.attempt : 0) + (look.parent < 0 ? 0 : added[look.parent]));
      weight += part.weight;
      if (part.reach === null || (!look.ahead && part.reach.loops > 0)) reach = null;
      else if (reach !== null) {
        const { fixed, loops, unions } = part.reach;
        reach = {
          fixed: reach.fixed + fixed,
          loops: reach.loops + loops,
          behind: reach.behind + (look.ahead ? 0 : fixed),
          unions: [...reach.unions, ...unions],
        };
      }
    }
    const most = Math.max(0, ...added);
    search += most;
    attempt += most;
    if (program.hasReference && search > 1) {
      search++;
      attempt++;
    }
    return { search, attempt, weight: Math.min(weight, MAX_PATHS), reach: search === Infinity ? null : reach };
  }

  private *part(
    start: number,
    isMain: boolean,
  ): Generator<void, { search: number; attempt: number; weight: number; loops: boolean; reach: Reach | null }, void> {
    const graph = yield* this.graph(start);
    const ambiguity = new Ambiguity(graph, this.program, () => this.spend());
    if (yield* this.paced(ambiguity.exponential()))
      return { search: Infinity, attempt: Infinity, weight: 1, loops: true, reach: null };
    const attempt = yield* this.paced(ambiguity.degree(false));
    const search = isMain ? yield* this.paced(ambiguity.degree(true)) : attempt;
    return {
      search,
      attempt,
      weight: weightOf(graph, this.program),
      loops: graph.cyclic.some((x, v) => x && !graph.accepts[v]),
      reach: reachOf(graph, this.program),
    };
  }

  /** Counts steps of the analysis. Returns true when it is time to pause. @throws GaveUp */
  private spend(count = 1): boolean {
    this.spent += count;
    if (this.spent > BUDGET) throw new GaveUp();
    return this.spent - this.paused >= STEP;
  }

  private *paced<T>(steps: Generator<void, T, void>): Generator<void, T, void> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      this.paused = this.spent;
      yield;
    }
  }

  /** The graph of the positions reachable from a state. */
  private *graph(start: number): Generator<void, Graph, void> {
    const { program } = this;
    const { a, has, width } = program;
    const closures = new Map<number, Closure>();
    const closure = (root: number): Closure => {
      let known = closures.get(root);
      if (known === undefined) closures.set(root, (known = this.closure(root)));
      return known;
    };
    const index = new Map<number, number>();
    const nodes: number[] = [];
    const add = (state: number): void => {
      if (index.has(state)) return;
      index.set(state, nodes.length);
      nodes.push(state);
    };
    const first = closure(start);
    for (const [state] of first.to) add(state);
    for (let i = 0; i < nodes.length; i++) {
      for (const [state] of closure(this.behind(nodes[i])).to) add(state);
      if (this.spend()) yield* this.pause();
    }
    const indexed = (to: Closure['to']): [number, number][] =>
      to.map(([state, ways]) => [index.get(state) as number, ways]);
    const all = new Uint8Array(width).fill(1);
    const follow: [number, number][][] = [];
    for (const state of nodes) {
      const to = indexed(closure(this.behind(state)).to);
      follow.push(to);
      if (this.spend(to.length)) yield* this.pause();
    }
    const components = componentsOf(follow);
    // prettier-ignore
    return {
      follow, components, first: indexed(first.to), firstSteps: first.steps,
      accepts: nodes.map((state) => closure(this.behind(state)).accepts),
      steps: nodes.map((state) => closure(this.behind(state)).steps),
      // A back-reference can match any text.
      sets: nodes.map((state) => (program.op[state] === CHAR ? has.subarray(a[state] * width, (a[state] + 1) * width) : all)),
      references: nodes.map((state) => program.op[state] === REFERENCE),
      cyclic: follow.map((to, v) => to.some(([t]) => components[t] === components[v])),
      allowed: this.allowedBefore(start, first, nodes),
    };
  }

  private *pause(): Generator<void, void, void> {
    this.paused = this.spent;
    yield;
  }

  /** The state after a position. */
  private behind(state: number): number {
    return this.program.op[state] === CHAR ? this.program.b[state] : this.program.c[state];
  }

  /** States reachable without reading a character. None for a position, except that a back-reference can be empty. */
  private next(state: number): number[] {
    const { op, a, b } = this.program;
    switch (op[state]) {
      case CHAR:
      case MATCH:
        return [];
      case SPLIT:
      case RUN:
        return [a[state], b[state]];
      default:
        return state === this.program.match + 1 ? [] : [b[state]];
    }
  }

  /** States in topological order. There are no cycles. */
  private ordered(root: number): number[] {
    const order: number[] = [];
    const seen = new Set([root]);
    const open: [state: number, next: number[], at: number][] = [[root, this.next(root), 0]];
    while (open.length > 0) {
      const top = open[open.length - 1];
      if (top[2] === top[1].length) {
        order.push(top[0]);
        open.pop();
        continue;
      }
      const to = top[1][top[2]++];
      if (seen.has(to)) continue;
      seen.add(to);
      open.push([to, this.next(to), 0]);
    }
    return order.reverse();
  }

  private closure(root: number): Closure {
    const { op, match } = this.program;
    const order = this.ordered(root);
    this.spend(order.length + CLOSURE);
    const counts = new Map([[root, 1]]);
    const sure = new Set([root]);
    const to: [number, number][] = [];
    let steps = 0;
    for (const state of order) {
      const count = counts.get(state) as number;
      steps += count;
      if (op[state] === CHAR || op[state] === REFERENCE) to.push([state, count]);
      for (const next of this.next(state)) {
        counts.set(next, Math.min(MAX_PATHS, (counts.get(next) ?? 0) + count));
        // A condition can fail, so states after it are not certain to be reached.
        if (sure.has(state) && op[state] !== ASSERT && op[state] !== LOOK && op[state] !== REFERENCE) sure.add(next);
      }
    }
    return { to, steps: Math.min(MAX_PATHS, steps), accepts: sure.has(match) };
  }

  /** For each first position, the classes that can precede it, according to the conditions before it. */
  private allowedBefore(start: number, first: Closure, nodes: readonly number[]): (Uint8Array | null)[] {
    const { op, a, has, width, conditions } = this.program;
    if (width > MAX_CLASSES || conditions.length === 0) return nodes.map(() => null);
    const pairs = new Map<number, Uint8Array>([[start, new Uint8Array(width * width).fill(1)]]);
    for (const state of this.ordered(start)) {
      const reached = pairs.get(state) as Uint8Array;
      this.spend(width);
      const condition = op[state] === ASSERT ? conditions[a[state]] : null;
      for (const next of this.next(state)) {
        let known = pairs.get(next);
        if (known === undefined) pairs.set(next, (known = new Uint8Array(width * width)));
        for (let i = 0; i < known.length; i++)
          if (reached[i] === 1 && (condition === null || condition[i] === 1)) known[i] = 1;
      }
    }
    const isFirst = new Set(first.to.map(([state]) => state));
    return nodes.map((state) => {
      if (!isFirst.has(state)) return null;
      const known = pairs.get(state) as Uint8Array;
      const out = new Uint8Array(width);
      for (let before = 0; before < width; before++) {
        for (let after = 0; after < width; after++)
          if (known[before * width + after] === 1 && (op[state] !== CHAR || has[a[state] * width + after] === 1))
            out[before] = 1;
      }
      return out;
    });
  }
}

/** Positions and their successors. */
interface Graph {
  /** Successors of each position, with the number of paths. */
  follow: [number, number][][];
  first: [number, number][];
  /** Steps without reading a character: at the start, and after each position. */
  firstSteps: number;
  steps: number[];
  /** Whether the match is complete after a position. */
  accepts: boolean[];
  sets: Uint8Array[];
  references: boolean[];
  /** Strongly connected components: successors have lower numbers. */
  components: Int32Array;
  /** Whether a position lies on a loop. */
  cyclic: boolean[];
  /** For each first position, the classes that can precede it; null: all. */
  allowed: (Uint8Array | null)[];
}

function componentsOf(follow: readonly (readonly [number, number][])[]): Int32Array {
  const n = follow.length;
  const [low, number, component] = [new Int32Array(n).fill(-1), new Int32Array(n).fill(-1), new Int32Array(n).fill(-1)];
  const stack: number[] = [];
  let [time, count] = [0, 0];
  const open: [node: number, at: number][] = [];
  const enter = (v: number): void => {
    number[v] = low[v] = time++;
    stack.push(v);
    open.push([v, 0]);
  };
  const close = (v: number): void => {
    open.pop();
    if (open.length > 0) low[open[open.length - 1][0]] = Math.min(low[open[open.length - 1][0]], low[v]);
    if (low[v] !== number[v]) return;
    for (let u = -1; u !== v;) component[(u = stack.pop() as number)] = count;
    count++;
  };
  for (let root = 0; root < n; root++) {
    if (number[root] < 0) enter(root);
    while (open.length > 0) {
      const top = open[open.length - 1];
      const [v, at] = top;
      if (at === follow[v].length) close(v);
      else {
        const u = follow[v][top[1]++][0];
        if (number[u] < 0) enter(u);
        else if (component[u] < 0) low[v] = Math.min(low[v], number[u]);
      }
    }
  }
  return component;
}

function meet(x: Uint8Array, y: Uint8Array, classes: number): boolean {
  for (let i = 0; i < classes; i++) if (x[i] === 1 && y[i] === 1) return true;
  return false;
}

/** Three positions in the graph reached by the same text; START is the search for a start. */
interface Triple {
  x: number;
  y: number;
  z: number;
}

const START = -1;

class Ambiguity {
  private readonly loops: number[] = [];
  private readonly classes: number;

  constructor(
    private readonly graph: Graph,
    program: Program,
    private readonly spend: () => boolean,
  ) {
    this.classes = program.classes;
    for (let v = 0; v < graph.follow.length; v++) if (graph.cyclic[v] && !graph.accepts[v]) this.loops.push(v);
  }

  /** Whether some text leads in two ways from a position on a loop back to it. */
  *exponential(): Generator<void, boolean, void> {
    const { follow, components } = this.graph;
    const members = new Map<number, number[]>();
    for (const v of this.loops) {
      for (const [to, ways] of follow[v]) if (ways > 1 && components[to] === components[v]) return true;
      const known = members.get(components[v]);
      if (known === undefined) members.set(components[v], [v]);
      else known.push(v);
    }
    for (const inside of members.values()) if (inside.length > 1 && (yield* this.splits(inside))) return true;
    return false;
  }

  /**
   * Whether a pair of different positions can be reached from a pair of equal ones, and can lead to one, reading the
   * same text.
   */
  private *splits(inside: readonly number[]): Generator<void, boolean, void> {
    const { follow, components, sets } = this.graph;
    const n = follow.length;
    const component = components[inside[0]];
    const todo = inside.map((v) => v * n + v);
    const seen = new Set(todo);
    const back = new Map<number, number[]>();
    for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
      for (const [x] of follow[Math.floor(pair / n)]) {
        if (components[x] !== component) continue;
        for (const [y] of follow[pair % n]) {
          if (components[y] !== component) continue;
          if (this.spend()) yield;
          if (!meet(sets[x], sets[y], this.classes)) continue;
          const next = x * n + y;
          const known = back.get(next);
          if (known === undefined) back.set(next, [pair]);
          else known.push(pair);
          if (seen.has(next)) continue;
          seen.add(next);
          todo.push(next);
        }
      }
    }
    const joined = new Set(inside.map((v) => v * n + v));
    const work = [...joined];
    for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
      for (const before of back.get(pair) ?? []) {
        if (joined.has(before)) continue;
        if (Math.floor(before / n) !== before % n) return true;
        joined.add(before);
        work.push(before);
      }
    }
    return false;
  }

  /**
   * One more than the length of the longest chain of loops in which each shares a text with the next. With `anywhere`,
   * the search for a start is one of the loops.
   */
  *degree(anywhere: boolean): Generator<void, number, void> {
    const { components } = this.graph;
    const edges = new Map<number, Set<number>>();
    for (const source of anywhere ? [START, ...this.loops] : this.loops) {
      const from = source === START ? START : components[source];
      let known = edges.get(from);
      if (known === undefined) edges.set(from, (known = new Set()));
      for (const target of this.loops) {
        if (from === components[target] || known.has(components[target])) continue;
        if (yield* this.sharesText(source, target)) known.add(components[target]);
      }
    }
    const lengths = new Map<number, number>();
    // Successors have lower numbers, so their lengths are known. The search for a start comes last.
    for (const from of [...edges.keys()].sort((x, y) => (x === START ? 1 : y === START ? -1 : x - y))) {
      let longest = 0;
      for (const to of edges.get(from) as Set<number>) longest = Math.max(longest, 1 + (lengths.get(to) ?? 0));
      lengths.set(from, longest);
    }
    return 1 + Math.max(0, ...lengths.values());
  }

  /** Whether one text leads from `from` to itself, from `from` to `to`, and from `to` to itself. */
  private *sharesText(from: number, to: number): Generator<void, boolean, void> {
    const { components } = this.graph;
    const size = this.graph.follow.length + 1;
    const todo: Triple[] = [{ x: from, y: from, z: to }];
    const seen = new Set<number>();
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      for (const x of this.next(at.x, at.x, true)) {
        if (from !== START && components[x] !== components[from]) continue;
        for (const z of this.next(at.z, at.z, true)) {
          if (components[z] !== components[to]) continue;
          for (const y of this.next(at.y, at.z, false)) {
            if (this.spend()) yield;
            if (!this.fits(x, y, z)) continue;
            if (x === from && y === to && z === to) return true;
            const key = ((x + 1) * size + y + 1) * size + z + 1;
            if (seen.has(key)) continue;
            seen.add(key);
            todo.push({ x, y, z });
          }
        }
      }
    }
    return false;
  }

  /**
   * Positions after `v`; `before` is the position that read the previous character. The search for a start can
   * continue, and unless `stay` a match can begin.
   */
  private next(v: number, before: number, stay: boolean): number[] {
    const { follow, first, allowed, sets } = this.graph;
    if (v !== START) return follow[v].map(([to]) => to);
    if (stay) return [START];
    const begun = first
      .map(([to]) => to)
      .filter((to) => allowed[to] === null || meet(allowed[to], sets[before], this.classes));
    return [START, ...begun];
  }

  private fits(x: number, y: number, z: number): boolean {
    const { sets } = this.graph;
    const [c, b, a] = [sets[z], y === START ? sets[z] : sets[y], x === START ? sets[z] : sets[x]];
    for (let i = 0; i < this.classes; i++) if (a[i] === 1 && b[i] === 1 && c[i] === 1) return true;
    return false;
  }
}

/** Positions by component, successors first. */
function byComponent(components: Int32Array): number[][] {
  const out: number[][] = [];
  for (const [v, c] of components.entries()) (out[c] ??= []).push(v);
  return out;
}

/**
 * Maximum steps of an attempt that runs through each loop once: for each character, the sum over all paths that begin
 * with it.
 */
function weightOf({ follow, components, sets, steps, first, firstSteps }: Graph, { classes }: Program): number {
  const weights = new Float64Array(follow.length);
  const sums = new Float64Array(classes);
  const heaviest = (to: readonly [number, number][], own: number): number => {
    sums.fill(0);
    for (const [t, ways] of to) {
      if (components[t] === own) continue;
      for (let i = 0; i < classes; i++) if (sets[t][i] === 1) sums[i] += ways * weights[t];
    }
    return sums.reduce((x, y) => Math.max(x, y), 0);
  };
  for (const members of byComponent(components)) {
    let most = 0;
    for (const v of members) most = Math.max(most, Math.min(MAX_PATHS, steps[v] + heaviest(follow[v], components[v])));
    for (const v of members) weights[v] = most;
  }
  return Math.min(MAX_PATHS, firstSteps + heaviest(first, -1));
}

/** How far an attempt reads; null if a loop contains a back-reference. */
function reachOf({ follow, components, cyclic, sets, references, first }: Graph, { classes }: Program): Reach | null {
  if (references.some((is, v) => is && cyclic[v])) return null;
  const unions = new Map<number, Uint8Array>();
  for (let v = 0; v < follow.length; v++) {
    if (!cyclic[v]) continue;
    let union = unions.get(components[v]);
    if (union === undefined) unions.set(components[v], (union = new Uint8Array(classes + 1)));
    for (let i = 0; i < classes; i++) if (sets[v][i] === 1) union[i] = 1;
  }
  const groups = byComponent(components);
  const [fixed, loops] = [new Int32Array(groups.length), new Int32Array(groups.length)];
  for (const [c, members] of groups.entries()) {
    for (const v of members) {
      for (const [t] of follow[v]) {
        if (components[t] === c) continue;
        fixed[c] = Math.max(fixed[c], fixed[components[t]]);
        loops[c] = Math.max(loops[c], loops[components[t]]);
      }
    }
    if (unions.has(c)) loops[c]++;
    else fixed[c]++;
  }
  let [f, l] = [0, 0];
  for (const [v] of first) {
    f = Math.max(f, fixed[components[v]]);
    l = Math.max(l, loops[components[v]]);
  }
  // Each back-reference can be as long as the text read before it.
  const times = 1 + references.filter((is) => is).length;
  const distinct = new Map([...unions.values()].map((union) => [union.join(''), union]));
  return { fixed: f * times, loops: l * times, behind: 0, unions: [...distinct.values()] };
}
