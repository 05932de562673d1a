import { createInterface } from 'node:readline';
import type { Step } from './commands.js';
import type { Inputs } from './inputs.js';

/** A session whose lines come from a file, a pipe, or a terminal that shows plain text only. */
export function runLines(
  inputs: Inputs,
  isTerminal: boolean,
): { run(file: string | null): Promise<number>; ask(): Promise<string | null>; leave(code: number): void } {
  let leave: (code: number) => void = () => {};
  const left = new Promise<number>((resolve) => (leave = resolve));
  const reader = createInterface({ input: process.stdin, crlfDelay: Infinity });
  const lines = reader[Symbol.asyncIterator]();
  const ask = async (): Promise<string | null> => {
    const { value, done } = await lines.next();
    return done === true ? null : value;
  };
  const prompt = (): void => {
    if (isTerminal) inputs.output.stdout(`svc:${inputs.number}${inputs.isUnfinished ? '*' : '>'} `);
  };
  const evaluateAll = async (file: string | null): Promise<number> => {
    let step: Step = file === null ? { kind: 'done' } : await inputs.load(file);
    while (step.kind !== 'exit' && step.kind !== 'quit') {
      prompt();
      const line = await ask();
      if (line === null) break;
      if (isTerminal && inputs.isUnfinished && line.trim() === '') inputs.giveUp(true);
      else step = await inputs.take(line);
    }
    if (step.kind === 'exit') return step.code;
    inputs.giveUp(true);
    return (inputs.hasFailed || inputs.evaluator.hasFailedLater) && !isTerminal ? 1 : 0;
  };
  if (isTerminal)
    process.on('SIGINT', () => {
      inputs.evaluator.interrupt();
      if (inputs.evaluator.isRunning) return;
      inputs.giveUp(false);
      inputs.output.stdout('\n');
      prompt();
    });
  return { run: (file) => Promise.race([evaluateAll(file), left]).finally(() => reader.close()), ask, leave };
}
