import type { ModuleScope } from '../symbols.js';
import type { Facts } from './facts.js';
import type { Occurrence } from './occurrences.js';

/** Kinds of names, as editors colour them; the order is that of the numbers in answers. */
export const NAME_TYPES = [
  'namespace',
  'class',
  'enum',
  'interface',
  'enumMember',
  'type',
  'parameter',
  'variable',
  'property',
  'function',
  'method',
] as const;
export const NAME_MODIFIERS = ['declaration', 'readonly', 'defaultLibrary', 'modification'] as const;

/** A name with its kind and modifiers, as indexes and a set of bits. */
export interface ColouredName {
  start: number;
  length: number;
  type: number;
  modifiers: number;
}

type NameType = (typeof NAME_TYPES)[number];

const TYPE: Readonly<Record<Occurrence['target']['kind'], NameType | null>> = {
  variable: 'variable',
  parameter: 'parameter',
  constant: 'variable',
  function: 'function',
  method: 'method',
  field: 'property',
  record: 'class',
  interface: 'interface',
  enum: 'enum',
  member: 'enumMember',
  error: 'class',
  namespace: 'namespace',
  file: null,
  native: 'function',
  unknown: 'property',
};

function bit(name: (typeof NAME_MODIFIERS)[number]): number {
  return 1 << NAME_MODIFIERS.indexOf(name);
}

/** The names in a file with their kinds, in order; none overlap. */
export function colouredNames(facts: Facts, module: ModuleScope): ColouredName[] {
  const out: ColouredName[] = [];
  let end = -1;
  for (const { start, end: to, target, role } of facts.occurrences(module)) {
    const { kind, name, owner } = target;
    const isMember = module.text[start - 1] === '.';
    const type =
      kind === 'native'
        ? nativeType(name, owner)
        : kind === 'unknown' && !isMember
          ? null
          : kind === 'file' && /^\w+$/.test(module.text.slice(start, to)) && module.text[start - 1] !== '"'
            ? 'namespace'
            : TYPE[kind];
    if (type === null || start < end) continue;
    end = to;
    const modifiers =
      (role === 'declaration' ? bit('declaration') : 0) |
      (role === 'write' ? bit('modification') : 0) |
      (kind === 'constant' ? bit('readonly') : 0) |
      (kind === 'native' ? bit('defaultLibrary') : 0);
    out.push({ start, length: to - start, type: NAME_TYPES.indexOf(type), modifiers });
  }
  return out;
}

function nativeType(name: string, owner: string): NameType {
  if (owner !== '') return 'method';
  if (/^[A-Z]+$/.test(name)) return 'variable';
  return /^[A-Z]/.test(name) ? 'type' : 'function';
}
