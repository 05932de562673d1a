import { nearest } from '../../vm/bytecode/nearest.js';
import { Closure, NativeFunction } from '../../vm/values/function.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { describeThreads } from '../../vm/watch/inspect.js';
import type { Evaluator, Result } from './evaluator.js';

/**
 * What a line has led to: its input needs more lines, is done, or has ended the session, as the end of the inputs does
 * or with a code of its own.
 */
export type Step = { kind: 'more' } | { kind: 'done' } | { kind: 'quit' } | { kind: 'exit'; code: number };

/** What commands need of the session. */
interface Inputs {
  readonly evaluator: Evaluator;
  print(text: string): void;
  /** Prints an error message, which ends in a newline. */
  fail(message: string): void;
  /** Evaluates a whole text. */
  evaluate(text: string): Promise<Result>;
  /** Prints what became of an input. */
  finished(result: Result): Step;
  /** Runs a file as if it were an input. */
  load(path: string): Promise<Step>;
}

interface Command {
  words: string;
  about: string;
  run(inputs: Inputs, rest: string): Promise<Step> | Step;
}

const DONE: Step = { kind: 'done' };

/** A line such as `:doc upcase`. */
export interface CommandLine {
  name: string;
  rest: string;
}

/** The commands of the session, by name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  help: { words: '', about: 'list the commands', run: help },
  doc: { words: 'NAME', about: 'describe a function or method: :doc upcase, :doc Hash.map', run: describe },
  type: { words: 'EXPRESSION', about: 'evaluate, and print the type of the value', run: printType },
  time: { words: 'EXPRESSION', about: 'evaluate, and print how long that took', run: printTime },
  load: { words: 'FILE', about: 'run a file as if it were typed here', run: load },
  names: { words: '', about: 'list the names of the session', run: names },
  threads: { words: '', about: 'list the threads that are alive', run: threads },
  stop: { words: '', about: 'end all threads, such as servers', run: stop },
  quit: { words: '', about: 'end the session; Ctrl+D does the same', run: () => ({ kind: 'quit' }) },
};

/** Other names of commands. */
const ALIASES: Readonly<Record<string, string>> = { h: 'help', q: 'quit', exit: 'quit' };

/** The command that a line holds; null if it holds code. */
export function commandOf(line: string): CommandLine | null {
  const match = /^\s*:([a-z]\w*)(?:\s+(.*?))?\s*$/.exec(line);
  return match === null ? null : { name: ALIASES[match[1]] ?? match[1], rest: match[2] ?? '' };
}

export async function runCommand(inputs: Inputs, { name, rest }: CommandLine): Promise<Step> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const near = nearest(name, Object.keys(COMMANDS));
    const hint = near === null ? '; :help lists the commands' : `, did you mean ':${near}'?`;
    inputs.fail(`unknown command ':${name}'${hint}\n`);
  } else if (command.words !== '' && rest === '') inputs.fail(`write :${name} ${command.words}\n`);
  else return command.run(inputs, rest);
  return DONE;
}

function help(inputs: Inputs): Step {
  const rows = Object.entries(COMMANDS).map(
    ([name, { words, about }]) => `  ${`:${name} ${words}`.padEnd(18)} ${about}`,
  );
  inputs.print(
    [
      ...rows,
      '',
      'An input continues on the next line until it is complete; an empty line gives it up.',
      '`_` is the value of the last input. Ctrl+C ends an evaluation, twice at an empty prompt the session.',
    ].join('\n'),
  );
  return DONE;
}

async function describe(inputs: Inputs, rest: string): Promise<Step> {
  const { documentation } = await import('./documentation.js');
  const text = documentation(rest, inputs.evaluator);
  if (text.problem) inputs.fail(`${text.text}\n`);
  else inputs.print(text.text);
  return DONE;
}

/** The type of a value, with the types of some elements; for functions the signature. */
function typeText(value: Value): string {
  if (value instanceof Closure) return `Function ${value.fn.signature()}`;
  if (value instanceof NativeFunction) return `Function ${value.name}(${value.signature}) -> ${value.result}`;
  return typeName(value);
}

async function printType(inputs: Inputs, rest: string): Promise<Step> {
  // The name of a function on its own would call it.
  const { vm } = inputs.evaluator;
  const named = /^\w+[?!]?$/.test(rest) ? (inputs.evaluator.valueOf(rest) ?? vm.globals.get(rest)) : undefined;
  if (named instanceof Closure || named instanceof NativeFunction) {
    inputs.print(typeText(named));
    return DONE;
  }
  const result = await inputs.evaluate(rest);
  if (result.kind !== 'value') return inputs.finished(result);
  inputs.print(typeText(result.value));
  return DONE;
}

async function printTime(inputs: Inputs, rest: string): Promise<Step> {
  const { host } = inputs.evaluator.vm;
  const start = host.now();
  const before = process.cpuUsage();
  const result = await inputs.evaluate(rest);
  const ms = host.now() - start;
  const { user, system } = process.cpuUsage(before);
  const step = inputs.finished(result);
  inputs.print(`${duration(ms)} (${duration((user + system) / 1000)} of processor time)`);
  return step;
}

function duration(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(ms >= 10 ? 0 : 1)} ms`;
}

function load(inputs: Inputs, rest: string): Promise<Step> {
  return inputs.load(rest);
}

function names(inputs: Inputs): Step {
  const all = [...new Set(inputs.evaluator.session.names())].filter((name) => name !== '_').sort();
  inputs.print(all.length === 0 ? 'no names yet' : all.join('  '));
  return DONE;
}

function threads(inputs: Inputs): Step {
  inputs.print(describeThreads(inputs.evaluator.vm).trimEnd());
  return DONE;
}

function stop(inputs: Inputs): Step {
  const { scheduler } = inputs.evaluator.vm;
  const count = scheduler.live.size;
  for (const fiber of [...scheduler.live]) scheduler.cancel(fiber);
  inputs.print(count === 0 ? 'no threads are alive' : `${count} thread${count === 1 ? '' : 's'} told to end`);
  return DONE;
}
