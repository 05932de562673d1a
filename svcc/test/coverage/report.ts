import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../../../natives/reasons.js';
import { visible } from '../../../vm/values/text/visible.js';
import { LoadError } from '../../loaderror.js';
import { readSource } from '../../load.js';
import { page } from './page.js';
import { branchShare, type FileCounts, lineShare, linesOf, percent, type Share, sum } from './merge.js';

/** Folder of the reports. */
const FOLDER = 'coverage';
/** Maximum characters of the list of lines that did not run. */
const MAX_LIST = 40;

/** Numbers as ranges: `3, 7-9`. */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; i++) {
    const first = numbers[i];
    while (numbers[i + 1] === numbers[i] + 1) i++;
    parts.push(first === numbers[i] ? `${first}` : `${first}-${numbers[i]}`);
  }
  const text = parts.join(', ');
  return text.length <= MAX_LIST ? text : `${text.slice(0, text.lastIndexOf(',', MAX_LIST))}, …`;
}

/** Lines that did not run, and lines with a branch that was not taken. */
function missing(file: FileCounts): string {
  const lines = new Set([...linesOf(file)].filter(([, count]) => count === 0).map(([line]) => line));
  for (const { line, arms } of file.branches) if (arms.some(({ count }) => count === 0)) lines.add(line);
  return ranges([...lines].sort((a, b) => a - b));
}

function cell(share: Share): string {
  return `${percent(share)} (${share.hit}/${share.all})`;
}

/** The table of files. */
function coverageTable(files: readonly FileCounts[]): string {
  const rows = files.map((file) => [visible(file.path), cell(lineShare(file)), cell(branchShare(file)), missing(file)]);
  const total = ['all files', cell(sum(files.map(lineShare))), cell(sum(files.map(branchShare))), ''];
  const table = [['FILE', 'LINES', 'BRANCHES', 'NOT COVERED'], ...rows, total];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column].length)));
  return table
    .map((row) => `${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ').trimEnd()}\n`)
    .join('');
}

/** The counts in the format of lcov. */
function lcov(files: readonly FileCounts[]): string {
  return files.map(record).join('');
}

function record(file: FileCounts): string {
  const { functions, branches } = file;
  const lines = linesOf(file);
  const rows = [
    'TN:',
    `SF:${resolve(file.path)}`,
    ...functions.map(({ line, name }) => `FN:${line},${name}`),
    ...functions.map(({ count, name }) => `FNDA:${count},${name}`),
    `FNF:${functions.length}`,
    `FNH:${functions.filter(({ count }) => count > 0).length}`,
    ...branches.flatMap(({ line, arms }, block) => {
      const isReached = arms.some(({ count }) => count > 0);
      return arms.map(({ count }, i) => `BRDA:${line},${block},${i},${isReached ? count : '-'}`);
    }),
    `BRF:${branchShare(file).all}`,
    `BRH:${branchShare(file).hit}`,
    ...[...lines].map(([line, count]) => `DA:${line},${count}`),
    `LF:${lineShare(file).all}`,
    `LH:${lineShare(file).hit}`,
    'end_of_record',
  ];
  return `${rows.join('\n')}\n`;
}

function textOf(path: string): string {
  try {
    return readSource(path);
  } catch (error) {
    if (error instanceof LoadError) return '';
    throw error;
  }
}

/** Writes `coverage/lcov.info` and `coverage/index.html`. @throws LoadError */
function writeReports(files: readonly FileCounts[]): void {
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, 'lcov.info'), lcov(files));
    writeFileSync(
      join(FOLDER, 'index.html'),
      page(files.map((counts) => ({ counts, text: textOf(counts.path) }))),
    );
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(`cannot write ${FOLDER}/: ${reasonOf(error)}`, [], 1);
  }
}

/** Writes the reports and prints the table. @throws LoadError */
export function reportCoverage(files: readonly FileCounts[], print: (text: string) => void): void {
  writeReports(files);
  print(`\n${coverageTable(files)}`);
}
