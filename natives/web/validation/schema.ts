/** Types as JSON Schema, in the dialect of OpenAPI 3.1. */
import { encodeJson } from '../../core/json/encode.js';
import { defaultsOf } from '../../core/fields/defaults.js';
import { allows, type Alternative, type FieldType, type Limits, optionalOf, typesOf } from '../../core/fields/types.js';
import type { Bounds } from '../../core/fields/bounds.js';
import { patternOf } from '../../../vm/values/regex/index.js';
import { EnumType, RecordType } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';

export type Schema = Record<string, unknown>;

const DATE = {
  type: 'string',
  anyOf: [{ format: 'date-time' }, { format: 'date' }],
  examples: ['2024-02-28T10:30:00Z'],
};

// prettier-ignore
const BUILT_IN: Record<string, Schema> = {
  String: { type: 'string' }, Integer: { type: 'integer' }, Float: { type: 'number' }, Boolean: { type: 'boolean' },
  Nil: { type: 'null' }, Vector: { type: 'array' }, Hash: { type: 'object' }, Date: DATE,
  Decimal: { type: ['number', 'string'] }, Set: { type: 'array', uniqueItems: true },
};

/** JSON text in a schema. Numbers keep digits that a double does not have. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** The JSON text of an object that may hold RawJson. */
export function schemaText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(schemaText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${schemaText(item)}`).join(',')}}`;
}

/** A value as JSON.parse would return it. */
export function plainJson(value: Value): unknown {
  return JSON.parse(encodeJson(value));
}

/** Names that differ from each other also when case is ignored, as in names of files that generators write. */
export class DistinctNames {
  /** In lower case. */
  private readonly taken = new Set<string>();
  /** The number that a name which is taken gets next, by the name in lower case. */
  private readonly next = new Map<string, number>();

  /** The name, with a number if it is taken: `note`, `note_2`. */
  of(plain: string): string {
    const lower = plain.toLowerCase();
    let suffix = '';
    let number = this.next.get(lower) ?? 2;
    while (this.taken.has(lower + suffix)) suffix = `_${number++}`;
    this.next.set(lower, number);
    this.taken.add(lower + suffix);
    return plain + suffix;
  }
}

/** Schemas of a document. Records and enums become components, which others refer to. */
export class Schemas {
  readonly components: Record<string, Schema> = {};
  private readonly names = new Map<RecordType | EnumType, string>();
  /** Names of records as forms send them, where that differs. */
  private readonly formNames = new Map<RecordType | EnumType, string>();
  private isForm = false;
  private readonly distinct = new DistinctNames();

  of(type: FieldType): Schema {
    if (type === null) return {};
    const schemas = type.map((one) => this.alternative(one));
    if (schemas.length === 1) return schemas[0];
    const [only, ...others] = schemas.filter((_, i) => type[i].type !== 'Nil');
    // `String?`: both types in one schema, unless it is composed of others.
    if (others.length === 0 && typeof only.type === 'string' && only.anyOf === undefined)
      return { ...only, type: [only.type, 'null'] };
    return { anyOf: schemas };
  }

  /** The schema of a body in a form: a Boolean that it does not send is false. */
  ofForm(type: FieldType): Schema {
    this.isForm = true;
    try {
      return this.of(type);
    } finally {
      this.isForm = false;
    }
  }

  private alternative({ type, inner, limits }: Alternative): Schema {
    if (type instanceof RecordType) return this.component(type, () => this.record(type));
    if (type instanceof EnumType) return this.component(type, () => this.enumeration(type));
    if (typeof type !== 'string') return {};
    const schema = { ...(BUILT_IN[type] ?? {}) };
    if ((type === 'Vector' || type === 'Set') && inner.length === 1) schema.items = this.of(inner[0]);
    if (type === 'Hash' && inner.length === 2) this.entries(schema, inner[0], inner[1]);
    return limits === null ? schema : { ...schema, ...limited(type, limits) };
  }

  private entries(schema: Schema, keys: FieldType, values: FieldType): void {
    schema.additionalProperties = this.of(values);
    if (keys?.some((one) => one.limits !== null) === true) schema.propertyNames = this.of(keys);
  }

  private component(type: RecordType | EnumType, make: () => Schema): Schema {
    const isOfForm = this.isForm && type instanceof RecordType && differsInForms(type, new Set());
    const names = isOfForm ? this.formNames : this.names;
    let name = names.get(type);
    if (name === undefined) {
      name = this.nameOf(isOfForm ? `${type.name}Form` : type.name);
      names.set(type, name);
      this.components[name] = {};
      // The type may contain itself, so its name is known first.
      this.components[name] = make();
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The name of a component: `plain`, or one like it that is not taken. */
  nameOf(plain: string): string {
    return this.distinct.of(plain.replace(/[^\w.-]/g, '_'));
  }

  private enumeration(type: EnumType): Schema {
    if (type.variants.size === 0) return { type: 'string', enum: [...type.members] };
    return { anyOf: [...type.variants.values()].map((variant) => this.component(variant, () => this.record(variant))) };
  }

  private record(type: RecordType): Schema {
    const fields = this.fields(type);
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    const doc = type.make?.fn.doc.trim() ?? '';
    return {
      type: 'object',
      ...(doc === '' ? {} : { description: doc }),
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      ...(required.length === 0 ? {} : { required }),
    };
  }

  /** The fields of a record. */
  fields(type: RecordType): { name: string; required: boolean; type: FieldType; schema: Schema }[] {
    const types = typesOf(type);
    const optional = optionalOf(type);
    const defaults = defaultsOf(type);
    return type.fields.map((name, i) => {
      const make = defaults[i];
      const schema = this.of(types[i]);
      const value = make?.() ?? null;
      // A reference may have siblings in 3.1.
      if (make !== null && make !== undefined && value !== null) schema.default = new RawJson(encodeJson(value));
      const isMissing = make === null && !optional[i];
      const isFalse = this.isForm && isMissing && holdsBoolean(types[i]);
      if (isFalse) schema.default = false;
      const required = isMissing && !isFalse;
      return { name, required, type: types[i], schema };
    });
  }
}

const holdsBoolean = (type: FieldType): boolean => type !== null && allows(type, 'Boolean');

/** Whether a form may lack fields of a record that JSON must have, in it or in the records that it holds. */
function differsInForms(record: RecordType, seen: Set<RecordType>): boolean {
  if (seen.has(record)) return false;
  seen.add(record);
  const optional = optionalOf(record);
  const defaults = defaultsOf(record);
  const holds = (type: FieldType): boolean =>
    type?.some(
      ({ type: one, inner }) => (one instanceof RecordType && differsInForms(one, seen)) || inner.some(holds),
    ) === true;
  return typesOf(record).some((type, i) => (defaults[i] === null && !optional[i] && holdsBoolean(type)) || holds(type));
}

const LENGTHS: Record<string, readonly [least: string, most: string]> = {
  String: ['minLength', 'maxLength'],
  Vector: ['minItems', 'maxItems'],
  Set: ['minItems', 'maxItems'],
  Hash: ['minProperties', 'maxProperties'],
};

function limited(type: string, { ranges, regexes }: Limits): Schema {
  const schemas = [
    ...ranges.map((range) => (type in LENGTHS ? lengths(LENGTHS[type], range) : numbers(range))),
    ...regexes.flatMap((regex): Schema[] => {
      const pattern = patternOf(regex);
      return pattern === null ? [] : [{ pattern }];
    }),
  ];
  const keys = schemas.flatMap((schema) => Object.keys(schema));
  const [first, ...others] = schemas;
  return new Set(keys).size === keys.length ? Object.assign({}, ...schemas) : { ...first, allOf: others };
}

function lengths([fewest, greatest]: readonly [string, string], { least, most }: Bounds): Schema {
  return {
    ...(least > 0 ? { [fewest]: new RawJson(String(least)) } : {}),
    ...(most === Infinity ? {} : { [greatest]: new RawJson(String(most)) }),
  };
}

function numbers({ lo, hi, exclusive }: Bounds): Schema {
  return {
    ...(lo === null ? {} : { minimum: new RawJson(lo.text) }),
    ...(hi === null ? {} : { [exclusive ? 'exclusiveMaximum' : 'maximum']: new RawJson(hi.text) }),
  };
}
