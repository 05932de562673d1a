import { clearScreenDown, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Output } from './inputs.js';

/** Milliseconds that the beginning of a line is held back while a prompt is shown. */
const HOLD_MS = 100;

/**
 * The output of a session in a terminal. While a line is being edited, output of threads appears above it, in whole
 * lines.
 */
export class Screen implements Output {
  /** Set while a line is being edited. */
  editor: Interface | null = null;
  /** What has been printed since the last newline. */
  private lineSoFar = '';
  /** Output held back while a line is edited. */
  private held: { text: string; write: (text: string) => void }[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly streams: Output) {}

  stdout(text: string): void {
    this.write(text, this.streams.stdout);
  }

  stderr(text: string): void {
    this.write(text, this.streams.stderr);
  }

  private write(text: string, write: (text: string) => void): void {
    if (this.editor !== null) {
      this.held.push({ text, write });
      if (text.endsWith('\n')) this.release();
      else this.timer ??= setTimeout(() => this.release(), HOLD_MS);
      return;
    }
    write(text);
    const end = text.lastIndexOf('\n');
    this.lineSoFar = end < 0 ? this.lineSoFar + text : text.slice(end + 1);
  }

  /** Prints what was held back, above the line that is being edited. */
  private release(): void {
    const { editor, held } = this;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.held = [];
    if (editor === null || held.length === 0) return;
    moveCursor(process.stdout, 0, -editor.getCursorPos().rows);
    cursorTo(process.stdout, 0);
    clearScreenDown(process.stdout);
    for (const { text, write } of held) write(text);
    if (!held[held.length - 1].text.endsWith('\n')) this.streams.stdout('\n');
    redraw(editor);
  }

  /** Begins to edit a line. */
  edit(editor: Interface): void {
    this.editor = editor;
  }

  /** Stops editing; what was held back is printed from here on. */
  leave(): void {
    const { held } = this;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.held = [];
    this.editor = null;
    for (const { text, write } of held) this.write(text, write);
  }

  /** The unfinished line of output, such as the question of a program. */
  get question(): string {
    return this.lineSoFar;
  }

  /** Moves to a new line unless the cursor is at the beginning of one. */
  freshLine(): void {
    if (this.lineSoFar !== '') this.stdout('\n');
  }

  /** The user has ended the line of output with the return key. */
  answered(): void {
    this.lineSoFar = '';
  }
}

/** Draws prompt and line anew where the cursor is. */
function redraw(editor: Interface): void {
  // Rows above the cursor that readline would clear: they hold output now.
  (editor as unknown as { prevRows: number }).prevRows = 0;
  editor.prompt(true);
}
