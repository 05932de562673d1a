import { emitKeypressEvents } from 'node:readline';
import type { Frame, Row } from './view.js';
import { rowsOf } from './view.js';

/** Milliseconds between two frames. */
const PERIOD_MS = 1000;

/** Control sequences: show the alternate screen and hide the cursor, and back. */
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

const COLOURS: Readonly<Record<Row['kind'], string>> = { head: '1', title: '7', failed: '31', plain: '' };

/** Keys that end the display. */
const ENDS = new Set(['q', 'Q', '\u0003', '\u0004', '\u001b']);

/** A terminal that shows frames until a key ends it. */
export class Display {
  private readonly output = process.stdout;
  private readonly isPlain = (process.env.NO_COLOR ?? '') !== '';
  private last: Frame | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private finish: (ended: boolean) => void = () => {};
  private failed: (error: unknown) => void = () => {};

  /**
   * Shows a frame of `next` each second. Resolves with false when the user has ended the display, with true when `next`
   * resolves with null. Rejects with the error of `next`.
   */
  async run(next: () => Promise<Frame | null>): Promise<boolean> {
    const done = new Promise<boolean>((resolve, reject) => {
      this.finish = resolve;
      this.failed = reject;
    });
    const onSignal = (): void => this.finish(false);
    const onResize = (): void => this.draw();
    const onKey = (text: string | undefined, key: { sequence?: string }): void => {
      if (ENDS.has(text ?? key.sequence ?? '')) this.finish(false);
    };
    const { stdin } = process;
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
    this.output.on('resize', onResize);
    if (stdin.isTTY) {
      emitKeypressEvents(stdin);
      stdin.setRawMode(true);
      stdin.on('keypress', onKey);
      stdin.resume();
    }
    this.output.write(ENTER);
    void this.loop(next);
    try {
      return await done;
    } finally {
      this.isOver = true;
      clearTimeout(this.timer);
      this.output.write(LEAVE);
      this.output.off('resize', onResize);
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, onSignal);
      if (stdin.isTTY) stdin.setRawMode(false);
      stdin.off('keypress', onKey);
      stdin.pause();
    }
  }

  private async loop(next: () => Promise<Frame | null>): Promise<void> {
    try {
      this.last = await next();
      if (this.isOver) return;
      if (this.last === null) this.finish(true);
      else {
        this.draw();
        this.timer = setTimeout(() => void this.loop(next), PERIOD_MS);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private draw(): void {
    if (this.last === null) return;
    const { columns, rows } = this.output;
    const lines = rowsOf(this.last, rows - 1, columns).map((row) => this.painted(row, columns));
    while (lines.length < rows - 1) lines.push('');
    lines.push(this.painted({ text: 'q quits', kind: 'plain' }, columns));
    // Clear the rest of each row instead of the whole screen, which would flicker.
    this.output.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  }

  private painted({ text, kind }: Row, columns: number): string {
    const code = COLOURS[kind];
    if (code === '' || this.isPlain) return text;
    return `\u001b[${code}m${kind === 'title' ? text.padEnd(columns) : text}\u001b[0m`;
  }
}
