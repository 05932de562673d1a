import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';
import { get } from '../web/support/serve.js';
import { Svcc } from './svcc.js';

/** A program of version `version`. Each process has its own mark, the response of `/me`. */
export function program(version: string): string {
  return `app = web_app()
me = random_token(8)
app.get("/me") { |req| me }
app.get("/version") { |req| "${version}" }
app.get("/slow") do |req|
  puts "waits"
  while !file_exists("go")
    sleep(0.01)
  end
  "done"
end
app.websocket("/ws") { |ws| while ws.recv() != nil; end }
app.set("drain_seconds", 2)
app.run(0, "127.0.0.1")
`;
}

/** A program whose port stays the same while no worker listens. */
export async function withPort(): Promise<string> {
  return program('old').replace('app.run(0,', `app.run(${await freePort()},`);
}

/** A service of several processes. */
export class Pool {
  private constructor(
    readonly server: Svcc,
    readonly port: number,
    readonly folder: string,
  ) {}

  /** Starts processes. @param node the executable of Node */
  static async start(test: Test, source = program('old'), node = process.execPath, count = 2): Promise<Pool> {
    const folder = test.testdir({ 'app.svc': source });
    const server = new Svcc(['run', '--workers', String(count), 'app.svc'], { cwd: folder, node });
    const [, port] = await server.printed(/127\.0\.0\.1:(\d+)\n/);
    const pool = new Pool(server, Number(port), folder);
    test.teardown(() => {
      const left = server.child.exitCode === null ? pool.pids() : [];
      server.child.kill('SIGKILL');
      for (const pid of left) process.kill(pid, 'SIGKILL');
    });
    await pool.marks(count);
    return pool;
  }

  /** Process numbers of the workers. */
  pids(): number[] {
    const { pid } = this.server.child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number);
  }

  /** Waits for another process of a rolling restart. Returns its number. */
  starts(before: number[]): Promise<number> {
    return until('a new process', () => this.pids().find((pid) => !before.includes(pid)) ?? null);
  }

  save(text: string): void {
    writeFileSync(join(this.folder, 'new'), text);
    renameSync(join(this.folder, 'new'), join(this.folder, 'app.svc'));
  }

  /** Sends requests until `count` processes have responded. Returns their marks. */
  async marks(count: number): Promise<Set<string>> {
    const seen = new Set<string>();
    await until(`answers of ${count} processes`, async () => {
      seen.add((await get(this.port, '/me')).body);
      return seen.size >= count;
    });
    return seen;
  }
}
