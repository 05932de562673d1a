import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { disassemble } from '../../../vm/bytecode/disassemble.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import { programOf, run } from '../../vm/support/machine.js';

/** `UPDATE_GOLDEN=1 npx tap test/compiler/emit/golden.unit.ts` rewrites the listings; read the diff before you commit it. */
const UPDATE = process.env.UPDATE_GOLDEN === '1';
const FOLDER = join(import.meta.dirname, 'golden');

/** The listing of x.svc, followed by what the program prints. */
function listing(path: string, text: string): string {
  const program = programOf(text, basename(path));
  verifyProgram(program);
  const { lines, errors } = run(text);
  return `${disassemble(program)}\n${[...lines, ...errors].map((line) => `> ${line}`).join('\n')}\n`;
}

for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith('.svc')).sort()) {
  t.test(file, async (t) => {
    const path = join(FOLDER, file);
    const golden = path.replace(/\.svc$/, '.txt');
    const text = listing(path, await readFile(path, 'utf8'));
    if (UPDATE) await writeFile(golden, text);
    t.ok(existsSync(golden), 'has a listing');
    t.equal(text, existsSync(golden) ? await readFile(golden, 'utf8') : '');
  });
}
