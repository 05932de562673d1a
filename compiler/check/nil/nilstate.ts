import type { Variable } from '../../symbols.js';
import { overlap, type Paths, related } from './relations.js';

/** Why a value may be nil. */
export interface Cause {
  /** As messages say it. */
  reason: string;
  /** What decides whether it is nil. */
  on: Paths;
  /** The path of the value itself, for a field such as `user.age`. */
  path: string | null;
  /** Whether the program sets it to nil. Then conditions around other assignments decide whether it stays nil. */
  isSet?: boolean;
}

/** A variable that may be nil at a place. */
export interface Fact extends Cause {
  /** Conditions around the place that may have tested the variable: it is not reported there. */
  held: readonly number[];
  /** It is nil because a test says so: what follows may have ended the program instead. */
  isTested: boolean;
}

/** A condition that holds at a place. */
export interface Condition {
  number: number;
  on: Paths;
  /** The path that it tests for nil. */
  path: string | null;
}

/** Conditions that hold at a place, innermost first. Branches share the conditions before them. */
interface Conditions {
  readonly condition: Condition;
  readonly outer: Conditions | null;
  readonly length: number;
}

/** Maximum number of variables that are followed at a time. */
const MAX_FACTS = 40;
/** Number of conditions from which a place is taken to depend on everything. */
const MAX_CONDITIONS = 60;

/** What is known at a place of a function. */
export class NilState {
  private constructor(
    private readonly facts: Map<Variable, Fact>,
    private conditions: Conditions | null,
  ) {}

  static empty(): NilState {
    return new NilState(new Map(), null);
  }

  copy(): NilState {
    return new NilState(new Map(this.facts), this.conditions);
  }

  of(variable: Variable): Fact | undefined {
    return this.facts.get(variable);
  }

  variables(): Variable[] {
    return [...this.facts.keys()];
  }

  drop(variable: Variable): void {
    this.facts.delete(variable);
  }

  add(variable: Variable, cause: Cause): void {
    if (this.facts.size < MAX_FACTS) this.facts.set(variable, { ...cause, held: [], isTested: false });
  }

  /** Notes what is known of a variable on one side of a test of it. */
  put(variable: Variable, fact: Fact, isTested: boolean): void {
    this.facts.set(variable, { ...fact, isTested: fact.isTested || isTested });
  }

  /** Drops what tests have found nil: a call may have ended the program because of it. */
  dropTested(): void {
    for (const [variable, { isTested }] of this.facts) if (isTested) this.facts.delete(variable);
  }

  /** Whether a condition that holds here may have tested a value. */
  isKnown(cause: Cause): boolean {
    if ((this.conditions?.length ?? 0) > MAX_CONDITIONS) return true;
    for (let at = this.conditions; at !== null; at = at.outer) if (decides(at.condition, cause)) return true;
    return false;
  }

  /** What decides whether a place is reached, in addition to `on`. */
  decidedBy(on: Paths, first: number): Paths {
    const all = new Set(on);
    let at = this.conditions;
    for (; at !== null && at.condition.number >= first; at = at.outer) {
      if (on === null || at.condition.on === null) return null;
      for (const path of at.condition.on) all.add(path);
      if (at.condition.path !== null) all.add(at.condition.path);
    }
    return on === null ? null : all;
  }

  /** Enters the part of a program where a condition holds. */
  enter(condition: Condition, pathOf: (variable: Variable) => string): void {
    this.conditions = { condition, outer: this.conditions, length: (this.conditions?.length ?? 0) + 1 };
    for (const [variable, fact] of this.facts) {
      const isTest = decides(condition, fact) || related(condition.on, new Set([pathOf(variable)]));
      if (isTest) this.facts.set(variable, { ...fact, held: [...fact.held, condition.number] });
    }
  }

  /**
   * The state where several branches end: what may be nil after one of them may be nil.
   * @param first number of the first condition of these branches: after them, it holds no longer
   * @param hasRest whether the branches name several cases, and no others may occur
   */
  static join(states: readonly (NilState | null)[], first: number, hasRest = false): NilState | null {
    const reached = states.filter((state) => state !== null);
    if (reached.length <= 1) return reached[0] ?? null;
    const facts = new Map<Variable, Fact>();
    for (const state of reached)
      for (const variable of state.facts.keys()) {
        if (facts.has(variable)) continue;
        const fact = joined(variable, reached, first);
        const isComplete = hasRest && fact.isSet === true && reached.some((one) => !one.facts.has(variable));
        if (!isComplete) facts.set(variable, fact);
      }
    return new NilState(facts, reached.map(({ conditions }) => conditions).reduce(shared));
  }
}

/** Whether a condition may decide whether a value is nil. */
function decides(condition: Condition, { on, path, isSet }: Cause): boolean {
  if (related(condition.on, on)) return true;
  if (condition.path === null) return false;
  return isSet === true ? related(new Set([condition.path]), on) : path !== null && overlap(path, condition.path);
}

function joined(variable: Variable, states: readonly NilState[], first: number): Fact {
  const [own] = states;
  const same = own.of(variable);
  if (same !== undefined && same.held.length === 0 && states.every((one) => one.of(variable) === same)) return same;
  const found = states.flatMap((state) => {
    const fact = state.of(variable);
    return fact === undefined ? [] : [{ fact, state }];
  });
  const [{ fact, state }] = [...found].sort((a, b) => a.fact.held.length - b.fact.held.length);
  const isTested = found.length === states.length && found.every((one) => one.fact.isTested);
  // Where another branch has assigned or tested it, a branch that may have done so says nothing.
  if (found.length === states.length) return { ...fact, isTested, held: fact.held.filter((number) => number < first) };
  return { ...fact, isTested, on: fact.isSet === true ? state.decidedBy(fact.on, first) : fact.on };
}

/** The conditions that hold on both of two ways. */
function shared(a: Conditions | null, b: Conditions | null): Conditions | null {
  while (a !== b) {
    if ((a?.length ?? 0) >= (b?.length ?? 0)) a = a?.outer ?? null;
    else b = b?.outer ?? null;
  }
  return a;
}
