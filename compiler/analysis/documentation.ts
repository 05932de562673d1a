import type * as Ast from '../ast.js';
import { docComment } from '../layout/comments.js';
import type { ModuleScope } from '../symbols.js';
import { defSignature, enumSignature, recordSignature } from './describe.js';
import type { Source } from './outline.js';

export type DocKind = 'function' | 'record' | 'method' | 'interface' | 'enum' | 'error' | 'constant';

/** A public name of a file. */
export interface DocItem {
  kind: DocKind;
  name: string;
  signature: string;
  /** Markdown, from the `##` lines above; empty if there are none. */
  doc: string;
  members: DocItem[];
}

/** What a file offers to others. */
export interface FileDoc {
  /** The comment at the start of the file. */
  introduction: string;
  items: DocItem[];
}

/** A value longer than this is left out of the signature of a constant. */
const MAX_VALUE = 60;

/** The documentation of a file, in source order: what other files can use. */
export function documentationOf(source: Source): FileDoc {
  const { stmts } = source.tree;
  const exported = stmts.flatMap((node) => (node.type === 'ExportNames' ? node.names.map(({ name }) => name) : []));
  const hasExports = stmts.some(({ type }) => type === 'ExportNames');
  const isPublic = (name: string): boolean => !name.startsWith('_') && (!hasExports || exported.includes(name));
  const seen = new Set<string>();
  const items = stmts
    .flatMap((node) => itemOf(node, source as ModuleScope))
    .filter(({ name }) => {
      if (!isPublic(name) || seen.has(name)) return false;
      seen.add(name);
      return true;
    });
  return { introduction: introductionOf(source.text), items };
}

function introductionOf(text: string): string {
  const [comments] = /^\ufeff?(?:#(?!#)[^\n]*\n?)+/.exec(text) ?? [''];
  return comments
    .replace(/^\ufeff?#![^\n]*\n/, '')
    .replaceAll(/^\ufeff?# ?|\r$/gm, '')
    .trim();
}

function itemOf(node: Ast.Expr, module: ModuleScope): DocItem[] {
  const doc = (at: Ast.Node): string => docComment(module.text, at.start);
  switch (node.type) {
    case 'Def':
      return node.isPrivate
        ? []
        : [
            {
              kind: 'function',
              name: node.name.name,
              signature: `def ${defSignature(node, module)}`,
              doc: doc(node),
              members: [],
            },
          ];
    case 'RecordDecl':
      return node.isLiteral ? [] : [{ ...recordOf(node, module), doc: doc(node) }];
    case 'InterfaceDecl': {
      const needs = node.needs.length === 0 ? '' : ` needs ${node.needs.map(neededText).join(', ')}`;
      return [
        {
          kind: 'interface',
          name: node.name.name,
          signature: `interface ${node.name.name}${needs}`,
          doc: doc(node),
          members: methodsOf(node.methods, module),
        },
      ];
    }
    case 'EnumDecl':
      return [
        {
          kind: 'enum',
          name: node.name.name,
          signature: enumSignature(node, module),
          doc: doc(node),
          members: [],
        },
      ];
    case 'ErrorDecl':
      return [
        {
          kind: 'error',
          name: node.name.name,
          signature: `error ${node.name.name}${node.parent === null ? '' : ` < ${node.parent.name}`}`,
          doc: doc(node),
          members: [],
        },
      ];
    case 'ConstDecl':
      return [constant(node.name.name, node.value, doc(node), module)];
    case 'Assign':
      return node.target.type === 'Ident' && /^[A-Z][A-Z0-9_]*$/.test(node.target.name)
        ? [constant(node.target.name, node.value, doc(node), module)]
        : [];
    default:
      return [];
  }
}

function recordOf(node: Ast.RecordDecl, module: ModuleScope): DocItem {
  const { name } = node.name;
  const types = node.interfaces.map(({ start, end }) => module.text.slice(start, end));
  const is = types.length === 0 ? '' : ` is ${types.join(', ')}`;
  return {
    kind: 'record',
    name,
    signature: `record ${recordSignature(node, name, module)}${is}`,
    doc: '',
    members: methodsOf(node.methods, module),
  };
}

function methodsOf(methods: readonly Ast.Def[], module: ModuleScope): DocItem[] {
  return methods
    .filter(({ name }) => !name.name.startsWith('_'))
    .map((method) => ({
      kind: 'method',
      name: method.name.name,
      signature: `def ${defSignature(method, module)}`,
      doc: docComment(module.text, method.start),
      members: [],
    }));
}

function constant(name: string, { start, end }: Ast.Node, doc: string, { text }: ModuleScope): DocItem {
  const value = text.slice(start, end);
  const isShort = value.length <= MAX_VALUE && !value.includes('\n');
  return { kind: 'constant', name, signature: isShort ? `${name} = ${value}` : name, doc, members: [] };
}

/** `name`, or `scale(by)` if the interface names the arguments. */
function neededText({ name, takes }: Ast.Need): string {
  return takes === null ? name : `${name}(${takes.join(', ')})`;
}
