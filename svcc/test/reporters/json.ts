import { type FileResult, hasFailed } from '../protocol.js';
import { summaryOf } from '../text.js';
import type { Print, Reporter } from './reporter.js';

/** One JSON document, printed at the end. */
export class JsonReporter implements Reporter {
  constructor(private readonly print: Print) {}

  begin(): void {}

  file(): void {}

  end(results: readonly FileResult[], stopped: boolean, ms: number): void {
    const files = results.map((result) => ({ ...result, passed: !hasFailed(result), tests: result.tests.map(stated) }));
    this.print(`${JSON.stringify({ summary: { ...summaryOf(results), stopped, ms }, files }, null, 2)}\n`);
  }
}

function stated(test: FileResult['tests'][number]): object {
  const status = test.failures.length > 0 ? 'failed' : test.skipped !== null ? 'skipped' : 'passed';
  return { name: test.names.join(' › '), status, ...test };
}
