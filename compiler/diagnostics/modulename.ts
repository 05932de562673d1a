import { type Problem, problem } from './problem.js';

/** A module that is not named by a plain string, whether the grammar or the tree shows it. */
export function notPlainModule(form: string, start: number, end: number): Problem {
  return problem(
    'module-name',
    `\`${form}\` takes a plain string: the module is found when the program is compiled`,
    start,
    end,
    [],
    `write \`${form} "lib/name"\``,
  );
}
