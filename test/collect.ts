import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage, by default of all objects; `minor`: of young ones only, of which those that survive two are old. */
export const collect = runInNewContext('gc') as (options?: { type: 'major' | 'minor' }) => void;
