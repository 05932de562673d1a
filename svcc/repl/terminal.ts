import { createInterface, type Interface, type Key } from 'node:readline';
import { Completer } from './complete.js';
import { History, historyPath, MAX_ENTRIES } from './history.js';
import { highlighted } from './highlight.js';
import type { Inputs } from './inputs.js';
import { isColoured } from './paint.js';
import type { Screen } from './screen.js';

/** The parts of readline's interface that are not in its types; node's own REPL replaces the first in the same way. */
interface Keyboard extends Interface {
  _ttyWrite(text: string | undefined, key: Key): void;
  /** Prints prompt and line, or a character at the end of the line. */
  _writeToOutput(text: string): void;
  _insertString(text: string): void;
  _refreshLine(): void;
  /** Adds the line to the history. @returns the line */
  _addHistory(): string;
  /** Whether no further characters have arrived. */
  isCompletionEnabled: boolean;
  history: string[];
}

/** Switches bracketed paste: the terminal marks where a pasted text begins and ends. */
const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** A session in a terminal: prompts, keys, history, completion. */
export class Terminal {
  private readonly keyboard: Keyboard;
  private readonly readLine: (text: string | undefined, key: Key) => void;
  /** Keys that were pressed while code ran. */
  private waiting: [string | undefined, Key][] = [];
  private isBusy = false;
  private isPasting = false;
  /** Ctrl+C has just been pressed at an empty prompt. */
  private mayLeave = false;
  /** Receives the line that the program has asked for. */
  private answer: ((line: string | null) => void) | null = null;
  private end: (code: number) => void = () => {};

  constructor(
    private readonly inputs: Inputs,
    private readonly screen: Screen,
    private readonly history = new History(historyPath(process.env)),
  ) {
    const completer = new Completer(inputs.evaluator);
    this.keyboard = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      completer: (line: string) => completer.complete(line),
      history: this.history.load(),
      historySize: MAX_ENTRIES,
      removeHistoryDuplicates: true,
    }) as Keyboard;
    this.readLine = this.keyboard._ttyWrite.bind(this.keyboard);
    this.keyboard._ttyWrite = (text, key) => this.press(text, key);
    this.improve();
    this.keepLines();
    this.keyboard.on('line', (line) => this.line(line));
    this.keyboard.on('close', () => this.closed());
  }

  /** Runs the session, after a file if one is given. @returns the exit code */
  run(file: string | null): Promise<number> {
    process.stdout.write(PASTE_ON);
    return new Promise((resolve) => {
      this.end = (code) => {
        this.end = () => {};
        this.screen.leave();
        process.stdout.write(PASTE_OFF);
        this.keyboard.close();
        resolve(code);
      };
      if (file === null) this.prompt();
      else void this.during(() => this.inputs.load(file));
    });
  }

  /** Whether the line that is edited is code, rather than what the program asks for. */
  private get isInput(): boolean {
    return this.answer === null || !this.isBusy;
  }

  /** Inserts characters where the cursor is, and draws the line in colours. */
  private improve(): void {
    const { keyboard, inputs } = this;
    const hasColours = isColoured(inputs.paint);
    const write = keyboard._writeToOutput.bind(keyboard);
    const insert = keyboard._insertString.bind(keyboard);
    let inserted: string | null = null;
    keyboard._insertString = (text) => {
      const isLast = keyboard.isCompletionEnabled;
      // Of characters that arrive together, node puts all but the last at the end of the line, and counts no rows.
      keyboard.isCompletionEnabled = true;
      inserted = hasColours && isLast && !this.isPasting && this.isInput ? text : null;
      insert(text);
      inserted = null;
      keyboard.isCompletionEnabled = isLast;
    };
    keyboard._writeToOutput = (text) => {
      const prompt = keyboard.getPrompt();
      if (text === inserted) {
        inserted = null;
        // The words before the cursor may have other colours now.
        keyboard._refreshLine();
      } else if (this.isInput && text === prompt + keyboard.line && keyboard.line !== '')
        write(prompt + highlighted(inputs.unfinished, keyboard.line, inputs.paint));
      else write(text);
    };
  }

  /** Takes inputs of several lines from the history as they were: Node 24 gives carriage returns instead of line feeds. */
  private keepLines(): void {
    const { keyboard } = this;
    const add = keyboard._addHistory.bind(keyboard);
    keyboard._addHistory = () => {
      const { line } = keyboard;
      add();
      // `remember` adds it once it has been evaluated.
      if (line.includes('\n') && keyboard.history[0]?.replaceAll('\r', '\n') === line) keyboard.history.shift();
      return line;
    };
  }

  /** Ends the session. */
  leave(code: number): void {
    this.end(code);
  }

  /** For `input()`: the next line that is typed; null at the end of the input. */
  ask(): Promise<string | null> {
    const before = this.answer;
    return new Promise((resolve) => {
      this.answer = (line) => {
        this.answer = before;
        resolve(line);
      };
      if (this.isBusy) this.edit(this.screen.question);
    });
  }

  private prompt(): void {
    const { inputs } = this;
    this.screen.freshLine();
    this.edit(`svc:${inputs.number}${inputs.isUnfinished ? '*' : '>'} `);
    // Keys that were pressed meanwhile may start the next evaluation.
    while (this.waiting.length > 0 && !this.isBusy) this.use(...(this.waiting.shift() as [string, Key]));
  }

  private edit(prompt: string): void {
    this.keyboard.setPrompt(prompt);
    this.keyboard.prompt();
    this.screen.edit(this.keyboard);
  }

  // ---- keys

  private press(text: string | undefined, key: Key): void {
    if (key.ctrl === true && key.name === 'c') {
      this.interrupted();
      return;
    }
    this.mayLeave = false;
    if (this.isBusy && this.answer === null) this.waiting.push([text, key]);
    else this.use(text, key);
  }

  private use(text: string | undefined, key: Key): void {
    if (key.name === 'paste-start') this.isPasting = true;
    else if (key.name === 'paste-end') {
      this.isPasting = false;
      if (this.isInput && this.keyboard.line !== '') this.keyboard._refreshLine();
    } else this.readLine(text, key);
  }

  private interrupted(): void {
    const { inputs, keyboard } = this;
    this.waiting = [];
    if (this.isBusy) {
      this.answer?.(null);
      this.screen.leave();
      inputs.evaluator.interrupt();
      return;
    }
    const isEmpty = keyboard.line === '' && !inputs.isUnfinished;
    if (isEmpty && this.mayLeave) {
      this.screen.leave();
      this.screen.stdout('\n');
      this.end(0);
      return;
    }
    this.screen.leave();
    this.screen.stdout(isEmpty ? '^C\n(Ctrl+C again or Ctrl+D ends the session)\n' : '^C\n');
    this.mayLeave = isEmpty;
    inputs.giveUp(false);
    // Empties the line that is being edited.
    (keyboard as { line: string }).line = '';
    (keyboard as { cursor: number }).cursor = 0;
    this.prompt();
  }

  private closed(): void {
    this.screen.leave();
    if (!this.isBusy) this.screen.stdout('\n');
    this.answer?.(null);
    this.end(0);
  }

  // ---- lines

  private line(line: string): void {
    this.screen.leave();
    if (this.answer !== null && this.isBusy) {
      this.screen.answered();
      // What a program asks for is no input of the session.
      this.keyboard.history.shift();
      this.answer(line);
      return;
    }
    if (this.inputs.isUnfinished && line.trim() === '' && !this.isPasting) {
      this.inputs.giveUp(true);
      this.prompt();
      return;
    }
    void this.during(() => this.inputs.take(line));
  }

  /** Evaluates, then shows the next prompt. */
  private async during(work: () => ReturnType<Inputs['take']>): Promise<void> {
    this.isBusy = true;
    const step = await work();
    this.isBusy = false;
    this.screen.leave();
    this.screen.freshLine();
    if (step.kind !== 'more') this.remember();
    if (step.kind === 'exit') this.end(step.code);
    else if (step.kind === 'quit') this.end(0);
    else this.prompt();
  }

  /** Keeps the input that has just been evaluated as one entry of the history. */
  private remember(): void {
    const text = this.inputs.last;
    const { history } = this.keyboard;
    if (text === '') return;
    this.inputs.last = '';
    const lines = text.split('\n');
    // readline has added each line on its own, except repeated and empty ones.
    if (lines.length > 1) {
      for (const line of lines.reverse()) if (history[0] === line) history.shift();
      history.unshift(text);
    }
    this.history.add(text);
  }
}
