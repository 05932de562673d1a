import type { Natives } from '../../../vm/values/methodgroup.js';
import { integerMethods } from './integer.js';
import { maths } from './maths.js';
import { floatMethods } from './methods.js';
import { sequences } from './sequences.js';
import { statistics } from './statistics.js';
import { numberTheory } from './theory.js';

/** Functions of numbers, and the methods of Integer and Float. */
export const numbers: Natives = [...maths, ...numberTheory, ...statistics, ...sequences, integerMethods, floatMethods];
