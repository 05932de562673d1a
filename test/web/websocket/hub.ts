import { join } from 'node:path';
import type { Test } from 'tap';
import type { App } from '../../../natives/web/app/app.js';
import { DEV_HOST, type DevHost } from '../../../natives/web/dev/devhost.js';
import type { SocketHub } from '../../../natives/web/websocket/hub.js';
import { execute } from '../../../svcc/execute.js';
import { createVm, nativeNames } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { loadProgram } from '../../../svcc/load.js';
import { until } from '../../patience.js';

/** A server in the process of the test, which can inspect it. */
export interface Inside {
  port: number;
  hub: SocketHub;
  /** Bytes held by all connections, as counted by the server. */
  held(): number;
  /** Number of live threads without the main program. */
  threads(): number;
  output(): string;
  stop(): Promise<void>;
}

/** Starts a program given as text in this process. */
export async function serveInside(test: Test, source: string): Promise<Inside> {
  let text = '';
  const write = (more: string): void => void (text += more);
  const vm = createVm(nodeHost({ stdout: write, stderr: write }), { process: { args: [], env: {} } });
  // `--dev` uses this to reach the server.
  const dev: DevHost = { server: null, problem: null, recorder: null };
  DEV_HOST.set(vm, dev);
  const path = join(test.testdir({ 'app.svc': source }), 'app.svc');
  const ended = execute(vm, await loadProgram(path, nativeNames(vm), () => {}));
  const port = await until(
    'the server',
    () => Number(/running on http:\/\/\S+:(\d+)\n/.exec(text)?.[1] ?? NaN) || null,
  );
  const { sockets } = (dev.server as unknown as { app: App }).app;
  return {
    port,
    hub: sockets,
    held: () => (sockets as unknown as { budget: { used: number } }).budget.used,
    threads: () => vm.scheduler.live.size - 1,
    output: () => text,
    stop: async () => {
      for (const fiber of [...vm.scheduler.live]) vm.scheduler.cancel(fiber);
      await ended;
    },
  };
}
