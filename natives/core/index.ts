import type { NativeContext } from '../../vm/nativecontext.js';
import { builtinErrorNames, builtinErrorType } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Natives } from '../../vm/values/methodgroup.js';
import { BUILTIN_TYPES } from '../../vm/values/types.js';
import { LAZY, SEQUENCE } from '../../vm/calls/sequence.js';
import { SET } from '../../vm/values/set.js';
import { Float, type Value } from '../../vm/values/value.js';
import { anyMethods } from './any.js';
import { BYTES } from '../../vm/values/bytes.js';
import { bytes } from './bytes/index.js';
import { sharing } from './channel.js';
import { hashTypeMethods } from './collections/defaults.js';
import { collections } from './collections/index.js';
import { concurrency } from './concurrency.js';
import { conversions } from './conversions.js';
import { DATE, dates, DURATION } from './dates/index.js';
import { errorMethods } from './errors.js';
import { intrinsics } from './intrinsics.js';
import { leaving } from './leaving.js';
import { json } from './json/index.js';
import { integerTypeMethods } from './numbers/integer.js';
import { numbers } from './numbers/index.js';
import { inputMethods, output, outputMethods, STREAMS } from './output.js';
import { processNatives } from './process.js';
import { randomness } from './random/index.js';
import { matchMethods, regexTypeMethods, regularExpressions } from './regex/index.js';
import { sequences } from './sequences/index.js';
import { strings } from './strings/index.js';
import { time } from './time.js';

/** The core library, grouped by subject. */
export const CORE_MODULES: Readonly<Record<string, Natives>> = {
  Output: [...output, ...outputMethods, ...inputMethods],
  Conversions: conversions,
  Numbers: numbers,
  Strings: strings,
  'Regular expressions': [...regularExpressions, matchMethods],
  Collections: collections,
  Sequences: sequences,
  Bytes: bytes,
  JSON: json,
  Randomness: randomness,
  Time: time,
  Dates: dates,
  Threads: [...concurrency, ...sharing],
  Process: processNatives,
  Errors: errorMethods,
  'All values': anyMethods,
};

/** Methods of types themselves, such as `Hash.new`. */
export const TYPE_METHODS: readonly NativeFunction[] = [...hashTypeMethods, ...integerTypeMethods, ...regexTypeMethods];

/** Defines the core library in a VM: functions, methods, constants and types. */
export function installCore(vm: NativeContext): void {
  for (const natives of Object.values(CORE_MODULES)) vm.define(natives);
  vm.define(intrinsics);
  vm.define(leaving);
  const set = (name: string, value: Value): void => void vm.globals.set(name, value);
  set('PI', new Float(Math.PI));
  set('E', new Float(Math.E));
  for (const [name, type] of BUILTIN_TYPES) set(name, type);
  for (const name of builtinErrorNames()) set(name, builtinErrorType(name) as Value);
  set(DATE.name, DATE);
  set(DURATION.name, DURATION);
  set(BYTES.name, BYTES);
  set(SET.name, SET);
  set(SEQUENCE.name, SEQUENCE);
  set(LAZY.name, LAZY);
  for (const [name, stream] of Object.entries(STREAMS)) set(name, stream);
}
