/** A rule of the grammar as nearley's compiler returns it: non-terminals are strings, terminals have a `type`. */
export interface GrammarRule {
  name: string;
  symbols: (string | { type: string })[];
  postprocess: string | null;
}

/** Terminals that can start, and that can follow, each non-terminal. */
export interface Analysis {
  first: Map<string, Set<string>>;
  follow: Map<string, Set<string>>;
  nullable: Set<string>;
  /** Terminals that can start the part of `symbols` from index `dot`, and whether that part can be empty. */
  firstOf(symbols: GrammarRule['symbols'], dot: number): { types: Set<string>; empty: boolean };
}

/** Terminal for the end of a statement. */
export const END = '$';

/** Adds `extra` to `set`; true when that changed it. */
export function addAll(set: Set<string>, extra: Iterable<string>): boolean {
  const before = set.size;
  for (const item of extra) set.add(item);
  return set.size > before;
}

/** The classic FIRST and FOLLOW sets. */
export function analyse(rules: GrammarRule[], start: string): Analysis {
  const first = new Map<string, Set<string>>();
  const follow = new Map<string, Set<string>>();
  const nullable = new Set<string>();
  for (const { name } of rules) {
    first.set(name, new Set());
    follow.set(name, new Set());
  }
  const firstOf: Analysis['firstOf'] = (symbols, dot) => {
    const types = new Set<string>();
    for (const symbol of symbols.slice(dot)) {
      if (typeof symbol !== 'string') return { types: types.add(symbol.type), empty: false };
      addAll(types, first.get(symbol) ?? fail(symbol));
      if (!nullable.has(symbol)) return { types, empty: false };
    }
    return { types, empty: true };
  };
  untilStable(() => rules.some((rule) => growFirst(rule, first, nullable, firstOf)));
  follow.get(start)?.add(END);
  untilStable(() => rules.filter((rule) => growFollow(rule, follow, firstOf)).length > 0);
  return { first, follow, nullable, firstOf };
}

function untilStable(step: () => boolean): void {
  while (step());
}

function fail(symbol: string): never {
  throw new Error(`the grammar has no rule for ${symbol}`);
}

function growFirst(
  { name, symbols }: GrammarRule,
  first: Analysis['first'],
  nullable: Set<string>,
  firstOf: Analysis['firstOf'],
): boolean {
  const { types, empty } = firstOf(symbols, 0);
  const becameNullable = empty && !nullable.has(name);
  if (empty) nullable.add(name);
  return addAll(first.get(name) as Set<string>, types) || becameNullable;
}

function growFollow({ name, symbols }: GrammarRule, follow: Analysis['follow'], firstOf: Analysis['firstOf']): boolean {
  let grew = false;
  symbols.forEach((symbol, index) => {
    if (typeof symbol !== 'string') return;
    const { types, empty } = firstOf(symbols, index + 1);
    if (empty) addAll(types, follow.get(name) as Set<string>);
    grew = addAll(follow.get(symbol) as Set<string>, types) || grew;
  });
  return grew;
}

/** For each rule and each position of the dot: the terminals that can come next. */
export function itemLookahead(rules: GrammarRule[], start: string): Set<string>[][] {
  const { firstOf, follow } = analyse(rules, start);
  return rules.map(({ name, symbols }) =>
    Array.from({ length: symbols.length + 1 }, (_, dot) => {
      const { types, empty } = firstOf(symbols, dot);
      if (empty) addAll(types, follow.get(name) as Set<string>);
      return types;
    }),
  );
}
