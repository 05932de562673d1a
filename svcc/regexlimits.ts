import type { Script } from 'node:vm';
import { limitSearches } from '../vm/values/regex/cost.js';
import { builtin } from '../natives/builtin.js';

/** Bounds what searches with regular expressions may cost in this process: linear time where V8's linear engine can serve, else a limit in ms. */
export function boundSearches(): void {
  limitSearches(runWithin, () => {
    const { setFlagsFromString } = builtin('node:v8');
    // A search that goes back too often starts again on V8's linear engine, for all expressions compiled from here on that it can serve.
    setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
    // Allows the flag l, by which expressions are tried.
    setFlagsFromString('--enable-experimental-regexp-engine');
  });
}

let limited: { script: Script; context: { run: () => void } } | null = null;

/** Runs a function; false when V8 had to break it off after so many milliseconds. It does so in the midst of a search, too. */
function runWithin(ms: number, run: () => void): boolean {
  limited ??= timer();
  limited.context.run = run;
  try {
    limited.script.runInContext(limited.context, { timeout: ms });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

function timer(): { script: Script; context: { run: () => void } } {
  const vm = builtin('node:vm');
  return { script: new vm.Script('run()'), context: vm.createContext({ run: () => {} }) as { run: () => void } };
}
