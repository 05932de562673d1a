/**
 * Runs a program with the bundle, and writes the code that V8 made of the modules it loaded beside them.
 * node --import tsx tools/keep-code.ts dist/svcc.js PROGRAM
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
// V8 takes code only under the flags under which it was made: those that the bundle sets while it runs are not set yet when it is loaded.
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
