import type * as Ast from '../ast.js';
import { annotationOf } from '../annotationtypes.js';
import { docComment } from '../layout/comments.js';
import type { ModuleScope } from '../symbols.js';
import type { Facts } from './facts.js';
import { type Library, librarySignature } from './library.js';
import type { Target } from './targets.js';

/** What is shown of a name: its declaration in short, and the text of its documentation. */
export interface Description {
  signature: string;
  /** Markdown. */
  doc: string;
}

/** Maximum characters of a value in a description. */
const MAX_VALUE = 80;

/** A parameter as it was written: `name: Type = default`. */
export function paramText(param: Ast.Param, { text }: ModuleScope): string {
  const { name, kind, default: value, pattern } = param;
  if (pattern !== null) return text.slice(param.start, param.end);
  const annotation = param.annotation === null ? '' : param.annotation;
  const fallback = value === null ? '' : oneLine(text.slice(value.start, value.end));
  if (kind === 'rest') return `*${name}`;
  if (kind === 'options') return `**${name}`;
  if (kind === 'named') return `${name}:${fallback === '' ? '' : ` ${fallback}`}`;
  return `${name}${annotation === '' ? '' : `: ${annotation}`}${fallback === '' ? '' : ` = ${fallback}`}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE)}…` : line;
}

/** The parameters that callers know: without the `self` of methods. */
export function ownParams(params: readonly Ast.Param[]): Ast.Param[] {
  return params.filter(({ name, start, end }) => name !== 'self' || start !== end);
}

/** `name(a, b = 2) -> Type` */
export function defSignature({ name, params, returns }: Ast.Def, module: ModuleScope): string {
  const list = ownParams(params).map((param) => paramText(param, module));
  return `${name.name}(${list.join(', ')})${returns === null ? '' : ` -> ${returns}`}`;
}

export function recordSignature({ fields }: Ast.RecordDecl, name: string, module: ModuleScope): string {
  return `${name}(${fields.map((field) => paramText(field, module)).join(', ')})`;
}

/** `enum Name(Member, Other(field: Type = default))` */
export function enumSignature({ name, members, variants }: Ast.EnumDecl, module: ModuleScope): string {
  const list = members.map((member, i) => {
    const variant = variants?.[i];
    return variant === undefined || variant.fields.length === 0
      ? member.name
      : recordSignature(variant, member.name, module);
  });
  return `enum ${name.name}(${list.join(', ')})`;
}

/** The `##` lines above a declaration. */
function docOf(node: Ast.Node, { text }: ModuleScope): string {
  return docComment(text, node.start);
}

/** What a name stands for, in words; null if nothing is known of it. */
export function describe(target: Target, facts: Facts, library: Library): Description | null {
  const { kind, name, module, owner } = target;
  if (kind === 'native') return ofNative(name, owner, facts, library);
  if (kind === 'unknown') return ofUnknown(name, library);
  if (module === null) return null;
  if (kind === 'file') return { signature: module.path, doc: fileDoc(module) };
  if (kind === 'namespace') return { signature: `import … as ${name}`, doc: '' };
  return target.variable !== null || kind === 'field' ? ofValue(target, facts) : ofDeclaration(target, module);
}

function ofNative(name: string, owner: string, facts: Facts, library: Library): Description | null {
  const entry = library.find(owner, name);
  if (entry !== null) return { signature: librarySignature(entry), doc: entry.doc };
  if (owner !== '') return ofUnknown(name, library);
  return facts.program.env.natives.has(name)
    ? { signature: name, doc: /^[A-Z]/.test(name) ? `The type ${name}.` : '' }
    : null;
}

/** A member of a value whose type is not known: what the library has of this name. */
function ofUnknown(name: string, library: Library): Description | null {
  const found = library.named(name);
  if (found.length === 0) return null;
  const some = found.slice(0, 3);
  if (found.length === 1) return { signature: librarySignature(found[0]), doc: found[0].doc };
  return {
    signature: some.map(librarySignature).join('\n'),
    doc: some.map(({ owner, doc }) => `- ${owner}: ${doc}`).join('\n'),
  };
}

/** The comment at the start of a file. */
function fileDoc({ text }: ModuleScope): string {
  const [comments] = /^(?:#[^\n]*\n)+/.exec(text) ?? [''];
  return comments.replaceAll(/^#+ ?/gm, '').trim();
}

function ofValue(target: Target, facts: Facts): Description {
  const { kind, name, module, owner, param, variable } = target;
  const types = module === null ? null : facts.program.types(module);
  const annotation = param === null ? null : annotationOf(param);
  const value = variable === null || types === null ? null : types.valueOf(variable);
  const isFixed = variable !== null && variable.assignments === 1 && !variable.conditional;
  const type = annotation ?? (isFixed ? types?.ofVariable(variable) : null) ?? null;
  const typed = `${name}${type === null ? '' : `: ${type}`}`;
  if (kind === 'field') return { signature: `${owner}.${typed}`, doc: '' };
  const place = value === null ? null : { start: value.start, end: value.end };
  const doc = module === null || target.start < 0 ? '' : docComment(module.text, target.start);
  if (kind === 'constant' && place !== null && module !== null)
    return { signature: `${name} = ${oneLine(module.text.slice(place.start, place.end))}`, doc };
  return { signature: param === null ? typed : `${typed} (parameter)`, doc };
}

function ofDeclaration({ kind, name, owner, node }: Target, module: ModuleScope): Description {
  const declared = node as Ast.Expr;
  switch (declared.type) {
    case 'Def':
      return {
        signature: `def ${kind === 'method' ? `${owner}.` : ''}${defSignature(declared, module)}`,
        doc: docOf(declared, module),
      };
    case 'RecordDecl':
      return {
        signature: `${kind === 'member' ? `${owner}.` : 'record '}${recordSignature(declared, name, module)}`,
        doc: docOf(declared, module),
      };
    case 'InterfaceDecl':
      return { signature: `interface ${name}`, doc: docOf(declared, module) };
    case 'EnumDecl':
      return {
        signature: enumSignature(declared, module),
        doc: docOf(declared, module),
      };
    case 'ErrorDecl':
      return {
        signature: `error ${name}${declared.parent === null ? '' : ` < ${declared.parent.name}`}`,
        doc: docOf(declared, module),
      };
    default:
      return { signature: owner === '' ? name : `${owner}.${name}`, doc: '' };
  }
}
