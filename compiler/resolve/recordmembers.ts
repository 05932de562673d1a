import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type { DefSymbol, ModuleScope, Resolution, Symbol } from '../symbols.js';
import { moduleSymbol, offered } from './outernames.js';

type Report = (code: string, node: Ast.Node, message: string, hint?: string) => void;

/** Names that mean something of the record in its methods. */
export interface Members {
  fields: ReadonlySet<string>;
  methods: ReadonlySet<string>;
}

/** Methods of every record that its own methods may call by their bare names. */
const COPYING = ['with', 'copy'];

/** The methods of a record, and the names of its fields and methods; reports names that stand twice. */
export function membersOf(
  record: DefSymbol,
  node: Ast.RecordDecl,
  resolution: Resolution,
  report: Report,
): { symbols: DefSymbol[]; members: Members } {
  const fields = new Set(node.fields.map(({ name }) => name));
  const names = new Set<string>();
  const symbols = methodsOf(record, node, resolution, report).map(({ node: method, module }): DefSymbol => {
    const { name } = method.name;
    if (fields.has(name) || names.has(name))
      report(
        'duplicate-method',
        method.name,
        `record ${node.name.name} has ${fields.has(name) ? 'a field' : 'another method'} named '${name}'`,
        'give the method another name',
      );
    names.add(name);
    return { kind: 'def', name: `${node.name.name}.${name}`, params: method.params, module, node: method };
  });
  for (const name of COPYING) if (moduleSymbol(name, record.module, new Set()) === null) names.add(name);
  return { symbols, members: { fields, methods: names } };
}

/** A method of a record and the file that it was written in. */
interface OwnMethod {
  node: Ast.Def;
  module: ModuleScope;
}

/**
 * The methods of a record: its own, then those that its interfaces add. Reports interfaces that do not exist and what
 * they need.
 */
function methodsOf(record: DefSymbol, node: Ast.RecordDecl, resolution: Resolution, report: Report): OwnMethod[] {
  const own = node.methods.map((method) => ({ node: method, module: record.module }));
  const added: OwnMethod[] = [];
  const names = new Set([...node.fields, ...node.methods.map(({ name }) => name)].map(({ name }) => name));
  /** The interface that added a method, by the method's name. */
  const givers = new Map<string, Ast.InterfaceDecl>();
  const types = node.interfaces.flatMap((at) => {
    const found = interfaceNamed(at, record.module, report);
    return found === null ? [] : [{ ...found, at }];
  });
  for (const { node: type, module, at } of types) {
    const implementers = resolution.implementers.get(type) ?? [];
    resolution.implementers.set(type, [...implementers, record]);
    for (const method of type.methods) {
      const { name } = method.name;
      const giver = givers.get(name);
      if (giver !== undefined && giver !== type)
        report(
          'interface',
          at,
          `${giver.name.name} and ${type.name.name} both give ${node.name.name} a method '${name}'`,
          `choose by a method of the record itself: \`def ${name}() … end\``,
        );
      if (names.has(name)) continue;
      names.add(name);
      givers.set(name, type);
      // A copy for each record: its names mean fields and methods of that record.
      added.push({ node: structuredClone(method), module });
    }
  }
  for (const { node: type, at } of types) {
    for (const need of type.needs) {
      const { name } = need;
      if (names.has(name)) {
        const method = [...own, ...added].find((one) => one.node.name.name === name);
        if (method !== undefined && !accepts(method.node, need.takes))
          report(
            'interface',
            at,
            `'${name}' of ${node.name.name} cannot be called as ${type.name.name} needs it: \`${name}(${need.takes?.join(', ')})\``,
            'give the method these parameters; further ones need a default',
          );
        continue;
      }
      const near = nearest(name, names);
      report(
        'interface',
        at,
        `${node.name.name} lacks '${name}', which ${type.name.name} needs`,
        near === null ? `add it as a field, or as a method: \`def ${name}() … end\`` : `did you mean '${near}'?`,
      );
    }
  }
  return [...own, ...added];
}

/** Whether a method can be called with the arguments that an interface names. */
function accepts({ params }: Ast.Def, takes: readonly string[] | null): boolean {
  if (takes === null) return true;
  // The first parameter is `self`.
  const own = params.slice(1);
  const named = takes.filter((name) => name.endsWith(':')).map((name) => name.slice(0, -1));
  const count = takes.length - named.length;
  const plain = own.filter(({ kind }) => kind === 'plain');
  if (count > plain.length && !own.some(({ kind }) => kind === 'rest')) return false;
  const isGiven = (param: Ast.Param): boolean => plain.indexOf(param) >= 0 && plain.indexOf(param) < count;
  const isNamed = ({ name }: Ast.Param): boolean => named.includes(name);
  if (own.some((param) => isRequired(param) && !isGiven(param) && !isNamed(param))) return false;
  return own.some(({ kind }) => kind === 'options') || named.every((name) => own.some((param) => param.name === name));
}

function isRequired({ kind, default: value }: Ast.Param): boolean {
  return (kind === 'plain' || kind === 'named') && value === null;
}

function interfaceNamed(
  type: Ast.Expr,
  module: ModuleScope,
  report: Report,
): { node: Ast.InterfaceDecl; module: ModuleScope } | null {
  const symbol =
    type.type === 'Member' ? memberOf(type, module) : moduleSymbol((type as Ast.Ident).name, module, new Set());
  if (symbol?.kind === 'type' && symbol.node.type === 'InterfaceDecl')
    return { node: symbol.node, module: symbol.module };
  const { name } = type as Ast.Member | Ast.Ident;
  const known = [...module.symbols].filter(([, other]) => other.kind === 'type' && other.node.type === 'InterfaceDecl');
  const near = nearest(
    name,
    known.map(([other]) => other),
  );
  report(
    'interface',
    type,
    symbol === null ? `no interface is named '${name}'` : `'${name}' is no interface`,
    near === null ? `declare it: \`interface ${name} … end\`` : `did you mean '${near}'?`,
  );
  return null;
}

function memberOf({ recv, name }: Ast.Member, module: ModuleScope): Symbol | null {
  const file = recv.type === 'Ident' ? moduleSymbol(recv.name, module, new Set()) : null;
  return file?.kind === 'namespace' ? offered(name, file.module) : null;
}

/** Reports an assignment to `self` or a field in a method; `isNew` says that it would make a variable. */
export function checkAssigned(members: Members, node: Ast.Node, name: string, isNew: boolean, report: Report): void {
  if (name === 'self')
    report(
      'self-assigned',
      node,
      '`self` cannot be assigned: it is the record whose method runs',
      'write `self.field = …` to change a field, or give the variable another name',
    );
  else if (isNew && members.fields.has(name))
    report(
      'field-assigned',
      node,
      `'${name}' is a field of the record`,
      `write \`self.${name} = …\` to change it, or give the variable another name`,
    );
}
