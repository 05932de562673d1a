import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type { Variable } from '../symbols.js';
import { article } from '../annotationtypes.js';
import type { Checked, Report } from './environment.js';
import { unionText } from './possibletypes.js';
import type { Types } from './types.js';
import { assignedIn, walkNodes } from './walk.js';

/** Types whose values can neither be called nor iterated over. */
export const SCALARS = new Set(['Nil', 'Boolean', 'Integer', 'Float', 'String', 'Regex', 'Decimal', 'Date']);

/** Reports calls of what is no function, and `for` over what has no elements. */
export function checkUses({ module, report }: Checked, types: Types): void {
  walkNodes(module.tree, ['Call', 'Index', 'For'], (node) => {
    if (node.type === 'Call') {
      const type = types.of(node.callee);
      if (type !== null && (SCALARS.has(type) || type === 'Vector' || type === 'Hash' || type === 'Range'))
        report('error', 'not-a-function', node.callee, `this is ${article(type)}, not a function`);
    } else if (node.type === 'Index') indexed(node, report, types);
    else {
      const type = types.of(node.iter);
      if (type === null || !(SCALARS.has(type) || type === 'Function')) return;
      const hint =
        type === 'Integer' ? 'count with a range such as `0...n`' : type === 'String' ? 'use `chars` or `lines`' : '';
      report('error', 'not-iterable', node.iter, `cannot iterate over ${article(type)}`, hint);
    }
  });
}

/** Types whose values have no elements. */
const NO_ELEMENTS = new Set(['Nil', 'Boolean', 'Integer', 'Float', 'Decimal', 'Regex', 'Date', 'Duration', 'Function']);

function indexed({ recv }: Ast.Index, report: Report, types: Types): void {
  const all = types.possible(recv);
  if (all === null || all.has('Nil') === (all.size === 1) || ![...all].every((type) => NO_ELEMENTS.has(type))) return;
  report('error', 'wrong-type', recv, `${article(unionText(all))} has no elements: it cannot be followed by \`[…]\``);
}

/** Methods of hashes that neither change their receiver nor return it. */
const READING = new Set(
  'keys values length size count empty? any? all? each each_pair each_key each_value map to_a to_json key? has_key? value? has_value? include? sum join inspect to_s sort_by min_by max_by fetch dig values_at fetch_values slice except select filter reject find merge to_h group_by partition each_with_index flat_map filter_map'.split(
    ' ',
  ),
);

/** What is known of a hash that is written as a literal. */
interface Literal {
  keys: Set<string>;
  /** Reads of keys that it does not have. */
  missing: { name: string; place: Ast.Node }[];
  uses: number;
}

/**
 * Reports keys that a hash does not have but nearly has. Only for hashes that are written as literals, and that the
 * program only reads.
 */
export function checkKeys(checked: Checked, types: Types): void {
  const { module, resolution, report } = checked;
  const literals = new Map<Variable, Literal>();
  const reads = new Map<Variable, number>();
  const literalOf = (node: Ast.Expr): Literal | null => {
    const variable = types.fixed(node);
    if (variable === null) return null;
    const known = literals.get(variable);
    if (known !== undefined) return known;
    const value = types.valueOf(variable);
    const keys = value?.type === 'Hash' ? keysOf(value) : null;
    if (keys === null) return null;
    const literal = { keys, missing: [], uses: 0 };
    literals.set(variable, literal);
    return literal;
  };
  const targets = assignedIn(module.tree);
  walkNodes(module.tree, ['Ident', 'Index', 'Member', 'Method'], (node) => {
    if (targets.has(node)) return;
    if (node.type === 'Ident') {
      const symbol = resolution.symbols.get(node);
      if (symbol?.kind !== 'variable') return;
      const variable = symbol.variable.copyOf ?? symbol.variable;
      reads.set(variable, (reads.get(variable) ?? 0) + 1);
    } else {
      const literal = literalOf(node.recv);
      if (literal !== null) read(node, literal, checked);
    }
  });
  for (const [variable, { keys, missing, uses }] of literals) {
    // Any other use may change the hash. Other files may use variables of the top level.
    if (uses !== reads.get(variable) || (variable.scope.isModuleRoot && module.index > 0)) continue;
    for (const { name, place } of missing) {
      const near = nearest(name, keys);
      if (near !== null)
        report('warning', 'unknown-key', place, `'${variable.name}' has no key '${name}', did you mean '${near}'?`);
    }
  }
}

/** The keys of a literal; null if it may have others. */
function keysOf({ entries }: Ast.HashLit): Set<string> | null {
  const keys = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'Splat' || entry.key.type !== 'Str') return null;
    keys.add(entry.key.value);
  }
  return keys;
}

/** Notes a use of a hash if it leaves the hash as it is. */
function read(node: Ast.Index | Ast.Member | Ast.Method, literal: Literal, { env, iterators }: Checked): void {
  if (node.type === 'Index') {
    const [key] = node.args;
    if (node.args.length !== 1) return;
    literal.uses++;
    if (key.type === 'Str' && !literal.keys.has(key.value)) literal.missing.push({ name: key.value, place: key });
  } else if (READING.has(node.name)) {
    literal.uses++;
    const key = node.name === 'fetch' && node.type === 'Method' && node.block === null ? node.args : [];
    if (key.length === 1 && key[0].type === 'Str' && !literal.keys.has(key[0].value))
      literal.missing.push({ name: key[0].value, place: key[0] });
  } else if (node.type === 'Member' && !iterators.has(node.name)) {
    const isMethod =
      env.methods.get('Hash')?.has(node.name) === true || env.methods.get('Any')?.has(node.name) === true;
    if (isMethod) return;
    literal.uses++;
    if (!literal.keys.has(node.name))
      literal.missing.push({ name: node.name, place: { start: node.nameStart, end: node.end } });
  }
}
