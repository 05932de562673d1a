/** As `quick.ts`, for the texts of a query or a path: records whose fields are no collections. */
import { EnumType, type RecordType, RecordValue } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { CONVERTERS, ofText } from './convert.js';
import { missingOf } from './quick.js';
import { type Read, UNFIT } from './reader.js';
import { allows, type FieldType, isWithinLimits, typesOf } from './types.js';

/** Reads a record from names and values; UNFIT leaves them to the reader. */
export type QuickTexts = (pairs: readonly (readonly [string, string])[]) => Read;

const SCALARS = new Set<unknown>(['String', 'Integer', 'Float', 'Boolean', 'Nil', ...CONVERTERS.keys()]);

/** The function that reads records of a type; one that reads none if it has fields of other types. */
export function quickTexts(type: RecordType): QuickTexts {
  const types = typesOf(type);
  const isScalar = types.every(
    (field) => field?.every((one) => SCALARS.has(one.type) || one.type instanceof EnumType) === true,
  );
  if (!isScalar) return () => UNFIT;
  const { fields } = type;
  const places = new Map(fields.map((field, i) => [field, i]));
  const readers = types.map((field) => textReader(field as NonNullable<FieldType>));
  const isText = types.map((field) => allows(field, 'String'));
  const missing = missingOf(type);
  return (pairs) => {
    const texts: (string | undefined)[] = new Array<string | undefined>(fields.length).fill(undefined);
    for (const [name, text] of pairs) {
      const place = places.get(name);
      // The last of repeated values counts.
      if (place !== undefined) texts[place] = text;
      else if (name.endsWith(']')) return UNFIT;
    }
    const values: Value[] = [];
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i];
      const isGiven = text !== undefined && (text !== '' || isText[i]);
      const read = isGiven ? readers[i](text) : missing[i]();
      if (read === UNFIT) return UNFIT;
      values.push(read);
    }
    return RecordValue.of(type, values);
  };
}

function textReader(field: NonNullable<FieldType>): (text: string) => Read {
  // A String comes last: every text is one.
  const types = [...field]
    .filter(({ type }) => type !== 'Nil')
    .sort((a, b) => Number(a.type === 'String') - Number(b.type === 'String'));
  return (text) => {
    for (const { type, limits } of types) {
      const made = ofText(type, text);
      if (made !== undefined) return limits === null || isWithinLimits(limits, made) === true ? made : UNFIT;
    }
    return UNFIT;
  };
}
