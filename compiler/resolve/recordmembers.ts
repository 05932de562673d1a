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
  const types = node.interfaces.flatMap((type) => interfaceNamed(type, record.module, report) ?? []);
  for (const { node: type, module } of types) {
    const implementers = resolution.implementers.get(type) ?? [];
    resolution.implementers.set(type, [...implementers, record]);
    for (const method of type.methods) {
      if (names.has(method.name.name)) continue;
      names.add(method.name.name);
      // A copy for each record: its names mean fields and methods of that record.
      added.push({ node: structuredClone(method), module });
    }
  }
  types.forEach(({ node: type }, i) => {
    for (const { name } of type.needs) {
      if (names.has(name)) continue;
      const near = nearest(name, names);
      report(
        'interface',
        node.interfaces[i],
        `${node.name.name} lacks '${name}', which ${type.name.name} needs`,
        near === null ? `add it as a field, or as a method: \`def ${name}() … end\`` : `did you mean '${near}'?`,
      );
    }
  });
  return [...own, ...added];
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
