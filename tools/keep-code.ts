/**
 * Runs a command of the bundle, and writes V8's code cache of the loaded scripts beside them. With KEEP=modules, writes
 * nothing and prints the paths of the loaded modules. Usage: node --import tsx tools/keep-code.ts dist/svcc.js ARGUMENT…
 */
import { renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import v8 from 'node:v8';
import type { Script } from 'node:vm';

interface Launcher {
  chunks: Map<string, unknown>;
  scripts: Map<string, Script>;
  load(path: string): void;
}

const [, , launcher, ...args] = process.argv;
// V8 accepts cached code only under the flags that it was made with. The bundle sets flags only after its modules are
// loaded, so setting flags is disabled here.
v8.setFlagsFromString = () => {};
process.argv = [process.argv[0], launcher, ...args];
const { chunks, scripts, load } = createRequire(launcher)(launcher) as Launcher;
process.on('exit', () => {
  if (process.env.KEEP === 'modules') process.stderr.write([...chunks.keys()].join('\n'));
  else
    for (const [path, script] of scripts) {
      const temporary = `${path}.code.${process.pid}`;
      writeFileSync(temporary, script.createCachedData());
      renameSync(temporary, `${path}.code`);
    }
});
load(join(dirname(launcher), 'main.js'));
