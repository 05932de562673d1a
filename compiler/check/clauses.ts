import type * as Ast from '../ast.js';
import { typeNamed } from '../resolve/outernames.js';
import type { Resolution, TypeSymbol } from '../symbols.js';
import type { Checked } from './environment.js';
import { walkFile } from './walk.js';

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
}

/** Reports missing members of an enum in a `case` without `else`, and clauses that nothing can reach. */
export function checkClauses(checked: Checked): void {
  walkFile(checked.module.tree, (node) => {
    if (node.type !== 'CaseIn' && (node.type !== 'Case' || node.subject === null)) return;
    const enums = new Enums(checked.resolution);
    const clauses = node.type === 'CaseIn' ? inClauses(node, enums) : whenClauses(node, enums);
    reportUnreachable(clauses, node.else, checked);
    if (node.else === null) reportMissing(node, clauses, enums, checked);
  });
}

/** The enums whose members the clauses of a `case` name. */
class Enums {
  readonly seen = new Set<TypeSymbol>();

  constructor(private readonly resolution: Resolution) {}

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

function membersOf({ name, node }: TypeSymbol): string[] {
  return (node as Ast.EnumDecl).members.map((member) => `${name}.${member.name}`);
}

function whenClauses({ whens }: Ast.Case, enums: Enums): Clause[] {
  return whens.map((when) => {
    const found = when.patterns.map((pattern) => (pattern.type === 'Splat' ? null : enums.members(pattern)));
    return {
      node: when,
      all: false,
      members: found.flatMap((members) => members ?? []),
      some: [],
      others: found.includes(null),
    };
  });
}

function inClauses({ clauses }: Ast.CaseIn, enums: Enums): Clause[] {
  return clauses.map(({ pattern, guard, start, end }) => {
    const clause: Clause = { node: { start, end }, all: false, members: [], some: [], others: false };
    addPattern(clause, pattern, enums);
    if (guard === null) return clause;
    return { ...clause, all: false, members: [], some: [...clause.some, ...clause.members] };
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
    case 'RecordMatch':
      addType(clause, pattern, enums);
      break;
    default:
      clause.others = true;
  }
}

function addType(clause: Clause, pattern: Ast.ValueMatch | Ast.RecordMatch, enums: Enums): void {
  const members = enums.members(pattern.type === 'ValueMatch' ? pattern.value : pattern.record);
  if (members === null) clause.others = true;
  else if (pattern.type === 'ValueMatch' || fitsAll(pattern)) clause.members.push(...members);
  else clause.some.push(...members);
}

function fitsAll({ positional, fields }: Ast.RecordMatch): boolean {
  return [...positional, ...fields.map(({ pattern }) => pattern)].every(({ type }) => type === 'NameMatch');
}

function reportUnreachable(clauses: readonly Clause[], otherwise: Ast.Expr[] | null, { report }: Checked): void {
  const done = new Set<string>();
  for (const [i, clause] of clauses.entries()) {
    const { all, members, some, others, node } = clause;
    if (clauses[i - 1]?.all) {
      report(
        'warning',
        'unreachable-clause',
        firstWord(node),
        'this clause is never reached: the one before it fits every value',
      );
      return;
    }
    const named = [...members, ...some];
    if (!all && !others && named.length > 0 && named.every((name) => done.has(name)))
      report(
        'warning',
        'unreachable-clause',
        firstWord(node),
        `this clause is never reached: ${named.join(', ')} fits a clause above`,
      );
    for (const name of members) done.add(name);
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
