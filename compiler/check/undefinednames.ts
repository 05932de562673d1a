import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type { ModuleScope, Resolution, Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import { walk, walkNodes, walkStatements } from './walk.js';

/** Reports names without a declaration, and constants that are assigned again. */
export function checkNames(checked: Checked): void {
  const { module, resolution, report } = checked;
  const inPatterns = namesInPatterns(module);
  walkNodes(module.tree, ['Ident', 'ConstDecl', 'Assign'], (node) => {
    if (node.type === 'Ident') {
      const symbol = resolution.symbols.get(node);
      if (symbol?.kind !== 'unknown') return;
      const hint = inPatterns.has(node)
        ? '`when` compares with a value; a pattern that gives names to parts stands after `in`'
        : undefined;
      report('error', 'unknown-name', node, `undefined name '${node.name}'${suggestion(symbol.near)}`, hint);
    } else if (resolution.reassigned.has(node)) {
      const name = node.type === 'ConstDecl' ? node.name : (node.target as Ast.Ident);
      report(
        'error',
        'constant-reassigned',
        name,
        `constant ${name.name} is assigned again; it keeps its first value`,
        'use a variable for what changes',
      );
    }
  });
  walkNodes(module.tree, ['Method', 'Member'], (node) => namespaceMember(checked, node));
}

/**
 * The names in what stands after `when` in the form of a pattern: `Point(x:)`, `[first, rest]`, `{id:}`; calls of
 * functions do not.
 */
function namesInPatterns({ tree }: ModuleScope): ReadonlySet<Ast.Node> {
  const out = new Set<Ast.Node>();
  walkNodes(tree, ['Case'], (node) => {
    const forms = node.whens.flatMap(({ patterns }) => patterns.filter(isLikePattern));
    walk(forms, (part) => part.type === 'Ident' && out.add(part), true);
    for (const form of forms) if (form.type === 'Call') out.delete(form.callee);
  });
  return out;
}

function isLikePattern(node: Ast.Expr | Ast.Splat): boolean {
  if (node.type === 'Call') return node.callee.type === 'Ident' && /^[A-Z]/.test(node.callee.name);
  return node.type === 'Vector' || node.type === 'Hash';
}

function suggestion(near: string | null): string {
  return near === null ? '' : `, did you mean '${near}'?`;
}

function namespaceMember({ resolution, report }: Checked, node: Ast.Method | Ast.Member): void {
  const symbol = node.recv.type === 'Ident' ? resolution.symbols.get(node.recv) : undefined;
  if (symbol?.kind !== 'namespace' || memberNames(symbol.module).has(node.name)) return;
  const end = node.nameStart + node.name.length;
  report(
    'error',
    'unknown-name',
    { start: node.nameStart, end },
    `${symbol.module.path} has no '${node.name}'${suggestion(nearest(node.name, memberNames(symbol.module)))}`,
  );
}

/** Names that a file offers to files that import it. */
function memberNames(module: ModuleScope, seen = new Set<ModuleScope>()): Set<string> {
  if (seen.has(module)) return new Set();
  seen.add(module);
  return new Set([
    ...[...module.symbols.keys(), ...module.main.root.names.keys()].filter((name) => module.offers(name)),
    ...module.merged.flatMap((other) => [...memberNames(other, seen)]),
  ]);
}

/** Reports local variables that are assigned and never read. Names that begin with `_` are exempt. */
export function checkUnused({ module, resolution, report }: Checked): void {
  const read = new Set<Variable>();
  const assigned: { node: Ast.Ident; variable: Variable }[] = [];
  const targets = new Set<Ast.Node>();
  const dropped = droppedStatements(module);
  walkNodes(module.tree, ['Assign', 'OpAssign', 'MultiAssign'], (node) => {
    // `x += 1` reads x if its own value is used: as a function's result or inside an expression.
    if (node.type === 'MultiAssign') collectTargets(node.targets, targets);
    else if ((node.type === 'Assign' || dropped.has(node)) && node.target.type === 'Ident') {
      targets.add(node.target);
      const symbol = resolution.symbols.get(node.target);
      if (node.type === 'Assign' && symbol?.kind === 'variable')
        assigned.push({ node: node.target, variable: symbol.variable });
    }
  });
  walkNodes(module.tree, ['Ident'], (node) => {
    if (targets.has(node)) return;
    const symbol = resolution.symbols.get(node);
    for (let v = symbol?.kind === 'variable' ? symbol.variable : null; v !== null; v = v.copyOf) read.add(v);
  });
  const parameters = parameterVariables(resolution);
  const told = new Set<Variable>();
  for (const { node, variable } of assigned.sort((a, b) => a.node.start - b.node.start)) {
    // Top-level variables are exempt: other files may read them.
    const isLocal = !variable.scope.isModuleRoot && !variable.isConstant && variable.copyOf === null;
    if (
      !isLocal ||
      read.has(variable) ||
      told.has(variable) ||
      parameters.has(variable) ||
      variable.name.startsWith('_')
    )
      continue;
    told.add(variable);
    report(
      'warning',
      'unused-variable',
      node,
      `'${variable.name}' is assigned but never read`,
      `leave it out, or call it '_${variable.name}' to mark it as unused`,
    );
  }
}

/** Statements whose value is not used. */
function droppedStatements({ tree }: ModuleScope): Set<Ast.Expr> {
  const out = new Set<Ast.Expr>();
  walkStatements(tree, (stmts) => {
    for (const stmt of stmts.slice(0, -1)) out.add(stmt);
  });
  walkNodes(tree, ['While', 'For'], (node) => {
    for (const stmt of node.body) out.add(stmt);
  });
  return out;
}

function collectTargets(items: readonly (Ast.Target | Ast.SplatTarget | Ast.GroupTarget)[], into: Set<Ast.Node>): void {
  for (const item of items) {
    if (item.type === 'Ident') into.add(item);
    else if (item.type === 'GroupTarget') collectTargets(item.targets, into);
    else if (item.type === 'SplatTarget' && item.target !== null) collectTargets([item.target], into);
  }
}

/** Variables that are parameters. Assigning to one is a way to give it a default. */
function parameterVariables({ symbols }: Resolution): Set<Variable> {
  const out = new Set<Variable>();
  for (const [node, symbol] of symbols)
    if (symbol.kind === 'variable' && 'annotation' in node) out.add(symbol.variable);
  return out;
}
