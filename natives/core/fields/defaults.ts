import { Hash } from '../../../vm/values/hash.js';
import type { RecordType } from '../../../vm/values/structured.js';
import { Float, type Value } from '../../../vm/values/value.js';

/** Makes the default of a field. `undefined`: the constructor must compute it. `null`: the field has none. */
export type Default = (() => Value) | undefined | null;

const known = new WeakMap<RecordType, readonly Default[]>();

/** The defaults of a record's fields. Those that are written as literals need no call of the constructor. */
export function defaultsOf(record: RecordType): readonly Default[] {
  let defaults = known.get(record);
  if (defaults === undefined) {
    const params = record.make?.fn.params ?? [];
    defaults = record.fields.map((_, i) =>
      params[i]?.kind === 'optional' || params[i]?.kind === 'namedOptional' ? literal(params[i].defaultText) : null,
    );
    known.set(record, defaults);
  }
  return defaults;
}

const CONSTANTS: Record<string, Value> = { nil: null, true: true, false: false };

/** Makes the value of a literal; undefined for other expressions. */
function literal(text: string): Default {
  if (Object.hasOwn(CONSTANTS, text)) return always(CONSTANTS[text]);
  if (text === '[]') return () => [];
  if (text === '{}') return () => new Hash();
  if (/^-?(?:0|[1-9][0-9]{0,14})$/.test(text)) return always(Number(text) + 0);
  if (/^-?[0-9]{1,15}\.[0-9]{1,15}$/.test(text)) return () => new Float(Number(text));
  if (/^"[^"\\#]*"$/.test(text) || /^'[^'\\]*'$/.test(text)) return always(text.slice(1, -1));
  return /^:[A-Za-z_]\w*$/.test(text) ? always(text.slice(1)) : undefined;
}

function always(value: Value): () => Value {
  return () => value;
}
