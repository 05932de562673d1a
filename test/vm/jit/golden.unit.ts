import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { decodeAll } from '../../../vm/bytecode/decode.js';
import type { Jit } from '../../../vm/jit/jit.js';
import { listing } from '../../../vm/jit/listing.js';
import { machine, programOf, run } from '../support/machine.js';

/** `UPDATE_GOLDEN=1 npx tap test/vm/jit/golden.unit.ts` rewrites the listings; read the diff before you commit it. */
const UPDATE = process.env.UPDATE_GOLDEN === '1';
const FOLDER = join(import.meta.dirname, 'golden');

/** Code of all functions of x.svc, from their start and from the heads of their loops, and the program's output. */
function compiled(path: string, text: string): string {
  // A run of the interpreter collects feedback.
  const { vm, host } = machine({ jit: Number.MAX_SAFE_INTEGER });
  const parts: string[] = [];
  const linked = vm.link(programOf(text, basename(path)));
  vm.spawn('main', vm.closureOf(linked.entry), []);
  host.runAll();
  for (const fn of linked.functions) {
    for (const entry of [
      -1,
      ...decodeAll(fn.code, fn.name)
        .filter(({ info }) => info.name === 'LOOPHEAD')
        .map(({ pc }) => pc),
    ]) {
      const generated = (vm.tier as Jit).source(fn, entry);
      if (generated === null) throw new Error(`${fn.name} is too large`);
      parts.push(`${entry < 0 ? '' : `at the loop ${entry} of `}${listing(fn, generated)}`);
    }
  }
  const { lines, errors } = run(text);
  return `${parts.join('\n')}\n${[...lines, ...errors].map((line) => `> ${line}`).join('\n')}\n`;
}

for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith('.svc')).sort()) {
  t.test(file, async (t) => {
    const path = join(FOLDER, file);
    const golden = path.replace(/\.svc$/, '.txt');
    const text = compiled(path, await readFile(path, 'utf8'));
    if (UPDATE) await writeFile(golden, text);
    t.ok(existsSync(golden), 'has a listing');
    t.equal(text, existsSync(golden) ? await readFile(golden, 'utf8') : '');
  });
}
