import { length } from '../../../vm/values/text/codepoints.js';
import { Hash } from '../../../vm/values/hash.js';
import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { occursIn, searchesAtOnce, searchInSteps } from '../../../vm/values/regex/index.js';
import { EnumType, RecordType, RecordValue, type Regex } from '../../../vm/values/structured.js';
import { BUILTIN_TYPES, typeName, TypeValue } from '../../../vm/values/types.js';
import { isNumber, type Value } from '../../../vm/values/value.js';

/** The type of a field: alternatives, or null if every value fits. */
export type FieldType = readonly Alternative[] | null;

export interface Alternative {
  /** A declared type of the program, or the name of a built-in one. */
  type: Value | string;
  /** Types of the elements of a vector, or of the keys and the values of a hash; empty if every value fits. */
  inner: readonly FieldType[];
  limits: Limits | null;
}

/** Constraints: of a number, of the length of a text, or of the size of a collection; of the content of a text. */
export interface Limits {
  ranges: readonly Bounds[];
  regexes: readonly Regex[];
}

/** Bounds that are infinite are missing. `exclusive`: the upper one is not included. */
export interface Bounds {
  lo: number;
  hi: number;
  exclusive: boolean;
}

/** What is known of a record's fields. */
interface Fields {
  types: readonly FieldType[];
  /** Whether a field may be nil, and so be missing: `String?`, `Any?`. */
  optional: readonly boolean[];
}

const parsed = new WeakMap<RecordType, Fields>();

function fieldsOf(record: RecordType): Fields {
  let fields = parsed.get(record);
  if (fields === undefined) {
    const { texts = [], types: declared = [], constants = [] } = record.annotations ?? {};
    const read = record.fields.map((_, i) => new TypeReader(texts[i] ?? '', declared, constants).alternatives());
    fields = { types: read.map(typeOf), optional: read.map((type) => type.some((one) => one.type === 'Nil')) };
    parsed.set(record, fields);
  }
  return fields;
}

/** The types of a record's fields, parsed when they are needed first. */
export function typesOf(record: RecordType): readonly FieldType[] {
  return fieldsOf(record).types;
}

/** Which fields of a record may be missing, apart from those with defaults. */
export function optionalOf(record: RecordType): readonly boolean[] {
  return fieldsOf(record).optional;
}

function typeOf(alternatives: readonly Alternative[]): FieldType {
  return alternatives.some(({ type }) => type === '' || type === 'Any' || isUnknown(type)) ? null : alternatives;
}

function isUnknown(type: Value | string): boolean {
  return typeof type === 'string' && type.startsWith('?');
}

/** Names in the annotation of a record's field that are no types of the program: of `Vector<?Strng>`, `Strng`. */
export function unknownNames(record: RecordType, field: number): string[] {
  return [...(record.annotations?.texts?.[field] ?? '').matchAll(/\?([^<>,|(]+)/g)].map(([, name]) => name);
}

/** Reads the text of a type: `Vector<#2>(..5)|Nil`. */
class TypeReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly declared: readonly Value[],
    private readonly constants: readonly unknown[],
  ) {}

  private read(): FieldType {
    return typeOf(this.alternatives());
  }

  alternatives(): readonly Alternative[] {
    const out: Alternative[] = [];
    do {
      const name = this.match(/[^<>,|(]*/y);
      const inner: FieldType[] = [];
      if (this.take('<')) {
        do inner.push(this.read());
        while (this.take(','));
        this.take('>');
      }
      const type = name.startsWith('#') ? this.declared[Number(name.slice(1))] : name;
      out.push({ type, inner, limits: this.limits() });
    } while (this.take('|'));
    return out;
  }

  private limits(): Limits | null {
    if (!this.take('(')) return null;
    const ranges: Bounds[] = [];
    const regexes: Regex[] = [];
    do {
      const text = this.match(/[^,)]*/y);
      if (text.startsWith('/')) regexes.push(this.constants[Number(text.slice(1))] as Regex);
      else ranges.push(boundsOf(text));
    } while (this.take(','));
    this.take(')');
    return { ranges, regexes };
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }
}

function boundsOf(text: string): Bounds {
  const [, lo, dots, hi] = /^(.*?)(\.\.\.?)(?=[^.]|$)(.*)$/.exec(text) ?? ['', '', '..', ''];
  return {
    lo: lo === '' ? -Infinity : Number(lo),
    hi: hi === '' ? Infinity : Number(hi),
    exclusive: dots.length === 3,
  };
}

/** A type as messages name it. */
export function describe(type: FieldType): string {
  return (type ?? [])
    .map(({ type: one }) => {
      if (typeof one === 'string') return one === 'Nil' ? 'nil' : one;
      return one instanceof RecordType || one instanceof EnumType || one instanceof TypeValue ? one.name : 'Any';
    })
    .join(' or ');
}

/** Whether a value is of a type, regardless of the type's arguments and limits. */
export function fits(type: Value | string, value: Value): boolean {
  if (typeof type === 'string') return BUILTIN_TYPES.get(type)?.matches(value) ?? typeName(value) === type;
  if (type instanceof RecordType) return value instanceof RecordValue && value.type === type;
  if (type instanceof EnumType) return type.all().includes(value) || isVariant(type, value);
  return !(type instanceof TypeValue) || type.matches(value);
}

function isVariant({ variants }: EnumType, value: Value): boolean {
  return value instanceof RecordValue && [...variants.values()].includes(value.type);
}

/** Whether a type is a built-in one with this name. */
export function allows(type: FieldType, name: string): boolean {
  return type === null || type.some((one) => one.type === name);
}

/** What a range limits: a number itself, or how many of these a value has. */
type Unit = 'number' | 'character' | 'element' | 'entry';

function unitOf(value: Value): Unit {
  if (typeof value === 'string') return 'character';
  if (Array.isArray(value)) return 'element';
  return value instanceof Hash ? 'entry' : 'number';
}

/** The number that a range limits. */
function sizeOf(value: Value): number | bigint {
  if (typeof value === 'string') return length(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof Hash) return value.size;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return isNumber(value) ? toDouble(value) : Number((value as unknown as { toDouble(): number }).toDouble());
}

function isWithin({ lo, hi, exclusive }: Bounds, size: number | bigint): boolean {
  return size >= lo && (exclusive ? size < hi : size <= hi);
}

/**
 * Whether a value is within its limits; null if finding out may take longer than a step.
 */
export function isWithinLimits({ ranges, regexes }: Limits, value: Value): boolean | null {
  for (const bounds of ranges) if (!isWithin(bounds, sizeOf(value))) return false;
  for (const regex of regexes) {
    if (!searchesAtOnce(regex, value as string)) return null;
    if (!occursIn(regex, value as string)) return false;
  }
  return true;
}

/** What is wrong with a value, in steps: `must be at most 5`; null if it is within its limits. */
export function* limitProblem({ ranges, regexes }: Limits, value: Value): Generator<void, string | null, void> {
  for (const bounds of ranges) if (!isWithin(bounds, sizeOf(value))) return boundsText(bounds, unitOf(value));
  for (const regex of regexes) {
    const text = value as string;
    const found = searchesAtOnce(regex, text) ? occursIn(regex, text) : (yield* searchInSteps(regex, text)) >= 0;
    if (!found) return `must match /${unanchored(regex.source)}/${regex.flags}`;
  }
  return null;
}

/** The source of a constraint's regex as programs write it: `^` and `$` for the ends of the text. */
function unanchored(source: string): string {
  return source.replace(/\\[Az]|\\[^]/g, (escape) => (escape === '\\A' ? '^' : escape === '\\z' ? '$' : escape));
}

function boundsText({ lo, hi, exclusive }: Bounds, unit: Unit): string {
  if (unit === 'number') {
    const least = lo === -Infinity ? '' : `at least ${lo}`;
    const most = hi === Infinity ? '' : exclusive ? `less than ${hi}` : `at most ${hi}`;
    if (least === '' || most === '') return `must be ${least}${most}`;
    return exclusive ? `must be ${least} and ${most}` : `must be ${lo} to ${hi}`;
  }
  const most = exclusive ? hi - 1 : hi;
  const units = (n: number): string => (n === 1 ? unit : unit === 'entry' ? 'entries' : `${unit}s`);
  if (most === Infinity) return `must have at least ${lo} ${units(lo)}`;
  if (lo === most) return `must have exactly ${lo} ${units(lo)}`;
  return lo <= 0 ? `must have at most ${most} ${units(most)}` : `must have ${lo} to ${most} ${units(most)}`;
}
