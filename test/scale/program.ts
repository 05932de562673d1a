import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { until } from '../patience.js';
import { Svcc } from '../svcc/svcc.js';

/** Carries out a command for each line of the input: calls a function of the hash `commands` with the second word. */
const LOOP = `
puts "ready"
while line = input()
  name, word = line.split(" ")
  begin
    puts "#{name} #{word}: #{commands[name].(word).inspect}"
  rescue Error => e
    puts "#{name} #{word}: #{type(e)} #{e.message}"
  end
end
`;

/** A program of Svc that a test tells what to do. */
export class Program {
  /** Where the output begins that `prints` has not been told to ignore. */
  private at = 0;

  private constructor(readonly svcc: Svcc) {}

  /** Starts a program, which ends with the test. @param source sets `commands`, functions of one argument by name */
  static async start(t: Test, source: string, env: Record<string, string>): Promise<Program> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-program-'));
    writeFileSync(join(folder, 'app.svc'), source + LOOP);
    const svcc = new Svcc(['run', 'app.svc'], { cwd: folder, env });
    t.teardown(async () => {
      svcc.child.kill('SIGKILL');
      await svcc.ended;
      rmSync(folder, { recursive: true, force: true });
    });
    await svcc.printed(/^ready\n/m);
    return new Program(svcc);
  }

  /** Waits until the output matches. */
  prints(pattern: RegExp, from = this.at): Promise<RegExpExecArray> {
    return until(String(pattern), () => pattern.exec(this.svcc.stdout.slice(from)));
  }

  /** Counts the matches in the output. @param pattern with the flag g */
  count(pattern: RegExp): number {
    return [...this.svcc.stdout.slice(this.at).matchAll(pattern)].length;
  }

  /** Makes `prints` and `count` ignore what has been printed. */
  mark(): void {
    this.at = this.svcc.stdout.length;
  }

  /** Carries out a command. Returns its result. */
  async does(name: string, word = ''): Promise<string> {
    const from = this.svcc.stdout.length;
    this.svcc.child.stdin?.write(`${name} ${word}\n`);
    return (await this.prints(new RegExp(`^${name} ${word}: (.*)\n`, 'm'), from))[1];
  }
}
