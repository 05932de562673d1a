import { visible } from '../../../vm/values/text/visible.js';
import { type FileResult, hasFailed, type TestRecord } from '../protocol.js';
import { count, LEGEND, detailsOf, messageOf, repeatOf, summaryOf } from '../text.js';
import type { Print, Reporter } from './reporter.js';

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
const CODES: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 };

/** Control characters except the ends of lines: output of programs must not control the terminal. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Output of a program, escaped for a terminal. */
function shownOutput(text: string): string[] {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.replace(CONTROL, (c) => visible(c)));
}

/** A readable list: files, their tests, and the details of failures. */
export class SpecReporter implements Reporter {
  constructor(
    private readonly print: Print,
    private readonly hasColours: boolean,
  ) {}

  begin(): void {}

  file(result: FileResult): void {
    const { file, tests, seed } = result;
    const sign = hasFailed(result) ? this.paint('red', '✗') : this.paint('green', '✓');
    this.line(
      `${sign} ${this.paint('bold', visible(file))}${seed === null ? '' : this.paint('dim', ` (seed ${seed})`)}`,
    );
    let group: readonly string[] = [];
    for (const test of tests) {
      group = this.groups(group, test.names.slice(0, -1));
      this.test(test);
    }
    if (tests.length === 0 && result.problem === null && result.filtered === 0)
      this.line(this.paint('dim', '  no tests; the program ended without an error'));
    this.problem(result);
    for (const thread of result.left) this.line(this.paint('yellow', `  ! ${thread} was left running`));
    for (const name of result.obsolete)
      this.line(this.paint('yellow', `  ! no test uses the snapshot ${JSON.stringify(name)} (--update removes it)`));
    for (const name of result.removed)
      this.line(this.paint('dim', `  removed the snapshot ${JSON.stringify(name)}, which no test uses`));
    const repeat = repeatOf(result);
    if (repeat !== null) this.line(`  to repeat it: ${repeat}`);
  }

  end(results: readonly FileResult[], stopped: boolean, ms: number): void {
    const { passed, failed, skipped, broken, files, filtered } = summaryOf(results);
    const parts = [
      this.paint(passed > 0 ? 'green' : 'dim', `${passed} passed`),
      ...(failed > 0 ? [this.paint('red', `${failed} failed`)] : []),
      ...(skipped > 0 ? [this.paint('yellow', `${skipped} skipped`)] : []),
      ...(filtered > 0 ? [this.paint('dim', `${filtered} left out`)] : []),
      ...(broken > 0 ? [this.paint('red', `${count(broken, 'file')} failed`)] : []),
    ];
    if (stopped) this.line(this.paint('yellow', 'stopped after the first failure'));
    this.line(`\n${parts.join(', ')} in ${count(files, 'file')} ${this.paint('dim', `(${(ms / 1000).toFixed(1)} s)`)}`);
  }

  private paint(colour: Colour, text: string): string {
    return this.hasColours ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
  }

  private line(text: string): void {
    this.print(`${text}\n`);
  }

  /** Prints the names of groups that differ from the last ones. */
  private groups(before: readonly string[], names: readonly string[]): readonly string[] {
    let same = 0;
    while (same < before.length && before[same] === names[same]) same++;
    for (let i = same; i < names.length; i++) this.line(`${'  '.repeat(i + 1)}${visible(names[i])}`);
    return names;
  }

  private test(test: TestRecord): void {
    const { names, failures, skipped, left, ms, written } = test;
    const indent = '  '.repeat(names.length);
    const name = visible(names.at(-1) ?? '');
    const time = ms >= 100 ? this.paint('dim', ` (${Math.round(ms)} ms)`) : '';
    if (failures.length > 0) this.line(`${indent}${this.paint('red', `✗ ${name}`)}${time}`);
    else if (skipped !== null)
      this.line(`${indent}${this.paint('yellow', `- ${name} (skipped: ${visible(skipped)})`)}`);
    else this.line(`${indent}${this.paint('green', '✓')} ${name}${time}`);
    if (written > 0) this.line(this.paint('dim', `${indent}  ${count(written, 'snapshot')} stored`));
    for (const thread of left) this.line(this.paint('yellow', `${indent}  ! left ${thread} running`));
    if (failures.length > 0) this.details(test, `${indent}  `);
  }

  private details(test: TestRecord, indent: string): void {
    for (const failure of test.failures) {
      const [first, ...rest] = shownOutput(messageOf(failure));
      this.line(`${indent}${this.paint('red', first)}`);
      for (const line of rest) this.line(`${indent}${line}`);
      for (const line of detailsOf(failure)) this.line(`${indent}${this.marked(line)}`.trimEnd());
    }
    this.output(test.output, indent);
  }

  private marked(line: string): string {
    if (line === LEGEND) return this.paint('dim', line);
    if (line.startsWith('- ')) return this.paint('red', line);
    if (line.startsWith('+ ')) return this.paint('green', line);
    return line.startsWith('… ') ? this.paint('dim', line) : line;
  }

  private output(text: string, indent: string): void {
    if (text === '') return;
    this.line(`${indent}${this.paint('dim', 'output:')}`);
    for (const line of shownOutput(text)) this.line(`${indent}  ${line}`);
  }

  private problem({ problem, output }: FileResult): void {
    if (problem === null) return;
    for (const line of shownOutput(problem)) this.line(`  ${this.paint('red', line)}`);
    this.output(output, '  ');
  }
}
