import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { bundledSvcc } from '../../bundle.js';
import { until } from '../../patience.js';

const run = promisify(execFile);

/** Whether there is a terminal to test with. */
export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

let count = 0;

/** A session in a terminal of 100 columns and 40 rows. */
export class TerminalSession {
  private readonly socket = `svc-test-${process.pid}-${count++}`;

  private tmux(...args: string[]): Promise<{ stdout: string }> {
    return run('tmux', ['-L', this.socket, '-f', '/dev/null', ...args]);
  }

  /** Starts `svcc repl`, and waits for its prompt. */
  static async start(cwd: string, args: string[] = [], env: Record<string, string> = {}): Promise<TerminalSession> {
    const session = await TerminalSession.run(['repl', ...args], cwd, env);
    await session.shows(/^svc:\d+>$/m);
    return session;
  }

  /** Starts `svcc`. When it ends, the terminal shows `ended: CODE`. */
  static async run(words: string[], cwd: string, env: Record<string, string> = {}): Promise<TerminalSession> {
    const session = new TerminalSession();
    const all = { XDG_STATE_HOME: `${cwd}/state`, NODE_OPTIONS: '', TERM: 'screen', ...env };
    const settings = Object.entries(all).map(([name, value]) => `${name}='${value}'`);
    const command = `env -u NO_COLOR ${settings.join(' ')} '${process.execPath}' '${bundledSvcc()}' ${words.join(' ')}`;
    const size = ['-x', '100', '-y', '40'];
    await session.tmux('new-session', '-d', ...size, '-c', cwd, `${command}; echo "ended: $?"; cat`);
    return session;
  }

  /** The screen without colours, and without blanks at the ends of rows. */
  async screen(): Promise<string> {
    return (await this.tmux('capture-pane', '-p')).stdout.replace(/ +$/gm, '').trimEnd();
  }

  /** The screen with colours as escapes. */
  async colours(): Promise<string> {
    return (await this.tmux('capture-pane', '-p', '-e')).stdout;
  }

  /** Waits until the screen matches. */
  async shows(pattern: RegExp): Promise<string> {
    let last = '';
    return until(`${pattern} on the screen`, async () => {
      last = await this.screen();
      return pattern.test(last) ? last : null;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}:\n${last}`);
    });
  }

  /** Presses keys by their names, such as `C-c`. */
  async press(...keys: string[]): Promise<void> {
    await this.tmux('send-keys', ...keys);
  }

  async type(text: string): Promise<void> {
    await this.tmux('send-keys', '-l', text);
  }

  /** Types a line and waits until the screen matches. */
  async enter(line: string, pattern: RegExp): Promise<string> {
    await this.type(line);
    await this.press('Enter');
    return this.shows(pattern);
  }

  async paste(text: string): Promise<void> {
    await this.tmux('set-buffer', text);
    await this.tmux('paste-buffer', '-p');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  async close(): Promise<void> {
    await this.tmux('kill-server').catch(() => {});
  }
}
