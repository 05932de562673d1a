import { Errors, fail } from '../../../vm/values/error.js';
import { HandleType } from '../../../vm/values/handle.js';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { EnumType, RecordType } from '../../../vm/values/structured.js';
import { kindName, TypeValue } from '../../../vm/values/types.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { CONVERTERS } from '../../core/fields/convert.js';
import { defaultsOf } from '../../core/fields/defaults.js';
import {
  adviceFor,
  type Alternative,
  describe,
  type FieldType,
  fits,
  optionalOf,
  typesOf,
  unknownType,
} from '../../core/fields/types.js';
import { type Quick, quickReader } from '../../core/fields/quick.js';
import { type QuickTexts, quickTexts } from '../../core/fields/quicktexts.js';

/** What a route declares about its requests and answers. */
export interface Declared {
  body: DeclaredBody | null;
  query: DeclaredTexts | null;
  params: DeclaredTexts | null;
  /** Which of body, query and params are declared. */
  options: ReadonlySet<string>;
  /** Types of the bodies of answers, by status; null for one without a body. */
  returns: ReadonlyMap<number, FieldType>;
  /** Whether the handler runs for a request that does not fit, and finds the problems in `req.errors`. */
  runsWithErrors: boolean;
  /** Summary, a blank line and a description; empty if none is given. */
  doc: string;
  tags: readonly string[];
  /** An example of a body; null if none is given. */
  example: Value;
}

/** A query or the parameters of a path. */
export interface DeclaredTexts {
  type: RecordType;
  quick: QuickTexts;
}

export interface DeclaredBody {
  type: FieldType;
  quick: Quick;
  json: boolean;
  forms: boolean;
}

/** The parameters of a route's registration that declare its requests and answers. */
export const DECLARING =
  'body: Any = nil, query: Any = nil, params: Any = nil, returns: Any = nil, accepts: Any = nil, ' +
  'on_invalid: String = "answer", doc: String? = nil, tags: Vector? = nil, example: Any = nil';

/** Their values. */
export type DeclaringValues = [
  body: Value,
  query: Value,
  params: Value,
  returns: Value,
  accepts: Value,
  onInvalid: string,
  doc: string | null,
  tags: Value[] | null,
  example: Value,
];

/** What a route declares; undefined if that is nothing. @throws ValueError, TypeError */
export function declare(method: string, pattern: string, values: DeclaringValues): Declared | undefined {
  const [body, query, params, returns, accepts, onInvalid, doc, tags, example] = values;
  const where = (name: string): string => `${method} ${pattern}: ${name}`;
  if (onInvalid !== 'answer' && onInvalid !== 'handler')
    fail(Errors.ValueError, `${where('on_invalid')} must be "answer" or "handler", got ${JSON.stringify(onInvalid)}`);
  if (tags?.some((tag) => typeof tag !== 'string') === true)
    fail(Errors.TypeError, `${where('tags')} must be a Vector of Strings`);
  for (const [name, given] of Object.entries({ accepts, example }))
    if (body === null && given !== null) fail(Errors.ValueError, `${where(name)} needs body:`);
  if ([body, query, params, returns, doc, tags].every((option) => option === null)) return undefined;
  const declared: Declared = {
    body: body === null ? null : bodyOf(method, typeOf(body, where('body')), accepts, where),
    query: query === null ? null : textsOf(recordOf(query, 'query', where('query'))),
    params: params === null ? null : textsOf(recordOf(params, 'params', where('params'))),
    options: new Set(
      Object.entries({ body, query, params }).flatMap(([name, given]) => (given === null ? [] : [name])),
    ),
    returns: returnsOf(returns, where('returns')),
    runsWithErrors: onInvalid === 'handler',
    doc: doc?.trim() ?? '',
    tags: (tags ?? []) as string[],
    example,
  };
  const known = new Known();
  if (declared.body !== null) known.check(declared.body.type, where('body'));
  if (declared.query !== null) known.fields(declared.query.type, where('query'));
  if (declared.params !== null) known.fields(declared.params.type, where('params'));
  return declared;
}

/** Refuses names of types that do not exist, as every value would fit, and types whose values no request holds. */
class Known {
  private readonly seen = { needed: new Set<RecordType>(), others: new Set<RecordType>() };

  /** @param isNeeded whether a request must have a value of the type @throws TypeError */
  check(type: FieldType, where: string, isNeeded = true): void {
    for (const { type: one, inner } of type ?? []) {
      if (one instanceof RecordType) this.fields(one, where, isNeeded);
      else if (one instanceof EnumType && one.variants.size > 0)
        fail(
          Errors.TypeError,
          `${where}: members of ${one.name} have fields, and a request does not say which member a value is; declare a record with a field for the name, and make the member in the handler`,
        );
      for (const argument of inner) this.check(argument, where, isNeeded);
    }
    if (isNeeded && type !== null && !type.some((one) => isSent(one.type)))
      fail(Errors.TypeError, `${where}: no request holds a value of type ${describe(type)}`);
  }

  fields(record: RecordType, where: string, isNeeded = true): void {
    const seen = isNeeded ? this.seen.needed : this.seen.others;
    if (seen.has(record)) return;
    seen.add(record);
    const unknown = unknownType(record);
    if (unknown !== null) {
      const { field, name } = unknown;
      fail(Errors.TypeError, `${where}: '${field}': unknown type '${name}'${adviceFor(name)}`);
    }
    const optional = optionalOf(record);
    const defaults = defaultsOf(record);
    for (const [i, type] of typesOf(record).entries()) {
      const at = `${where}: '${record.fields[i]}'`;
      this.check(type, at, isNeeded && defaults[i] === null && !optional[i]);
    }
  }
}

/** One value of each type that JSON has. */
const JSON_VALUES: readonly Value[] = [null, true, 0, new Float(0), '', [], new Hash()];

/** Whether values of a type may be in requests. */
function isSent(type: Value | string): boolean {
  if (type instanceof RecordType || type instanceof EnumType) return true;
  const name = type instanceof TypeValue ? type.name : type;
  if (typeof name === 'string' && (name === 'Decimal' || name === 'Set' || CONVERTERS.has(name))) return true;
  return JSON_VALUES.some((value) => fits(type, value));
}

function textsOf(type: RecordType): DeclaredTexts {
  return { type, quick: quickTexts(type) };
}

function bodyOf(method: string, type: FieldType, accepts: Value, where: (name: string) => string): DeclaredBody {
  if (method === 'GET') fail(Errors.ValueError, `${where('body')}: a GET request has no body; declare its query:`);
  // Forms are named values.
  const canForm = type === null || type.some((one) => one.type instanceof RecordType || one.type === 'Hash');
  const kinds =
    accepts === null ? ['json', ...(canForm ? ['form'] : [])] : Array.isArray(accepts) ? accepts : [accepts];
  if (kinds.length === 0 || kinds.some((kind) => kind !== 'json' && kind !== 'form'))
    fail(Errors.ValueError, `${where('accepts')} must be "json", "form" or a Vector of both`);
  if (kinds.includes('form') && !canForm)
    fail(Errors.ValueError, `${where('accepts')}: a form needs a record as body:`);
  return { type, quick: quickReader(type), json: kinds.includes('json'), forms: kinds.includes('form') };
}

function returnsOf(value: Value, where: string): ReadonlyMap<number, FieldType> {
  const out = new Map<number, FieldType>();
  if (value === null) return out;
  if (!(value instanceof Hash)) return out.set(200, typeOf(value, where));
  for (const [status, type] of value.entries()) {
    if (typeof status !== 'number' || status < 100 || status > 599)
      fail(
        Errors.ValueError,
        `${where}: a status is an Integer from 100 to 599, as in {201 => Ticket, 404 => Problem}`,
      );
    out.set(status, type === null ? [] : typeOf(type, where));
  }
  return out;
}

/** The type that an option names: a type, or a vector that holds the type of the elements. */
function typeOf(value: Value, where: string): FieldType {
  const plain = (type: Value | string, inner: FieldType[] = []): Alternative[] => [{ type, inner, limits: null }];
  if (value instanceof RecordType || value instanceof EnumType) return plain(value);
  if (value instanceof HandleType) return plain(value.name);
  if (value instanceof TypeValue && value.name === 'Number') return [...plain('Integer'), ...plain('Float')];
  if (value instanceof TypeValue) return plain(BUILT_IN.has(value.name) ? value.name : value);
  if (Array.isArray(value) && value.length === 1) return plain('Vector', [typeOf(value[0], where)]);
  if (value instanceof Hash && value.size > 0) return plain(recordOf(value, 'Body', where));
  return fail(
    Errors.TypeError,
    `${where} must be a type such as Integer or a record, [Type] for a Vector, or a hash of types, got ${kindName(value)}`,
  );
}

const BUILT_IN = new Set(['Nil', 'Boolean', 'Integer', 'Float', 'String', 'Vector', 'Hash']);

/** The record type of an option: a record, or a hash of types that the program made. */
function recordOf(value: Value, name: string, where: string): RecordType {
  if (value instanceof RecordType) return value;
  if (!(value instanceof Hash) || value.size === 0)
    return fail(
      Errors.TypeError,
      `${where} must be a record or a hash of types, as in {page: Int = 1}, got ${kindName(value)}`,
    );
  const fields = value.keys().map(String);
  const types: Value[] = [];
  const texts = value.values().map((type, i) => annotationOf(typeOf(type, `${where}: '${fields[i]}'`), types));
  const record = new RecordType(name, fields, Shape.ofRecord(fields));
  record.annotations = { texts, types, constants: [] };
  return record;
}

/** The text of a type that `typeOf` has made, for `typesOf`. Adds the types that it names by number to `types`. */
function annotationOf(type: FieldType, types: Value[]): string {
  return (type as NonNullable<FieldType>)
    .map(({ type: named, inner }) => {
      const arguments_ = inner.map((one) => annotationOf(one, types)).join(',');
      const name = typeof named === 'string' ? named : `#${types.push(named) - 1}`;
      return arguments_ === '' ? name : `${name}<${arguments_}>`;
    })
    .join('|');
}
