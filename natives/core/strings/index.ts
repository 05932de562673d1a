import type { Natives } from '../../../vm/values/methodgroup.js';
import { methodGroup, type Row } from '../declare.js';
import { patternRows } from '../regex/index.js';
import { casingRows } from './casing.js';
import { convertingRows } from './converting.js';
import { stringFunctions } from './functions.js';
import { layoutRows } from './layout.js';
import { setRows } from './sets.js';
import { slicingRows } from './slicing.js';
import { splittingRows } from './splitting.js';

const rows = (): Row[] => [
  ...casingRows,
  ...convertingRows,
  ...layoutRows,
  ...patternRows,
  ...setRows,
  ...slicingRows,
  ...splittingRows,
];

/** Functions that make texts, and the methods of String, which errors apply to their messages. */
export const strings: Natives = [...stringFunctions, methodGroup('String', rows)];
