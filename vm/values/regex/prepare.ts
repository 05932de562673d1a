import { costOf } from './cost.js';
import { compilesQuickly } from './crude.js';
import { compileProgram } from './program.js';
import { parse, Unbounded } from './regexparse.js';
import { Prepared } from './search.js';

/**
 * Analyses an expression, in V8's Unicode mode if that accepts it, for searches in long texts. Our own engines match
 * whole characters then; in texts without surrogates both forms are equivalent. Calls `refuse` with the reason if its
 * cost has no bound.
 */
export function* prepare(
  { source, flags }: RegExp,
  refuse: (reason: string) => never,
): Generator<void, Prepared, void> {
  try {
    const program = yield* compileProgram(parse(source, flags.includes('u'), flags.includes('m')), flags);
    return new Prepared(program, yield* costOf(program), compilesQuickly(source, flags));
  } catch (error) {
    if (error instanceof Unbounded) refuse(error.message);
    throw error;
  }
}
