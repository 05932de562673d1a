import { Hash } from '../../../vm/values/hash.js';
import { EnumType, RecordType } from '../../../vm/values/structured.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { Path, Problem } from '../../core/fields/reader.js';
import type { Alternative, FieldType } from '../../core/fields/types.js';

/** Where a value of a request comes from. */
export type Place = 'body' | 'query' | 'path';

/** Maximum number of problems reported for a request. */
const MAX_PROBLEMS = 100;
/** Maximum members of an enum that a message lists, and maximum characters of a pointer. */
const MAX_MEMBERS = 20;
const MAX_POINTER = 1000;

/** The problems of a request, as hashes for programs: `at` is a JSON pointer, `in` is missing for the body. */
export class Problems {
  readonly list: Value[] = [];

  add(place: Place, path: Path | null, problem: Problem): void {
    if (this.list.length < MAX_PROBLEMS) this.list.push(errorHash(place, pointer(path), problemText(problem)));
  }
}

export function errorHash(place: Place, at: string, message: string): Hash {
  return Hash.from([
    ['at', at.slice(0, MAX_POINTER)],
    ...(place === 'body' ? [] : [['in', place] as [string, Value]]),
    ['message', message],
  ]);
}

/** A JSON pointer (RFC 6901). */
function pointer(path: Path | null): string {
  const parts: string[] = [];
  for (let at = path; at !== null; at = at.parent) {
    const { step } = at;
    const text = 'field' in step ? step.field : 'index' in step ? String(step.index) : toText(step.key);
    parts.push(`/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return parts.reverse().join('');
}

function problemText(problem: Problem): string {
  switch (problem.kind) {
    case 'missing':
      return 'is missing';
    case 'unknown':
      return 'is unknown';
    case 'deep':
      return 'is nested too deeply';
    case 'limit':
      return problem.text;
    default:
      return mismatch(problem.type, problem.value);
  }
}

/** What is wrong with a value that is of no alternative of a type. */
function mismatch(type: FieldType, value: Value): string {
  const records = (type ?? []).flatMap(({ type: one }) => (one instanceof RecordType ? [one.name] : []));
  // An object whose fields are those of none of several records.
  return value instanceof Hash && records.length > 1
    ? `must be an object like ${records.slice(0, MAX_MEMBERS).join(' or ')}`
    : `must be ${typeText(type)}`;
}

/** A type in words of JSON, for clients. */
function typeText(type: FieldType): string {
  const names = new Set((type ?? []).map(nameOf));
  return [...names].join(' or ');
}

const NAMES: Record<string, string> = {
  String: 'a string',
  Integer: 'an integer',
  Float: 'a number',
  Decimal: 'a decimal number',
  Boolean: 'true or false',
  Vector: 'an array',
  Set: 'an array',
  Hash: 'an object',
  Date: 'a date such as 2024-02-28 or 2024-02-28T10:30:00Z',
  Nil: 'null',
};

function nameOf({ type }: Alternative): string {
  if (typeof type === 'string') return NAMES[type] ?? `of type ${type}`;
  if (type instanceof EnumType) {
    const { members } = type;
    return `one of ${members.slice(0, MAX_MEMBERS).join(', ')}${members.length > MAX_MEMBERS ? ' …' : ''}`;
  }
  return type instanceof RecordType ? 'an object' : 'of another type';
}
