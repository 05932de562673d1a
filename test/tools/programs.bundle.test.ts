import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import t from 'tap';
import { PROGRAMS } from '../../bench/programs/programs.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runs the suite `programs` once, in the size of the tests. */
function programs(...words: string[]): Promise<{ stdout: string; stderr: string; status: number }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'bench/programs/run.ts', ...words],
      { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ROUNDS: '1' } },
      (error, stdout, stderr) => done({ stdout, stderr, status: Number(error?.code ?? 0) }),
    );
  });
}

// The suite itself fails if the outputs of a program differ.
t.test('every program prints the same in all languages', async (t) => {
  const { stdout, stderr, status } = await programs('--small');
  t.equal(status, 0, stderr);
  const rows = stdout
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length > 1 && !/^-*$|^program$/.test(cells[1]));
  const names = ['start', ...PROGRAMS.map(({ name }) => name)];
  t.strictSame(
    rows.map(([, name]) => name),
    [...names, ...names],
    'two tables with a row for each program',
  );
  for (const [, name, cold, second, ...cells] of rows) {
    for (const cell of [cold, second]) t.ok(parseFloat(cell) > 10, `${name} took ${cell}`);
    t.match(cells.at(-2), /^(–|1\.[05])$/, `${name} has a goal`);
    for (const cell of cells.filter((text) => text.includes(','))) t.match(cell, /^\d+\.\d\d, \d+\.\d\d$/);
  }
});

t.test('programs and languages can be selected', async (t) => {
  const { stdout, status } = await programs('lexer', 'cache', '--small', '--peers', 'node');
  t.equal(status, 0);
  t.strictSame([...stdout.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name).slice(0, 4), [
    'program',
    'start',
    'lexer',
    'cache',
  ]);
  t.match(stdout, /node \d/);
  t.notMatch(stdout, /Ruby \d|Python \d/);
});

t.test('unknown programs and languages are refused', async (t) => {
  const program = await programs('nothing');
  t.equal(program.status, 2);
  t.match(program.stderr, /^no such program: nothing; there are expressions, /);
  const language = await programs('--small', '--peers', 'ruby,cobol');
  t.equal(language.status, 2);
  t.match(language.stderr, /^no such language: cobol; there are ruby, node, python/);
});
