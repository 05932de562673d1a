import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** Where the interpreter changes to another frame. */
const SWITCHES = /(?<!let )\bfn = (?:callee(?:\.fn)?|f\.fn);/g;
/** Number of these places, so that a change of the interpreter is not missed. */
const SWITCH_COUNT = 4;
const FETCH = 'const w = code[pc];';

/**
 * The copy of the interpreter for profiles: it notes its frame and instruction in its activation, where a sampler finds
 * them at any time. So the interpreter itself does nothing for profiles.
 */
export function generateNoting(): Map<string, string> {
  const source = readFileSync(join(ROOT, 'vm/interpreter/run.ts'), 'utf8');
  const switches = [...source.matchAll(SWITCHES)].length;
  const fetches = source.split(FETCH).length - 1;
  if (switches !== SWITCH_COUNT || fetches !== 1)
    throw new Error(
      `the interpreter changes frames at ${switches} places and fetches at ${fetches}: adapt this generator`,
    );
  const text = source
    .replace(SWITCHES, 'activation.top = f; $&')
    .replace(FETCH, 'const w = code[(activation.pc = pc)];')
    .replaceAll('runFrames', 'runNoting')
    .replace(/from '\.\//g, "from '%/")
    .replace(/from '\.\.\//g, "from '../../")
    .replace(/from '%\//g, "from '../");
  return new Map([
    [
      'vm/interpreter/generated/noting.ts',
      `// Generated from vm/interpreter/run.ts by tools/generate-noting.ts.\n${text}`,
    ],
  ]);
}
