import { readSource } from '../load.js';
import { LoadError } from '../loaderror.js';
import { commandOf, runCommand, type Step } from './commands.js';
import type { Evaluator, Result } from './evaluator.js';
import { isColoured, type Paint } from './paint.js';
import { shortText } from './show.js';
import type { Value } from '../../vm/values/value.js';

/** Where a session prints. */
export interface Output {
  stdout(text: string): void;
  stderr(text: string): void;
}

const DONE: Step = { kind: 'done' };
/** Nothing, or a comment that documents nothing. */
const EMPTY = /^\s*(?:#(?!#).*)?$/;
/** A comment that documents what follows. */
const DOCUMENTATION = /^\s*##/;

/** Joins lines to inputs, evaluates these and prints the results. */
export class Inputs {
  /** Number of the next input, which names it in messages. */
  number = 1;
  /** Whether an input has failed. */
  hasFailed = false;
  /** Text of the last input or command. */
  last = '';
  /** Set when the session ends: results are of no interest. */
  isLeaving = false;
  private lines: string[] = [];
  /** What the unfinished input lacks. */
  private missing = '';

  constructor(
    readonly evaluator: Evaluator,
    readonly output: Output,
    readonly paint: Paint,
  ) {}

  /** Whether an input is unfinished. */
  get isUnfinished(): boolean {
    return this.lines.length > 0;
  }

  /** The lines of the unfinished input. */
  get unfinished(): string {
    return this.lines.join('\n');
  }

  /** Takes a line. */
  async take(line: string): Promise<Step> {
    if (this.lines.length === 0) {
      if (EMPTY.test(line)) return DONE;
      const command = commandOf(line);
      if (command !== null) {
        this.last = line;
        return runCommand(this, command);
      }
    }
    this.lines.push(line);
    const text = this.lines.join('\n');
    if (/\\\s*$/.test(line) || this.lines.every((one) => DOCUMENTATION.test(one))) return { kind: 'more' };
    const result = await this.evaluator.evaluate(this.name, text);
    if (result.kind === 'incomplete') {
      this.missing = result.message;
      return { kind: 'more' };
    }
    this.last = text;
    this.next();
    return this.finished(result);
  }

  private get name(): string {
    return `repl:${this.number}`;
  }

  private next(): void {
    this.lines = [];
    this.missing = '';
    this.number++;
  }

  /** Drops the unfinished input. @param explain whether to say what it lacks */
  giveUp(explain: boolean): void {
    if (!this.isUnfinished) return;
    if (explain) this.fail(this.missing);
    this.next();
  }

  /** Evaluates a whole text; its value is not printed if it is a file's. */
  async evaluate(text: string): Promise<Result> {
    const result = await this.evaluator.evaluate(this.name, text);
    this.next();
    return result.kind === 'incomplete' ? { kind: 'failed', message: result.message } : result;
  }

  /** Runs a file as if it were an input. */
  async load(path: string): Promise<Step> {
    let text: string;
    try {
      text = readSource(path);
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      this.fail(`${error.message}\n`);
      return DONE;
    }
    const result = await this.evaluator.evaluate(path, text);
    if (result.kind === 'value') return DONE;
    return this.finished(result.kind === 'incomplete' ? { kind: 'failed', message: result.message } : result);
  }

  /** Prints what became of an input. */
  finished(result: Result): Step {
    if (result.kind === 'exit') return result;
    if (this.isLeaving) return DONE;
    if (result.kind === 'value') this.print(`=> ${this.textOf(result.value, result.text)}`);
    else if (result.kind === 'failed') this.fail(result.message);
    else if (result.kind === 'cancelled') this.print('(interrupted)');
    return DONE;
  }

  /** The text of a value; `own` is that of its own method. */
  textOf(value: Value, own: string | null = null): string {
    return own ?? shortText(value, this.paint);
  }

  print(text: string): void {
    this.output.stdout(`${text}\n`);
  }

  /** Prints an error message, which ends in a newline. */
  fail(message: string): void {
    this.hasFailed = true;
    this.output.stderr(isColoured(this.paint) && !message.includes('\u001b') ? coloured(message, this.paint) : message);
  }
}

/** The first line of an error in colour. */
function coloured(message: string, paint: Paint): string {
  const end = message.indexOf('\n');
  return paint.error(message.slice(0, end)) + message.slice(end);
}
