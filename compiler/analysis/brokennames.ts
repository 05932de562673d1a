import type * as Ast from '../ast.js';

/** A line that begins a declaration, at any indentation. */
const DECLARATION =
  /^[ \t]*(?:(?:private[ \t]+)?def|record|enum|error|interface)[ \t]+([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[?!]?)/gm;
const CONSTANT = /^([A-Z][A-Z0-9_]*)[ \t]*=(?![=~>])|^const[ \t]+(\w+)/gm;

/** A declaration of a file's top level. */
export type Declared = Ast.Def | Ast.RecordDecl | Ast.EnumDecl | Ast.ErrorDecl | Ast.InterfaceDecl | Ast.ConstDecl;

const NOTHING: Omit<Ast.Body, 'start' | 'end'> = { stmts: [], rescues: [], else: null, ensure: null };

/** The declaration without its contents, at the place where the name stands now. */
function stubOf(node: Declared, start: number): Declared {
  const shift = start - node.name.start;
  const name = { ...node.name, start, end: node.name.end + shift };
  const place = { name, start, end: name.end };
  const empty: Ast.Body = { ...NOTHING, start: name.end, end: name.end };
  const bare = (params: readonly Ast.Param[]): Ast.Param[] =>
    params.map((param) => ({ ...param, start, end: start, default: param.default === null ? null : nil(start) }));
  const hollow = (def: Ast.Def): Ast.Def => ({
    ...def,
    ...place,
    name: { ...def.name, start, end: start },
    params: bare(def.params),
    body: empty,
  });
  switch (node.type) {
    case 'Def':
      return { ...node, ...place, params: bare(node.params), body: empty };
    case 'RecordDecl':
      return { ...node, ...place, fields: bare(node.fields), methods: node.methods.map(hollow), interfaces: [] };
    case 'InterfaceDecl':
      return { ...node, ...place, needs: [], methods: node.methods.map(hollow) };
    case 'EnumDecl':
      return {
        ...node,
        ...place,
        members: node.members.map((member) => ({ ...member, start, end: start })),
        variants: null,
      };
    case 'ConstDecl':
      return { ...node, ...place, value: nil(start) };
    default:
      return { ...node, ...place, parent: null };
  }
}

function nil(start: number): Ast.Nil {
  return { type: 'Nil', start, end: start };
}

/** What a file declares at its top level, by name. */
export function declaredIn({ stmts }: Ast.Module): Map<string, Declared> {
  const out = new Map<string, Declared>();
  for (const node of stmts)
    if (
      node.type === 'Def' ||
      (node.type === 'RecordDecl' && !node.isLiteral) ||
      node.type === 'EnumDecl' ||
      node.type === 'ErrorDecl' ||
      node.type === 'InterfaceDecl' ||
      node.type === 'ConstDecl'
    )
      out.set(node.name.name, node);
    else if (node.type === 'Assign' && node.target.type === 'Ident' && /^[A-Z]/.test(node.target.name))
      out.set(node.target.name, {
        type: 'ConstDecl',
        start: node.start,
        end: node.end,
        name: node.target,
        value: node.value,
      });
  return out;
}

/**
 * Adds declarations that an earlier version of the file had to statements that no longer parse, so that other places
 * still know their names.
 */
export function restoreNames(module: Ast.Module, text: string, earlier: ReadonlyMap<string, Declared>): void {
  const broken = module.stmts.filter(({ type }) => type === 'Error');
  if (broken.length === 0) return;
  const present = declaredIn(module);
  for (const { start, end } of broken) {
    const part = text.slice(start, end);
    for (const pattern of [DECLARATION, CONSTANT])
      for (const match of part.matchAll(pattern)) {
        const name = match[1] ?? match[2];
        const known = earlier.get(name) ?? unknown(match[0], name);
        if (known === null || present.has(name)) continue;
        const stub = stubOf(known, start + match.index + match[0].lastIndexOf(name));
        present.set(name, stub);
        module.stmts.push(stub);
      }
  }
}

/** A function of which nothing but its name is known. */
function unknown(line: string, name: string): Declared | null {
  if (!/\bdef\b/.test(line)) return null;
  const place = { start: 0, end: name.length };
  const rest: Ast.Param = { ...place, name: 'values', kind: 'rest', default: null, pattern: null, annotation: null };
  return {
    ...place,
    type: 'Def',
    name: { ...place, name },
    params: [rest],
    body: { ...NOTHING, ...place },
    doc: '',
    returns: null,
    isPrivate: false,
  };
}
