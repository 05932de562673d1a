import nearley from 'nearley';
import { rules as compiledRules, start as startSymbol, type Terminal } from './generated/grammar.js';
import { items, sets, terminals } from './generated/lookahead.js';
import type { Token, TokenType } from './layout/token.js';

/**
 * nearley's engine with one token of lookahead: an item is made only if the next token can follow its dot. This leaves
 * 9 of 27 items per token. The tree is the same as that of plain nearley; a test compares them.
 *
 * nearley exports neither its columns nor its items, so their types are declared here; its version is pinned.
 */
export interface Item {
  rule: Rule;
  dot: number;
  /** Index of the column where the item started. */
  reference: number;
  data: unknown;
  wantedBy: Item[];
  isComplete: boolean;
  /** This item with the dot one symbol to the left. */
  left: Item | undefined;
  nextState(child: object): Item;
}

interface Rule {
  name: string;
  symbols: (string | Terminal)[];
  /** For each position of the dot, by lookahead: 1 if the item is kept. */
  allowed: Uint8Array[];
}

interface Column {
  index: number;
  states: Item[];
  wants: Record<string, Item[]>;
  scannable: Item[];
  process(): void;
}

/** Where no reading of the tokens can continue. */
export interface Failure {
  /** Index of the first token that does not fit; the end of the statement if none is left. */
  at: number;
  /** Items that expect a token there. */
  waiting: Item[];
}

export type Outcome = { tree: unknown; failure: null } | { tree: null; failure: Failure };

const grammar = nearley.Grammar.fromCompiled({
  ParserStart: startSymbol,
  ParserRules: compiledRules.map(({ name, symbols, postprocess }) => ({
    name,
    symbols,
    postprocess: postprocess as nearley.Postprocessor,
  })),
  Lexer: { next: () => undefined } as unknown as nearley.Lexer,
});
const rules = grammar.rules as unknown as Rule[];
const byName = grammar.byName as unknown as Record<string, Rule[]>;

/** Lookahead that keeps every item, to find all tokens that could follow. */
const ANY = terminals.length;
/** Lookahead for a token type that the grammar does not use. */
const UNKNOWN = terminals.length + 1;
const ids = new Map(terminals.map((type, index) => [type, index]));
const bitsOf = sets.map((set) => Uint8Array.from([...set, '1', '0'], Number));
rules.forEach((rule, index) => {
  rule.allowed = (items[index] as number[]).map((set) => bitsOf[set] as Uint8Array);
});

/** Rules to predict, by lookahead and non-terminal; filled on first use. */
const predictions = Array.from({ length: terminals.length + 2 }, () => new Map<string, Rule[]>());

function predicted(name: string, next: number): Rule[] {
  const known = predictions[next];
  let list = known.get(name);
  if (list === undefined) {
    list = byName[name].filter(({ allowed }) => allowed[0][next] === 1);
    known.set(name, list);
  }
  return list;
}

const probe = new nearley.Parser(grammar) as unknown as { table: [Column] };
type ColumnClass = new (grammar: nearley.Grammar, index: number) => Column;
type ItemClass = new (rule: Rule, dot: number, reference: number, wantedBy: Item[]) => Item;
const PlainColumn = probe.table[0].constructor as ColumnClass;
const NewItem = probe.table[0].states[0].constructor as unknown as ItemClass;

/** Type of the token after the one being read. A module variable suffices, because only one parse runs at a time. */
let lookahead = ANY;

class LookaheadColumn extends PlainColumn {
  predict(name: string): void {
    const wantedBy = this.wants[name];
    const rules = predicted(name, lookahead);
    for (let i = 0; i < rules.length; i++) this.states.push(new NewItem(rules[i], 0, this.index, wantedBy));
  }

  complete(left: Item, right: Item): void {
    if (left.rule.allowed[left.dot + 1][lookahead] === 0) return;
    const next = left.nextState(right);
    if (next.isComplete) release(next);
    this.states.push(next);
  }
}

/**
 * A complete item has its data and no longer needs the items it was built from. Dropping them frees the memory, which
 * would otherwise be held until the end of the statement.
 */
function release(item: Item): void {
  item.left = undefined;
}

function idOf(type: TokenType): number {
  return ids.get(type) ?? UNKNOWN;
}

const firstColumns = new Map<number, Column>();

/** The column before the first token. It depends only on that token's type, so it is cached. */
function firstColumn(next: number): Column {
  const known = firstColumns.get(next);
  if (known !== undefined) return known;
  const column = new LookaheadColumn(grammar, 0);
  lookahead = next;
  column.wants[startSymbol] = [];
  column.predict(startSymbol);
  column.process();
  firstColumns.set(next, column);
  return column;
}

/** Reads the token at `index`; `next` is the lookahead after it. */
function advance(column: Column, tokens: readonly Token[], index: number, from: number, next: number): Column {
  const token = tokens[index];
  const { type } = token;
  const following = new LookaheadColumn(grammar, index - from + 1);
  const { scannable } = column;
  const child = { data: token, token, isToken: true, reference: index - from };
  for (let i = scannable.length - 1; i >= 0; i--) {
    const item = scannable[i];
    const { rule, dot } = item;
    if ((rule.symbols[dot] as Terminal).type === type && rule.allowed[dot + 1][next] === 1) {
      const moved = item.nextState(child);
      if (moved.isComplete) release(moved);
      following.states.push(moved);
    }
  }
  lookahead = next;
  following.process();
  return following;
}

/** Number of items made so far. Tests use it to check how the work grows. */
export const effort = { items: 0 };

/** Parses one top-level statement: the tokens from `from` to `to`, exclusive. */
export function parseStatement(tokens: readonly Token[], from: number, to: number): Outcome {
  let before: Column | null = null;
  let column = firstColumn(idOf(tokens[from].type));
  for (let index = from; index < to; index++) {
    const next = index + 1 < to ? idOf(tokens[index + 1].type) : 0;
    const following = advance(column, tokens, index, from, next);
    if (following.states.length === 0)
      return { tree: null, failure: explainFailure(before, column, tokens, index, from) };
    effort.items += following.states.length;
    before = column;
    column = following;
  }
  const done = column.states.find(
    ({ rule, isComplete, reference }) => isComplete && reference === 0 && rule.name === startSymbol,
  );
  if (done === undefined) return { tree: null, failure: { at: to, waiting: column.scannable } };
  return { tree: done.data, failure: null };
}

/**
 * Finds the first token that no reading accepts: the one at `index`, or the next one if lookahead detected it early. To
 * list everything that could follow, it reads the token before the failure again without lookahead.
 */
function explainFailure(
  before: Column | null,
  column: Column,
  tokens: readonly Token[],
  index: number,
  from: number,
): Failure {
  const { type } = tokens[index];
  const fits = column.scannable.some(({ rule, dot }) => (rule.symbols[dot] as Terminal).type === type);
  if (fits) return { at: index + 1, waiting: advance(column, tokens, index, from, ANY).scannable };
  return {
    at: index,
    waiting: before === null ? firstColumn(ANY).scannable : advance(before, tokens, index - 1, from, ANY).scannable,
  };
}
