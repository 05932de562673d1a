import type { CoverageFile } from '../../../compiler/index.js';

/** A way of a branch, and how often it was taken. */
export interface ArmCount {
  readonly what: string;
  count: number;
}

/** How often the parts of a file ran. */
export interface FileCounts {
  readonly path: string;
  readonly statements: { readonly line: number; count: number }[];
  readonly branches: { readonly line: number; readonly arms: ArmCount[] }[];
  readonly functions: { readonly name: string; readonly line: number; count: number }[];
}

/** The counts of a program's files, from its counters. */
export function countsOf(files: readonly CoverageFile[], counters: readonly number[]): FileCounts[] {
  const at = (counter: number): number => counters[counter] ?? 0;
  return files.map(({ path, statements, branches, functions }) => ({
    path,
    statements: statements.map(({ line, counter }) => ({ line, count: at(counter) })),
    branches: branches.map(({ line, arms }) => ({
      line,
      arms: arms.map(({ what, counter }) => ({ what, count: at(counter) })),
    })),
    functions: functions.map(({ name, line, counter }) => ({ name, line, count: at(counter) })),
  }));
}

/** Whether two counts are of the same text. */
function isAlike(a: FileCounts, b: FileCounts): boolean {
  return (
    a.statements.length === b.statements.length &&
    a.functions.length === b.functions.length &&
    a.branches.length === b.branches.length &&
    a.branches.every(({ arms }, i) => arms.length === b.branches[i].arms.length)
  );
}

function add(sum: FileCounts, more: FileCounts): void {
  for (const [i, { count }] of more.statements.entries()) sum.statements[i].count += count;
  for (const [i, { count }] of more.functions.entries()) sum.functions[i].count += count;
  for (const [i, { arms }] of more.branches.entries())
    for (const [k, { count }] of arms.entries()) sum.branches[i].arms[k].count += count;
}

/** Adds the counts of several programs, sorted by path. Of a file that changed meanwhile, the latest counts remain. */
export function merged(all: readonly FileCounts[]): FileCounts[] {
  const sums = new Map<string, FileCounts>();
  for (const counts of all) {
    const sum = sums.get(counts.path);
    if (sum !== undefined && isAlike(sum, counts)) add(sum, counts);
    else sums.set(counts.path, structuredClone(counts));
  }
  return [...sums.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** How often each line ran on which a statement begins: the largest count of its statements. */
export function linesOf({ statements }: FileCounts): Map<number, number> {
  const lines = new Map<number, number>();
  for (const { line, count } of statements) lines.set(line, Math.max(lines.get(line) ?? 0, count));
  return new Map([...lines].sort(([a], [b]) => a - b));
}

/** A part and a whole. */
export interface Share {
  readonly hit: number;
  readonly all: number;
}

export function lineShare(file: FileCounts): Share {
  const counts = [...linesOf(file).values()];
  return { hit: counts.filter((count) => count > 0).length, all: counts.length };
}

export function branchShare({ branches }: FileCounts): Share {
  const arms = branches.flatMap((branch) => branch.arms);
  return { hit: arms.filter(({ count }) => count > 0).length, all: arms.length };
}

export function sum(shares: readonly Share[]): Share {
  return shares.reduce((a, b) => ({ hit: a.hit + b.hit, all: a.all + b.all }), { hit: 0, all: 0 });
}

/** A share in per cent, rounded down: 100 % means all. */
export function percent({ hit, all }: Share): string {
  return all === 0 ? '–' : `${(Math.floor((hit / all) * 1000) / 10).toFixed(1)} %`;
}
