import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { rounds } from '../rounds.js';
import { fuzzSource } from '../../tools/fuzz/source.js';

const MUTANTS = rounds(1000, 20_000);
const FOLDER = resolve(import.meta.dirname, '../../spec-tests');

// Mutants of artefacts are in test/svcc/artefact.test.ts.
t.test('mutants of sources compile or are refused with a position', async (t) => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.svc'))
    .sort();
  const texts = names.map((name) => readFileSync(join(FOLDER, name), 'utf8')).filter((text) => text.length < 5000);
  const { faults, compiled, refused } = fuzzSource(texts, MUTANTS, 1);
  t.strictSame(faults.slice(0, 5), [], `${faults.length} faults`);
  t.comment(`${compiled} compile, ${refused} are refused`);
  t.ok(compiled > MUTANTS / 5 && refused > MUTANTS / 5);
});
