import { fromJson } from './fields/fromjson.js';
import { matches } from '../../vm/values/match.js';
import { inlined } from '../../vm/calls/native.js';
import { SEQUENCE } from '../../vm/calls/sequence.js';
import { EnumType, ownMethod, RecordType, RecordValue } from '../../vm/values/structured.js';
import { compare } from '../../vm/values/equal.js';
import { ErrorType, ErrorValue } from '../../vm/values/error.js';
import { Closure, NameList, type NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { toText } from '../../vm/values/text/text.js';
import { BUILTIN_TYPES, typeName, TypeValue } from '../../vm/values/types.js';
import { Float, type Value } from '../../vm/values/value.js';
import { paramsOf } from '../../vm/calls/native.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { methodsOf } from './declare.js';
import { toJson } from './json/index.js';
import { betweenByOwn, definesOrder } from './collections/ownorder.js';
import { clampAny } from './numbers/maths.js';
import { textOf } from './printing.js';

/** The type of a value, as a value. */
function typeOf(value: Value): Value {
  if (value instanceof RecordValue || value instanceof ErrorValue || value instanceof Handle) return value.type;
  return BUILTIN_TYPES.get(typeName(value)) ?? typeName(value);
}

/** Whether a value is of a type, given as a value or by name. */
function isOf(value: Value, type: Value): boolean {
  if (typeof type !== 'string') return matches(type, value);
  return typeName(value) === type || (BUILTIN_TYPES.get(type)?.matches(value) ?? false);
}

function respondsTo(vm: NativeContext, value: Value, name: string): boolean {
  if (vm.methods.find(value, name) !== undefined) return true;
  if (!(value instanceof RecordValue)) return false;
  if (value.get(name) !== undefined || ownMethod(value, name) !== undefined) return true;
  return ownMethod(value, 'each') !== undefined && SEQUENCE.methods.has(name);
}

function isBetween(vm: NativeContext, value: Value, low: Value, high: Value): Value | undefined {
  if (definesOrder(value)) return vm.answering(betweenByOwn(value, low, high));
  return compare(value, low) >= 0 && compare(value, high) <= 0;
}

/** Calls a function with the positional arguments, named arguments and block received. */
function call(vm: NativeContext, callee: Value, args: Value[], named: Hash, block: Value): Value | undefined {
  const names = [...(named.keys() as string[]), ...(block === null ? [] : ['&'])];
  const all = [...args, ...named.values(), ...(block === null ? [] : [block])];
  return vm.invoke(callee, all, names.length === 0 ? null : new NameList(names, null));
}

/**
 * Number of parameters, or −n−1 when n are required and more are possible. All named parameters together count as one
 * if any of them is required.
 */
function arity(callee: Closure | NativeFunction): number {
  if (callee instanceof Closure) {
    const kinds = callee.fn.params.map((p) => p.kind);
    const required = callee.fn.required + (kinds.includes('named') ? 1 : 0);
    return kinds.includes('optional') || kinds.includes('rest') ? -required - 1 : required;
  }
  const params = paramsOf(callee);
  const required = params.filter((p) => p.kind === 'plain' && p.default === undefined).length;
  return required === params.length ? required : -required - 1;
}

function nameOfType(type: Value): string {
  return type instanceof TypeValue ||
    type instanceof RecordType ||
    type instanceof ErrorType ||
    type instanceof EnumType ||
    type instanceof HandleType
    ? type.name
    : toText(type);
}

/** Methods of all values, and of types with hardly any methods of their own. */
// prettier-ignore
export const anyMethods = [
  ...methodsOf('Any', [
    ['to_s', '', 'String', 'The text printed by `puts`.', (vm: NativeContext, value: Value) => textOf(vm, value, false)],
    ['inspect', '', 'String', 'The text printed by `p`, with strings quoted.', (vm: NativeContext, value: Value) => textOf(vm, value, true)],
    ['type', '', 'String', 'Name of the type.', (_: unknown, value: Value) => typeName(value)],
    ['class', '', 'Type', 'The type as a value: `5.class == Integer`.', (_: unknown, value: Value) => typeOf(value)],
    ['nil?', '', 'Boolean', 'Whether the value is nil.', inlined('$===null', (_: unknown, value: Value) => value === null)],
    ['is_a? kind_of?', 'type: Any', 'Boolean', 'Whether the value is of a type, given as a value or by name.', (_: unknown, value: Value, type: Value) => isOf(value, type)],
    ['respond_to?', 'name: String', 'Boolean', 'Whether the value has a method.', (vm: NativeContext, value: Value, name: string) => respondsTo(vm, value, name)],
    ['between?', 'low: Any, high: Any', 'Boolean', 'Whether the value is between two others.', (vm: NativeContext, value: Value, low: Value, high: Value) => isBetween(vm, value, low, high)],
    ['clamp', 'low: Any, high: Any = nil', 'Any', 'The value limited to the range from `low` to `high`, or to a range.', clampAny],
    ['copy dup', '', 'Any', 'The value itself: only vectors, hashes and records are copied.', (_: unknown, value: Value) => value],
    ['to_json', 'pretty: Boolean = false', 'String', 'JSON text of the value.', (vm: NativeContext, value: Value, pretty: boolean) => toJson(vm, value, pretty)],
  ]),
  ...methodsOf('Nil', [
    ['to_a', '', 'Vector', 'An empty vector.', () => []],
    ['to_h', '', 'Hash', 'An empty hash.', () => new Hash()],
    ['to_i', '', 'Integer', '0.', () => 0],
    ['to_f', '', 'Float', '0.0.', () => new Float(0)],
  ]),
  ...methodsOf('Function', [
    ['call', '*args: Any, **named: Any, &block: Function?', 'Any', 'Calls the function.', call],
    ['arity', '', 'Integer', 'Number of parameters; negative if some are optional.', (_: unknown, callee: Closure | NativeFunction) => arity(callee)],
    ['name', '', 'String', 'Name of the function; `lambda` or `block` if it has none.', (_: unknown, callee: Closure | NativeFunction) => (callee instanceof Closure ? callee.fn.name || callee.fn.kind : callee.name)],
  ]),
  ...methodsOf('Type', [
    ['name', '', 'String', 'Name of the type.', (_: unknown, type: Value) => nameOfType(type)],
    ['from_json', 'data: Hash, strict: Boolean = false', 'Record', 'A record of this type from a hash, as of parsed JSON. Checks the fields against their types, also in nested records, and raises a ValueError that names the field; with `strict` further keys are an error.', fromJson],
  ]),
];
