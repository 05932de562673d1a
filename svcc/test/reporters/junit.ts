import type { FailureRecord, FileResult, TestRecord } from '../protocol.js';
import { detailsOf, messageOf, repeatOf, summaryOf, titleOf } from '../text.js';
import type { Print, Reporter } from './reporter.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML 1.0 does not allow, lone surrogates among them. */
const ILLEGAL =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text for XML. Characters that XML does not allow are written as escapes. */
function xml(text: string): string {
  return text
    .replace(ILLEGAL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[&<>"]/g, (c) => ENTITIES[c]);
}

/** The value of an attribute: a parser would turn the ends of lines into blanks. */
function attribute(text: string): string {
  return xml(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;').replaceAll('\r', '&#13;');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML in the format of JUnit, printed at the end. */
export class JunitReporter implements Reporter {
  constructor(private readonly print: Print) {}

  begin(): void {}

  file(): void {}

  end(results: readonly FileResult[], _stopped: boolean, ms: number): void {
    const { passed, failed, skipped, broken } = summaryOf(results);
    const all = `tests="${passed + failed + skipped + broken}" failures="${failed}" errors="${broken}" skipped="${skipped}"`;
    this.print('<?xml version="1.0" encoding="UTF-8"?>\n');
    this.print(`<testsuites name="svcc test" ${all} time="${seconds(ms)}">\n`);
    for (const result of results) this.print(suite(result));
    this.print('</testsuites>\n');
  }
}

function suite(result: FileResult): string {
  const { passed, failed, skipped, broken } = summaryOf([result]);
  const all = `tests="${passed + failed + skipped + broken}" failures="${failed}" errors="${broken}" skipped="${skipped}"`;
  const cases = result.tests.map((test) => testCase(result.file, test));
  if (result.problem !== null)
    cases.push(
      `    <testcase classname="${attribute(result.file)}" name="${attribute(result.file)}" time="0.000">\n` +
        `      <error message="${attribute(firstLine(result.problem))}">${xml(result.problem)}</error>\n` +
        `${printed(result.output)}    </testcase>\n`,
    );
  return `  <testsuite name="${attribute(result.file)}" ${all} time="${seconds(result.ms)}">\n${properties(result)}${cases.join('')}  </testsuite>\n`;
}

/** The seed of a file, and the command that repeats its failure. */
function properties(result: FileResult): string {
  if (result.seed === null) return '';
  const repeat = repeatOf(result);
  const rows = [['seed', String(result.seed)], ...(repeat === null ? [] : [['repeat', repeat]])];
  const inner = rows.map(([name, value]) => `      <property name="${name}" value="${attribute(value)}"/>\n`);
  return `    <properties>\n${inner.join('')}    </properties>\n`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0];
}

function testCase(file: string, test: TestRecord): string {
  const { failures, skipped, ms, line, output } = test;
  const place = line === 0 ? '' : ` file="${attribute(test.file)}" line="${line}"`;
  const head = `    <testcase classname="${attribute(file)}" name="${attribute(titleOf(test))}"${place} time="${seconds(ms)}"`;
  if (failures.length === 0 && skipped === null) return `${head}/>\n`;
  const inner =
    failures.length > 0
      ? failures.map(failed).join('') + printed(output)
      : `      <skipped message="${attribute(skipped ?? '')}"/>\n`;
  return `${head}>\n${inner}    </testcase>\n`;
}

function failed(failure: FailureRecord): string {
  const message = messageOf(failure);
  const text = [message, ...detailsOf(failure)].join('\n');
  return `      <failure type="${attribute(failure.type || 'Failure')}" message="${attribute(firstLine(message))}">${xml(text)}</failure>\n`;
}

function printed(output: string): string {
  return output === '' ? '' : `      <system-out>${xml(output)}</system-out>\n`;
}
