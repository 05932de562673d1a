import { occursIn, searchesAtOnce, searchInSteps } from '../../../vm/values/regex/index.js';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { Errors, ErrorValue, fail } from '../../../vm/values/error.js';
import { HandleType } from '../../../vm/values/handle.js';
import { EnumType, RecordType, RecordValue, type Regex } from '../../../vm/values/structured.js';
import { BUILTIN_TYPES, typeName, TypeValue } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import { type Bounds, boundsOf, boundsText, isWithin } from './bounds.js';

/** The type of a field: alternatives, or null if every value fits. */
export type FieldType = readonly Alternative[] | null;

export interface Alternative {
  /** A declared type of the program, or the name of a built-in one. */
  type: Value | string;
  /** Types of the elements of a vector or a set, or of the keys and the values of a hash; empty if every value fits. */
  inner: readonly FieldType[];
  limits: Limits | null;
}

/** Constraints: of a number, of the length of a text, or of the size of a collection; of the content of a text. */
export interface Limits {
  ranges: readonly Bounds[];
  regexes: readonly Regex[];
}

/** A name in the annotation of a field that is that of no type. */
export interface UnknownType {
  field: string;
  name: string;
}

/** What is known of a record's fields. */
interface Fields {
  types: readonly FieldType[];
  /** Whether a field may be nil, and so be missing: `String?`, `Any?`. */
  optional: readonly boolean[];
  /** The first name of no type, and its field; null if all names are those of types. */
  unknown: UnknownType | null;
}

const parsed = new WeakMap<RecordType, Fields>();

function fieldsOf(record: RecordType): Fields {
  let fields = parsed.get(record);
  if (fields === undefined) {
    const { texts = [], types: declared = [], constants = [] } = record.annotations ?? {};
    const read = record.fields.map((_, i) => new TypeReader(texts[i] ?? '', declared, constants).alternatives());
    const optional = read.map((type) => type.some((one) => one.type === 'Nil'));
    fields = { types: read.map(typeOf), optional, unknown: unknownIn(record) };
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

/** A name in the annotations of a record's fields that is that of no type: of `Vector<?Strng>`, `Strng`. */
function unknownIn({ annotations, fields }: RecordType): UnknownType | null {
  for (const [i, text] of (annotations?.texts ?? []).entries())
    for (const [, name] of text.matchAll(/\?([^<>,|(]+)/g)) if (!isLibraryType(name)) return { field: fields[i], name };
  return null;
}

/** Whether a type that is neither a common one nor declared by the program is one of the library. */
function isLibraryType(name: string): boolean {
  return HandleType.loaded.has(name) || BUILTIN_TYPES.has(name) || Object.hasOwn(Errors, name);
}

/** The name in a record's annotations that is that of no type; null if there is none. */
export function unknownType(record: RecordType): UnknownType | null {
  return fieldsOf(record).unknown;
}

/** What to write instead of the name of no type: `, did you mean 'String'?` */
export function adviceFor(name: string): string {
  const near = nearest(name, [...BUILTIN_TYPES.keys(), 'Date', 'Decimal', 'Duration', 'Set']);
  return near === null ? '' : `, did you mean '${near}'?`;
}

/** Raises the error of a record whose fields cannot be checked, as a name is that of no type. @throws TypeError */
export function refuseUnknown(record: RecordType): void {
  const { unknown } = fieldsOf(record);
  if (unknown === null) return;
  const { field, name } = unknown;
  fail(Errors.TypeError, `field '${field}' of ${record.name} has the unknown type '${name}'${adviceFor(name)}`);
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
      out.push({ type: this.typeOf(name), inner, limits: this.limits() });
    } while (this.take('|'));
    return out;
  }

  private typeOf(name: string): Value | string {
    if (name.startsWith('#')) return this.declared[Number(name.slice(1))];
    return isUnknown(name) && isLibraryType(name.slice(1)) ? name.slice(1) : name;
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
  if (typeof type === 'string') return BUILTIN_TYPES.get(type)?.matches(value) ?? isNamed(type, value);
  if (type instanceof RecordType) return value instanceof RecordValue && value.type === type;
  if (type instanceof EnumType) return type.all().includes(value) || isVariant(type, value);
  return !(type instanceof TypeValue) || type.matches(value);
}

function isNamed(type: string, value: Value): boolean {
  if (value instanceof ErrorValue && Object.hasOwn(Errors, type))
    return value.type.is(Errors[type as keyof typeof Errors]);
  return typeName(value) === type;
}

function isVariant({ variants }: EnumType, value: Value): boolean {
  return value instanceof RecordValue && [...variants.values()].includes(value.type);
}

/** Whether values of a type may be made of lists. */
export function allowsList(type: FieldType): boolean {
  return allows(type, 'Vector') || allows(type, 'Set');
}

/** Whether a type is a built-in one with this name. */
export function allows(type: FieldType, name: string): boolean {
  return type === null || type.some((one) => one.type === name);
}

/**
 * Whether a value is within its limits; null if finding out may take longer than a step.
 */
export function isWithinLimits({ ranges, regexes }: Limits, value: Value): boolean | null {
  for (const bounds of ranges) if (!isWithin(bounds, value)) return false;
  for (const regex of regexes) {
    if (!searchesAtOnce(regex, value as string)) return null;
    if (!occursIn(regex, value as string)) return false;
  }
  return true;
}

/** What is wrong with a value, in steps: `must be at most 5`; null if it is within its limits. */
export function* limitProblem({ ranges, regexes }: Limits, value: Value): Generator<void, string | null, void> {
  for (const bounds of ranges) if (!isWithin(bounds, value)) return boundsText(bounds, value);
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
