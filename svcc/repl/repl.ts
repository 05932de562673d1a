import { ADDRESS } from '../../natives/web/config/address.js';
import { jitOf } from '../execute.js';
import { exitWhenWritten, nodeHost, processStreams } from '../host.js';
import { Evaluator } from './evaluator.js';
import { Inputs } from './inputs.js';
import { paintFor } from './paint.js';
import { runLines } from './lines.js';
import { Screen } from './screen.js';
import { Terminal } from './terminal.js';
import { addressOf } from '../run.js';

/** What a session needs of where its lines come from. */
interface Front {
  /** @returns the exit code */
  run(file: string | null): Promise<number>;
  /** For `input()`: the next line. */
  ask(): Promise<string | null>;
  /** Ends the session. */
  leave(code: number): void;
}

/** Exit codes of sessions that signals end. */
const ENDED_BY = { SIGHUP: 129, SIGTERM: 143 };

/** `svcc repl`: evaluates what is typed, after a file if one is given. @returns the exit code */
export async function repl(file: string | null, args: string[]): Promise<number> {
  const streams = processStreams();
  const jit = jitOf(process.env);
  const address = addressOf({});
  if (typeof jit === 'string' || typeof address === 'string') {
    streams.stderr(`${typeof jit === 'string' ? jit : String(address)}\n`);
    return 2;
  }
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const paint = paintFor(isTerminal, process.env);
  const screen = new Screen(streams);
  let front: Front | null = null;
  const evaluator = new Evaluator(
    nodeHost({ stdout: (text) => screen.stdout(text), stderr: (text) => screen.stderr(text) }),
    {
      jit,
      process: { args, env: process.env, isTerminal: () => isTerminal },
      stdin: { readLine: () => front?.ask() ?? Promise.resolve(null) },
    },
    file ?? '.',
    paint,
  );
  ADDRESS.set(evaluator.vm, { ...address, inSession: true });
  const inputs = new Inputs(evaluator, screen, paint);
  // Keys and colours need a terminal that understands them.
  front = isTerminal && process.env.TERM !== 'dumb' ? new Terminal(inputs, screen) : runLines(inputs, isTerminal);
  const leave = (code: number): void => {
    inputs.isLeaving = true;
    front.leave(code);
  };
  evaluator.onExit = leave;
  for (const [signal, code] of Object.entries(ENDED_BY)) process.on(signal, () => leave(code));
  const code = await front.run(file);
  await new Promise<void>((resolve) => evaluator.end(resolve));
  exitWhenWritten(code);
  return code;
}
