import { mkdirSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';

// .ci/run prints this file as its last line.
const TOTALS = '.tap/totals';

const indentOf = (line) => line.length - line.trimStart().length;
const isResult = (line) => /^\s*(not )?ok \d+/.test(line);

/** The lines of a file's block, without passed subtests and assertions. */
function withoutPassed(block) {
  const kept = [];
  for (const line of block) {
    const indent = indentOf(line);
    if (!/^\s*ok \d+/.test(line)) {
      if (line.trim() !== '') kept.push(line);
      continue;
    }
    const start = kept.findLastIndex(
      (other) => indentOf(other) === indent && (isResult(other) || other.startsWith('# Subtest', indent)),
    );
    if (start >= 0 && !isResult(kept[start])) kept.length = start;
  }
  return kept;
}

/**
 * Reporter for tap: one line per file, the failed parts of failed files, and tap's closing summary. tap's condensed
 * reporters use terminal control codes; without a terminal they repeat lines or, with CI=true, may exit before printing
 * anything. This one writes plain lines at once. It is JavaScript because tap loads reporters without a loader.
 */
export default class Reporter extends Writable {
  #rest = '';
  #block = [];
  #inDiagnostic = false;
  #failedFiles = 0;
  #out = process.stdout;

  /** tap uses this to connect the reporter to its destination. */
  pipe(out) {
    this.#out = out;
    return out;
  }

  _write(chunk, _encoding, done) {
    const lines = (this.#rest + String(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
    done();
  }

  #print(text) {
    this.#out.write(`${text}\n`);
  }

  #line(line) {
    if (line.startsWith(' ')) this.#indented(line);
    else if (line.startsWith('# Subtest:')) this.#begin();
    else if (isResult(line)) this.#result(line);
    else if (line.startsWith('# {')) this.#totals(line);
    else if (/^(# time|Bail out!)/.test(line)) this.#print(line);
  }

  /** Counts each failed file as at least one failure: a file that fails to load has no assertions to count. */
  #totals(line) {
    this.#print(line);
    const count = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(line)?.[1] ?? 0);
    mkdirSync('.tap', { recursive: true });
    writeFileSync(TOTALS, `${count('pass')} passed, ${Math.max(count('fail'), this.#failedFiles)} failed\n`);
  }

  #begin() {
    this.#block = [];
    this.#inDiagnostic = false;
  }

  #indented(line) {
    if (!this.#inDiagnostic) this.#block.push(line);
    else if (/^ {2}(exitCode|signal|timeout|expired):/.test(line)) this.#print(line);
  }

  #result(line) {
    this.#print(line);
    this.#inDiagnostic = line.startsWith('not ok');
    if (this.#inDiagnostic) {
      this.#failedFiles++;
      for (const detail of withoutPassed(this.#block)) this.#print(detail);
    }
    this.#block = [];
  }
}
