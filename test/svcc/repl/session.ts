import { nodeHost } from '../../../svcc/host.js';
import { Evaluator } from '../../../svcc/repl/evaluator.js';
import { Inputs } from '../../../svcc/repl/inputs.js';
import { paintFor } from '../../../svcc/repl/paint.js';

/** A session in this process, with what it has printed. */
export class TestSession {
  printed = '';
  readonly evaluator: Evaluator;
  readonly inputs: Inputs;

  /** @param lines what `input()` reads */
  constructor(lines: string[] = []) {
    const print = (text: string): void => {
      this.printed += text;
    };
    const paint = paintFor(false, {});
    const stdin = { readLine: () => Promise.resolve(lines.shift() ?? null) };
    const host = nodeHost({ stdout: print, stderr: print });
    this.evaluator = new Evaluator(host, { process: { args: [], env: {} }, stdin }, '.', paint);
    this.inputs = new Inputs(this.evaluator, { stdout: print, stderr: print }, paint);
  }

  /** Takes lines, and returns what they print. */
  async take(...lines: string[]): Promise<string> {
    this.printed = '';
    for (const line of lines) await this.inputs.take(line);
    return this.printed;
  }

  end(): Promise<void> {
    return new Promise((resolve) => this.evaluator.end(resolve));
  }
}
