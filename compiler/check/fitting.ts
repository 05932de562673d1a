/** Whether values of known types can be equal, and whether they can fit a type. */
import { alternatives, isConcrete } from '../annotationtypes.js';
import { typeSymbol } from '../resolve/outernames.js';
import type { Checked } from './environment.js';

interface Types {
  record(name: string): object | null;
}

/** Numbers are compared by value. */
const NUMBERS = new Set(['Integer', 'Float', 'Decimal']);

/** Whether a value of one type may fit another: an Integer stands for a Float, a Hash for a record. */
export function mayBe(type: string, wanted: string, types: Types): boolean {
  if (type === wanted || (NUMBERS.has(type) && NUMBERS.has(wanted))) return true;
  const hasFields = (name: string): boolean => name === 'Hash' || types.record(name) !== null;
  return hasFields(type) && hasFields(wanted);
}

/** Whether values of two types may be equal. Records may define `==`. */
export function mayEqual(a: string, b: string, types: Types): boolean {
  if (!isConcrete(a) || !isConcrete(b)) return true;
  return mayBe(a, b, types);
}

/** The members of the enum without fields that is the only type of a value, nil aside; null for other values. */
export function enumMembers(
  annotation: string | null,
  { module }: Checked,
): { name: string; members: string[] } | null {
  const names = annotation === null ? [] : alternatives(annotation).filter((name) => name !== 'Nil');
  const symbol = names.length === 1 ? typeSymbol(names[0], module) : null;
  if (symbol?.kind !== 'type' || symbol.node.type !== 'EnumDecl' || symbol.node.variants !== null) return null;
  return { name: names[0], members: symbol.node.members.map(({ name }) => name) };
}
