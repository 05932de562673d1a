import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTATIONS, type Mutation } from './mutations/index.js';
import { MutantCopy, type Verdict } from './mutations/copy.js';
import { Records } from './mutations/records.js';

/**
 * `npm run mutate -- [--only PATTERN] [--resume] [--jobs N]`: makes each listed mistake in a copy of the sources and
 * runs the tests named for it, of which one must fail. The exit code is 1 if fewer than MIN_SHARE are caught.
 */
const ROOT = resolve(import.meta.dirname, '..');
const MIN_SHARE = 0.9;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    resume: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
  },
});

/** Whether the name, the file or a test of a mutation matches `--only`. */
function isChosen({ name, file, tests }: Mutation): boolean {
  const pattern = new RegExp(options.only);
  return [name, file, ...tests].some((text) => pattern.test(text));
}

function report({ file, name }: Mutation, { by, seconds }: Verdict): void {
  console.log(
    `${by === null ? 'SURVIVED' : 'caught  '} ${seconds.toFixed(1).padStart(5)} s  ${file}: ${name}${by === null ? '' : ` (${by})`}`,
  );
}

/** Prints the share of caught mutations of each file, the survivors and the total share, which is returned. */
function summarize(verdicts: ReadonlyMap<Mutation, Verdict>): number {
  const isCaught = ([, { by }]: [Mutation, Verdict]): boolean => by !== null;
  const all = [...verdicts];
  console.log('\ncaught  of  file');
  for (const file of new Set(all.map(([{ file }]) => file))) {
    const rows = all.filter((row) => row[0].file === file);
    console.log(`${String(rows.filter(isCaught).length).padStart(6)} ${String(rows.length).padStart(3)}  ${file}`);
  }
  const survivors = all.filter((row) => !isCaught(row));
  for (const [{ file, name, tests }] of survivors) console.log(`SURVIVED ${file}: ${name} (${tests.join(', ')})`);
  const share = all.length === 0 ? 1 : 1 - survivors.length / all.length;
  console.log(
    `${all.length - survivors.length} of ${all.length} mutations are caught: ${(share * 100).toFixed(1)} %; ` +
      `${Math.round(performance.now() / 1000)} s`,
  );
  return share;
}

const chosen = MUTATIONS.filter(isChosen);
const records = new Records(join(ROOT, '.tap/mutations.json'));
const verdicts = new Map<Mutation, Verdict>();
if (options.resume) {
  for (const mutation of chosen) {
    const verdict = records.of(mutation);
    if (verdict !== null && verdict.by !== null) verdicts.set(mutation, verdict);
  }
  if (verdicts.size > 0) console.log(`${verdicts.size} mutations were caught by an earlier run`);
}

const waiting = chosen.filter((mutation) => !verdicts.has(mutation));

/** Tries the waiting mutations in one copy of the sources until none is left. */
async function work(copy: MutantCopy): Promise<void> {
  for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
    const verdict = await copy.judge(mutation);
    verdicts.set(mutation, verdict);
    records.add(mutation, verdict);
    report(mutation, verdict);
  }
}

const copies = Array.from(
  { length: Number(options.jobs) },
  (_, i) => new MutantCopy(ROOT, join(ROOT, `.tap/mutants-${process.pid}-${i}`)),
);
const endAll = (): void => {
  for (const copy of copies) copy.end();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
try {
  for (const copy of copies) await copy.fill();
  await Promise.all(copies.map(work));
} finally {
  endAll();
}
process.exitCode = summarize(verdicts) < MIN_SHARE ? 1 : 0;
