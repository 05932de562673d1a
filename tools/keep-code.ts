/**
 * Runs a program with the bundle, and writes V8's code cache of the loaded modules beside them. Usage: node --import
 * tsx tools/keep-code.ts dist/svcc.js PROGRAM
 */
import { renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import v8 from 'node:v8';
import type { Script } from 'node:vm';

interface Launcher {
  chunks: Map<string, { script: Script }>;
  load(path: string): void;
}

const [, , launcher, program] = process.argv;
// V8 accepts cached code only under the flags that it was made with. The bundle sets flags only after its modules are
// loaded, so setting flags is disabled here.
v8.setFlagsFromString = () => {};
process.argv = [process.argv[0], launcher, 'run', program];
const { chunks, load } = createRequire(launcher)(launcher) as Launcher;
process.on('exit', () => {
  for (const [path, { script }] of chunks) {
    const temporary = `${path}.code.${process.pid}`;
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, `${path}.code`);
  }
});
load(join(dirname(launcher), 'main.js'));
