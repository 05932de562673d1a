import { type Problem, problem } from './problem.js';

/** The problem of a module name that is not a plain string. Found by the grammar or in the tree. */
export function notPlainModule(form: string, start: number, end: number): Problem {
  return problem(
    'module-name',
    `\`${form}\` takes a plain string: the module is found when the program is compiled`,
    start,
    end,
    [],
    `write \`${form} "lib/name"\`${form === 'use' || form === 'stitch' ? '' : `; the library needs no \`${form}\``}`,
  );
}
