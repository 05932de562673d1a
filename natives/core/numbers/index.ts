import type { NativeFunction } from '../../../vm/values/function.js';
import { integerMethods } from './integer.js';
import { maths } from './maths.js';
import { floatMethods } from './methods.js';
import { sequences } from './sequences.js';
import { statistics } from './statistics.js';
import { numberTheory } from './theory.js';

/** Functions of numbers, and the methods of Integer and Float. */
export const numbers: readonly NativeFunction[] = [
  ...maths,
  ...numberTheory,
  ...statistics,
  ...sequences,
  ...integerMethods,
  ...floatMethods,
];
