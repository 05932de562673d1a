import { visible } from '../../../vm/values/text/visible.js';
import type { FailureRecord, FileResult, TestRecord } from '../protocol.js';
import { detailsOf, messageOf, placeOf, repeatOf, titleOf } from '../text.js';
import type { Print, Reporter } from './reporter.js';

/** A name in a line of TAP, where `#` begins a directive. */
function escaped(text: string): string {
  return visible(text).replace(/[\\#]/g, '\\$&');
}

/** A text as a string of YAML: one of JSON, without characters that YAML refuses. */
function yaml(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/g,
    (c, at: number, whole: string) => (isPair(whole, at) ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** Whether the surrogate at `at` has its other half. */
function isPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 0xd800 && code < 0xdc00) return /[\udc00-\udfff]/.test(text.charAt(at + 1));
  return code >= 0xdc00 && code < 0xe000 && /[\ud800-\udbff]/.test(text.charAt(at - 1));
}

/** The Test Anything Protocol, version 14. */
export class TapReporter implements Reporter {
  private number = 0;

  constructor(private readonly print: Print) {}

  begin(): void {
    this.print('TAP version 14\n');
  }

  file(result: FileResult): void {
    const { file, tests, problem, output, left, obsolete, removed, seed } = result;
    for (const test of tests) this.test(file, test);
    if (problem !== null) this.notOk(escaped(file), { message: yaml(problem), output: yaml(output) });
    else if (tests.length === 0) this.print(`ok ${++this.number} - ${escaped(file)}\n`);
    for (const thread of left) this.comment(`${file}: ${thread} was left running`);
    for (const name of obsolete) this.comment(`${file}: no test uses the snapshot ${JSON.stringify(name)}`);
    for (const name of removed)
      this.comment(`${file}: removed the snapshot ${JSON.stringify(name)}, which no test uses`);
    const repeat = repeatOf(result);
    if (repeat !== null) this.comment(`${file}: failed with seed ${seed}; to repeat it: ${repeat}`);
  }

  end(_results: readonly FileResult[], stopped: boolean): void {
    this.print(stopped ? 'Bail out! stopped after the first failure\n' : `1..${this.number}\n`);
  }

  private test(file: string, test: TestRecord): void {
    const name = `${escaped(file)} › ${escaped(titleOf(test))}`;
    const { failures, skipped, left, output } = test;
    if (failures.length > 0) this.notOk(name, detail(failures, output));
    else this.print(`ok ${++this.number} - ${name}${skipped === null ? '' : ` # SKIP ${escaped(skipped)}`}\n`);
    for (const thread of left) this.comment(`left ${thread} running`);
  }

  private notOk(name: string, values: Readonly<Record<string, string>>): void {
    const rows = Object.entries(values).map(([key, value]) => `  ${key}: ${value}\n`);
    this.print(`not ok ${++this.number} - ${name}\n  ---\n${rows.join('')}  ...\n`);
  }

  private comment(text: string): void {
    this.print(`# ${visible(text)}\n`);
  }
}

function detail(failures: readonly FailureRecord[], output: string): Record<string, string> {
  const [first] = failures;
  return {
    message: yaml(failures.map(messageOf).join('\n')),
    ...(placeOf(first) === '' ? {} : { at: yaml(placeOf(first)) }),
    details: yaml(failures.flatMap(detailsOf).join('\n')),
    ...(output === '' ? {} : { output: yaml(output) }),
  };
}
