import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import t from 'tap';

const SOURCE = new URL('../../natives/freedmemory.ts', import.meta.url);
const MIB = 2 ** 20;
/** Each is longer than all before, so that what was freed before it does not change how glibc treats it. */
const BLOCKS = [2, 4, 6, 8, 10, 12].map((n) => n * MIB);
/** All blocks together, in lengths of the longest. */
const TIMES = BLOCKS.reduce((sum, bytes) => sum + bytes, 0) / BLOCKS[BLOCKS.length - 1];

const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };

/**
 * How often the system hands out the memory of the longest block while the blocks are written to and freed one after
 * the other. In a process of its own, without loaders: what they free changes what glibc keeps.
 */
function handedOut(first: string): number {
  const program = `
const faults = () => process.resourceUsage().minorPageFault;
const count = (bytes) => {
  const before = faults();
  (() => Buffer.allocUnsafeSlow(bytes).fill(1))();
  const pages = faults() - before;
  gc();
  return pages;
};
gc();
console.log([${BLOCKS.join()}].reduce((sum, bytes) => sum + count(bytes), 0));`;
  const { code } = transformSync(readFileSync(SOURCE, 'utf8'), { loader: 'ts' });
  const args = ['--expose-gc', '--input-type=module', '-e', `${code}\n${first}\n${program}`];
  const pages = Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: { PATH: process.env.PATH } }));
  const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
  return (pages * pageBytes) / BLOCKS[BLOCKS.length - 1];
}

t.test(
  'a server uses freed memory again and does not take it from the system each time',
  { skip: header?.glibcVersionRuntime === undefined ? 'only glibc can be told to keep freed memory' : false },
  async (t) => {
    const usual = handedOut('');
    t.ok(usual >= TIMES, 'the premise: glibc returns freed memory');
    // Something short above a freed block keeps the next one from taking its place: not each time.
    const kept = Math.min(...Array.from({ length: 3 }, () => handedOut(`keepFreedMemory(${32 * MIB});`)));
    t.ok(kept < TIMES * 0.8, 'memory is used again');
    t.comment(`${usual.toFixed(2)} times; with memory that is kept ${kept.toFixed(2)} times; at most ${TIMES}`);
  },
);
