import type * as Ast from '../ast.js';
import { isConcrete } from '../annotationtypes.js';
import { typeNamed } from '../resolve/outernames.js';
import type { Resolution, TypeSymbol } from '../symbols.js';
import type { Checked } from './environment.js';
import { walkNodes } from './walk.js';

/** What a clause fits, as far as the text tells. */
interface Clause {
  node: Ast.Node;
  /** Fits every value. */
  all: boolean;
  /** Members of enums, `Enum.Member`, all of whose values it fits. */
  members: string[];
  /** Members of enums of which it fits some values. */
  some: string[];
  /** It may fit other values as well. */
  others: boolean;
  /** Literals and types, all of whose values it fits. */
  fits: Fit[];
  /** Literals and types of which it fits some values. */
  fitsSome: Fit[];
  /** It may fit values that are in none of these lists. */
  unknown: boolean;
}

/** A literal, or a type without subtypes. */
interface Fit {
  key: string;
  /** The key of the literal's type; null for types. */
  within: string | null;
  /** As the program writes it. */
  text: string;
}

/** Reports missing members of an enum in a `case` without `else`, and clauses that nothing can reach. */
export function checkClauses(checked: Checked): void {
  walkNodes(checked.module.tree, ['CaseIn', 'Case'], (node) => {
    if (node.subject === null) return;
    const enums = new Enums(checked.resolution);
    const clauses = node.type === 'CaseIn' ? inClauses(node, enums) : whenClauses(node, enums);
    reportUnreachable(clauses, node.else, checked);
    if (node.else === null) reportMissing(node, clauses, enums, checked);
  });
}

/** The enums whose members the clauses of a `case` name, and other types and literals in them. */
class Enums {
  readonly seen = new Set<TypeSymbol>();

  constructor(private readonly resolution: Resolution) {}

  /** The literal or type that an expression stands for; null if it is something else. */
  fit(node: Ast.Expr): Fit | null {
    if (node.type === 'Nil') return { key: 'nil', within: 'Nil', text: 'nil' };
    const literal = node.type in LITERALS ? (node as Ast.Int | Ast.Str | Ast.Bool) : null;
    if (literal !== null) {
      const text = typeof literal.value === 'string' ? JSON.stringify(literal.value) : String(literal.value);
      return { key: `${literal.type} ${text}`, within: LITERALS[literal.type], text };
    }
    const symbol = typeNamed(this.resolution, node);
    if (symbol?.kind === 'native') return isConcrete(symbol.name) ? ofType(symbol.name) : null;
    if (symbol?.kind !== 'def' || symbol.node.type !== 'RecordDecl') return null;
    return { ...ofType(symbol.name), key: `${symbol.module.index} ${symbol.name}` };
  }

  /** The members that an expression stands for: one, or all of an enum; null if it is something else. */
  members(node: Ast.Expr): string[] | null {
    const whole = this.enumNamed(node);
    if (whole !== null) {
      this.seen.add(whole);
      return membersOf(whole);
    }
    if (node.type !== 'Member' || node.safe) return null;
    const owner = this.enumNamed(node.recv);
    if (owner === null || !(owner.node as Ast.EnumDecl).members.some(({ name }) => name === node.name)) return null;
    this.seen.add(owner);
    return [`${owner.name}.${node.name}`];
  }

  private enumNamed(node: Ast.Expr): TypeSymbol | null {
    const symbol = typeNamed(this.resolution, node);
    return symbol?.kind === 'type' && symbol.node.type === 'EnumDecl' ? symbol : null;
  }
}

/** Types of literals whose values are compared here. */
const LITERALS: Readonly<Record<string, string>> = { Int: 'Integer', Str: 'String', Bool: 'Boolean' };

function ofType(name: string): Fit {
  return { key: name, within: null, text: name };
}

function membersOf({ name, node }: TypeSymbol): string[] {
  return (node as Ast.EnumDecl).members.map((member) => `${name}.${member.name}`);
}

function emptyClause(node: Ast.Node): Clause {
  return { node, all: false, members: [], some: [], others: false, fits: [], fitsSome: [], unknown: false };
}

function whenClauses({ whens }: Ast.Case, enums: Enums): Clause[] {
  return whens.map((when) => {
    const clause = emptyClause(when);
    for (const pattern of when.patterns) {
      if (pattern.type === 'Splat') clause.others = clause.unknown = true;
      else addValue(clause, pattern, true, enums);
    }
    return clause;
  });
}

/** Adds what a value or type in a pattern fits; `whole`: all values of the type. */
function addValue(clause: Clause, node: Ast.Expr, whole: boolean, enums: Enums): void {
  const members = enums.members(node);
  if (members !== null) {
    (whole ? clause.members : clause.some).push(...members);
    return;
  }
  clause.others = true;
  const fit = enums.fit(node);
  if (fit === null) clause.unknown = true;
  else (whole ? clause.fits : clause.fitsSome).push(fit);
}

function inClauses({ clauses }: Ast.CaseIn, enums: Enums): Clause[] {
  return clauses.map(({ pattern, guard, start, end }) => {
    const clause = emptyClause({ start, end });
    addPattern(clause, pattern, enums);
    if (guard === null) return clause;
    const some = [...clause.some, ...clause.members];
    const fitsSome = [...clause.fitsSome, ...clause.fits];
    return { ...clause, all: false, members: [], some, fits: [], fitsSome };
  });
}

function addPattern(clause: Clause, pattern: Ast.MatchPattern, enums: Enums): void {
  switch (pattern.type) {
    case 'NameMatch':
      clause.all = true;
      break;
    case 'NamedMatch':
      addPattern(clause, pattern.pattern, enums);
      break;
    case 'AnyMatch':
      for (const option of pattern.options) addPattern(clause, option, enums);
      break;
    case 'ValueMatch':
      addValue(clause, pattern.value, true, enums);
      break;
    case 'RecordMatch':
      addValue(clause, pattern.record, fitsAll(pattern), enums);
      break;
    default:
      clause.others = clause.unknown = true;
  }
}

function fitsAll({ positional, fields }: Ast.RecordMatch): boolean {
  return [...positional, ...fields.map(({ pattern }) => pattern)].every(({ type }) => type === 'NameMatch');
}

function reportUnreachable(clauses: readonly Clause[], otherwise: Ast.Expr[] | null, { report }: Checked): void {
  const done = new Set<string>();
  for (const [i, clause] of clauses.entries()) {
    const { all, members, some, fits, fitsSome, unknown, node } = clause;
    if (clauses[i - 1]?.all) {
      report(
        'warning',
        'unreachable-clause',
        firstWord(node),
        'this clause is never reached: the one before it fits every value',
      );
      return;
    }
    const named: Fit[] = [...[...members, ...some].map(ofType), ...fits, ...fitsSome];
    const isDone = ({ key, within }: Fit): boolean => done.has(key) || (within !== null && done.has(within));
    if (!all && !unknown && named.length > 0 && named.every(isDone))
      report(
        'warning',
        'unreachable-clause',
        firstWord(node),
        `this clause is never reached: ${named.map(({ text }) => text).join(', ')} fits a clause above`,
      );
    for (const { key } of [...members.map(ofType), ...fits]) done.add(key);
  }
  if (otherwise !== null && otherwise.length > 0 && clauses[clauses.length - 1]?.all)
    report('warning', 'unreachable-clause', otherwise[0], '`else` is never reached: the last clause fits every value');
}

/** `in` or `when` at the start of a clause. */
function firstWord({ start }: Ast.Node): Ast.Node {
  return { start, end: start + 2 };
}

/** If all clauses are about the members of one enum, there should be one for each. */
function reportMissing(node: Ast.Node, clauses: readonly Clause[], enums: Enums, { report }: Checked): void {
  const [type] = enums.seen;
  if (
    enums.seen.size !== 1 ||
    clauses.some(({ all, others, some, members }) => all || (others && some.length + members.length === 0))
  )
    return;
  const covered = new Set(clauses.flatMap(({ members }) => members));
  const missing = membersOf(type).filter((name) => !covered.has(name));
  if (missing.length === 0) return;
  report(
    'warning',
    'missing-variant',
    { start: node.start, end: node.start + 4 },
    `this \`case\` has no clause for ${missing.join(', ')}`,
    'add it, or an `else`',
  );
}
