import { addAll, analyse, type Analysis, END, type GrammarRule } from './grammar-analysis.js';

/** A rule with a dot, written as `rule number.position`. */
interface Item {
  rule: number;
  dot: number;
}
interface State {
  kernel: Item[];
  items: Item[];
  /** Next state by symbol; terminals have the prefix `%`. */
  next: Map<string, number>;
  /** Lookahead of the kernel items. */
  lookahead: Map<string, Set<string>>;
}

const keyOf = ({ rule, dot }: Item): string => `${rule}.${dot}`;
const nameOf = (symbol: string | { type: string }): string => (typeof symbol === 'string' ? symbol : `%${symbol.type}`);

/** Builds the LALR(1) automaton of a grammar and lists its conflicts. A grammar without any is unambiguous. */
export class LalrAutomaton {
  readonly states: State[] = [];
  private readonly known = new Map<string, number>();
  private readonly analysis: Analysis;
  private readonly byName = new Map<string, number[]>();

  constructor(
    private readonly rules: GrammarRule[],
    private readonly start: string,
  ) {
    this.analysis = analyse(rules, start);
    rules.forEach(({ name }, index) => this.byName.set(name, [...(this.byName.get(name) ?? []), index]));
    this.buildStates();
    this.spreadLookahead();
  }

  private expansions(symbol: string): Item[] {
    return (this.byName.get(symbol) ?? []).map((rule) => ({ rule, dot: 0 }));
  }

  private symbolAt({ rule, dot }: Item): string | { type: string } | undefined {
    return this.rules[rule]?.symbols[dot];
  }

  private closure(kernel: Item[]): Item[] {
    const items = [...kernel];
    const seen = new Set<string>();
    for (const item of items) {
      const symbol = this.symbolAt(item);
      if (typeof symbol !== 'string' || seen.has(symbol)) continue;
      seen.add(symbol);
      items.push(...this.expansions(symbol));
    }
    return items;
  }

  private stateOf(kernel: Item[]): number {
    const key = kernel.map(keyOf).sort().join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.states.length);
    const lookahead = new Map(kernel.map((item) => [keyOf(item), new Set<string>()]));
    return this.states.push({ kernel, items: this.closure(kernel), next: new Map(), lookahead }) - 1;
  }

  private buildStates(): void {
    this.stateOf(this.expansions(this.start));
    for (const state of this.states) {
      const moves = new Map<string, Item[]>();
      for (const item of state.items) {
        const symbol = this.symbolAt(item);
        if (symbol === undefined) continue;
        const name = nameOf(symbol);
        moves.set(name, [...(moves.get(name) ?? []), { rule: item.rule, dot: item.dot + 1 }]);
      }
      for (const [name, kernel] of moves) state.next.set(name, this.stateOf(kernel));
    }
  }

  /** Propagates lookahead between states until nothing changes. */
  private spreadLookahead(): void {
    for (const set of this.states[0]?.lookahead.values() ?? []) set.add(END);
    for (let changed = true; changed;) {
      changed = false;
      for (const state of this.states) if (this.spreadFrom(state)) changed = true;
    }
  }

  private spreadFrom(state: State): boolean {
    const lookahead = this.closedLookahead(state);
    let changed = false;
    for (const item of state.items) {
      const symbol = this.symbolAt(item);
      if (symbol === undefined) continue;
      const target = this.states[state.next.get(nameOf(symbol)) as number];
      const set = target.lookahead.get(keyOf({ rule: item.rule, dot: item.dot + 1 })) as Set<string>;
      if (addAll(set, lookahead.get(keyOf(item)) ?? [])) changed = true;
    }
    return changed;
  }

  /** Lookahead of all items of a state, derived from its kernel. */
  private closedLookahead(state: State): Map<string, Set<string>> {
    const lookahead = new Map([...state.lookahead].map(([key, set]) => [key, new Set(set)]));
    const setOf = (key: string): Set<string> =>
      lookahead.get(key) ?? (lookahead.set(key, new Set()).get(key) as Set<string>);
    for (let changed = true; changed;) {
      changed = false;
      for (const item of state.items) {
        const symbol = this.symbolAt(item);
        if (typeof symbol !== 'string') continue;
        const { types, empty } = this.analysis.firstOf(this.rules[item.rule].symbols, item.dot + 1);
        if (empty) addAll(types, setOf(keyOf(item)));
        for (const expansion of this.expansions(symbol)) if (addAll(setOf(keyOf(expansion)), types)) changed = true;
      }
    }
    return lookahead;
  }

  /** One line for each state and terminal where two actions are possible. */
  conflicts(): string[] {
    return this.states.flatMap((state, number) => this.conflictsOf(state, number));
  }

  private conflictsOf(state: State, number: number): string[] {
    const lookahead = this.closedLookahead(state);
    const actions = new Map<string, string>();
    const found: string[] = [];
    for (const name of state.next.keys()) if (name.startsWith('%')) actions.set(name.slice(1), 'shift');
    for (const item of state.items) {
      if (this.symbolAt(item) !== undefined) continue;
      for (const type of lookahead.get(keyOf(item)) ?? []) {
        const other = actions.get(type);
        if (other === undefined) actions.set(type, this.ruleText(item.rule));
        else found.push(`state ${number}, before ${type}: ${other} or ${this.ruleText(item.rule)}`);
      }
    }
    return found;
  }

  private ruleText(rule: number): string {
    const { name, symbols } = this.rules[rule];
    return `reduce ${name} -> ${symbols.map(nameOf).join(' ')}`;
  }
}
