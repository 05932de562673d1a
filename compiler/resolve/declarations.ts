import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { repeatedName } from '../matchparts.js';
import type { ModuleScope, Symbol, TypeSymbol } from '../symbols.js';
import { checkConstraints } from './constraints.js';
import { moduleSymbol, type Names, typeSymbol } from './outernames.js';

/** The built-in error types, among the names of the library. */
const BUILTIN_ERROR = /^(?:Exception|\w*Error)$/;

type Report = (code: string, node: Ast.Node, message: string, hint?: string) => void;

/** Reports invalid enums and names of types of a file. */
export function checkDeclarations(module: ModuleScope, names: Names, report: Report): void {
  for (const symbol of module.symbols.values()) {
    if (symbol.kind === 'def' && /^\W/.test(symbol.name))
      report(
        'operator-outside-record',
        symbol.node.name,
        `the operator '${symbol.name}' can be defined only by a record`,
        'move it into `record Name(…) do … end`, or give the function a name',
      );
    if (symbol.kind === 'def' && symbol.node.type === 'RecordDecl') {
      checkConstraints(symbol.node.fields, report);
      symbol.node.methods.forEach((method) => checkOperator(method, report));
    }
    checkTypeName(symbol, names, report);
    if (symbol.kind !== 'type') continue;
    if (symbol.node.type === 'EnumDecl') checkVariants(symbol.node, report);
    else if (symbol.node.type === 'ErrorDecl' && symbol.node.parent !== null)
      checkParent(symbol, symbol.node.parent, names, report);
  }
}

/** A type that is not an error type hides a built-in one of its name: `rescue` with that name would match no error. */
function checkTypeName(symbol: Symbol, names: Names, report: Report): void {
  if ((symbol.kind !== 'def' && symbol.kind !== 'type') || symbol.node.type === 'Def' || isError(symbol)) return;
  const { name } = symbol;
  if (BUILTIN_ERROR.test(name) && names.isNative(name))
    report(
      'error-type-hidden',
      symbol.node.name,
      `'${name}' is a built-in error type: \`rescue ${name}\` would no longer rescue it`,
      'choose another name',
    );
}

/** Reports names after `export` that the file does not have. Its statements must be resolved. */
export function checkExports(module: ModuleScope, report: Report): void {
  const variables = module.main.root.names;
  for (const node of module.tree.stmts) {
    if (node.type !== 'ExportNames') continue;
    for (const name of node.names) {
      if (variables.has(name.name) || moduleSymbol(name.name, module, new Set()) !== null) continue;
      const near = nearest(name.name, [...module.symbols.keys(), ...variables.keys()]);
      report(
        'unknown-export',
        name,
        `this file has no '${name.name}' to export`,
        near === null ? 'name a function, type or variable of the file, or leave it out' : `did you mean '${near}'?`,
      );
    }
  }
}

/** Reports a variable that a pattern would assign twice. */
export function checkRepeated(pattern: Ast.MatchPattern, report: Report): void {
  const repeated = repeatedName(pattern);
  if (repeated !== null)
    report(
      'repeated-name',
      repeated,
      `'${repeated.name}' stands twice in this pattern, and would take the last value`,
      'to ask whether both are equal, use two names and `if`: `[a, b] if a == b`; to ignore one, write `_`',
    );
}

/** Operators whose methods take another number of arguments than one, and their forms. */
const ARGUMENTS: ReadonlyMap<string, readonly [count: number, form: string]> = new Map([
  ['-@', [0, 'def -@()']],
  ['~', [0, 'def ~()']],
  ['!', [0, 'def !()']],
  ['[]=', [2, 'def []=(index, value)']],
]);

/** Reports an operator of a record whose method cannot take its operands. `[]` may take several. */
function checkOperator({ name, params }: Ast.Def, report: Report): void {
  if (!/^\W/.test(name.name)) return;
  const [count, form] = ARGUMENTS.get(name.name) ?? [1, `def ${name.name}(${name.name === '[]' ? 'index' : 'other'})`];
  // The first parameter is the record itself.
  const own = params.slice(1);
  const required = own.filter(({ kind, default: value }) => (kind === 'plain' || kind === 'named') && value === null);
  const most = own.some(({ kind }) => kind === 'rest') ? Infinity : own.filter(({ kind }) => kind === 'plain').length;
  const least = required.length;
  if (name.name === '[]' ? most >= 1 : least <= count && count <= most) return;
  report(
    'operator-arguments',
    name,
    `the operator '${name.name}' is called with ${count === 0 ? 'no arguments' : count === 1 ? '1 argument' : `${count} arguments`}`,
    `write \`${form} … end\``,
  );
}

function checkVariants({ name, members }: Ast.EnumDecl, report: Report): void {
  const seen = new Set<string>();
  for (const member of members) {
    if (seen.has(member.name))
      report(
        'duplicate-variant',
        member,
        `duplicate variant '${member.name}' of enum ${name.name}`,
        'remove it, or give it another name',
      );
    seen.add(member.name);
  }
}

function checkParent(symbol: TypeSymbol, parent: Ast.Name, names: Names, report: Report): void {
  const { module } = symbol;
  const found = typeSymbol(parent.name, module);
  if (found !== null ? isError(found) : BUILTIN_ERROR.test(parent.name) && names.isNative(parent.name)) {
    const circle = circleFrom(symbol);
    if (circle !== null)
      report(
        'error-parent',
        parent,
        `error types cannot be their own parents: ${circle.join(' < ')}`,
        'choose a parent that is not a descendant, or none; the default is RuntimeError',
      );
    return;
  }
  const known = [...names.natives()].filter((name) => BUILTIN_ERROR.test(name));
  for (const [name, other] of module.symbols) if (isError(other) && other !== symbol) known.push(name);
  const near = nearest(parent.name, known);
  const what =
    found === null && !names.isNative(parent.name)
      ? `no error type is named '${parent.name}'`
      : `'${parent.name}' is not an error type`;
  report(
    'error-parent',
    parent,
    `the parent of ${symbol.name} must be an error type: ${what}`,
    near === null ? declaringHint(parent.name) : `did you mean '${near}'?`,
  );
}

/** How to declare a missing error type, which `shop.Missing` expects in the imported file. */
function declaringHint(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0
    ? `declare it: \`error ${name}\``
    : `declare \`error ${name.slice(dot + 1)}\` in the file that is imported as ${name.slice(0, dot)}`;
}

function isError(symbol: Symbol): symbol is TypeSymbol {
  return symbol.kind === 'type' && symbol.node.type === 'ErrorDecl';
}

/** The names from a type back to itself, if it is its own ancestor. */
function circleFrom(symbol: TypeSymbol): string[] | null {
  const names = [symbol.name];
  const seen = new Set<TypeSymbol>();
  for (let at = parentOf(symbol); at !== null && !seen.has(at); at = parentOf(at)) {
    seen.add(at);
    names.push(at.name);
    if (at === symbol) return names;
  }
  return null;
}

function parentOf({ node, module }: TypeSymbol): TypeSymbol | null {
  const parent = node.type === 'ErrorDecl' && node.parent !== null ? typeSymbol(node.parent.name, module) : null;
  return parent !== null && isError(parent) ? parent : null;
}
