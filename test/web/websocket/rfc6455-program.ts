import { join } from 'node:path';
import type { Test } from 'tap';
import { execute } from '../../../svcc/execute.js';
import { createVm, nativeNames } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { loadProgram } from '../../../svcc/load.js';
import { happens } from '../../patience.js';

/** Program that echoes as a server, and as a client of a given port. It prints how each connection ended. */
const PROGRAM = `def follow(ws)
  while (message = ws.recv()) != nil
    ws.send(message)
  end
  3000.times { sleep(0.01) if ws.close_code == nil }
  "#{ws.close_code} #{ws.close_reason}"
end

app = web_app()
app.websocket("/echo") { |ws| puts "closed #{ws.query["id"]} #{follow(ws)}" }
app.websocket("/zip", compress: true) { |ws| puts "closed #{ws.query["id"]} #{follow(ws)}" }
app.websocket("/guarded", origins: ["https://good.test", "http://other.test:8080"]) { |ws| follow(ws) }
app.get("/plain") { |req| "plain" }
app.get("/connect/:port/:id") do |req|
  begin
    follow(ws_connect("ws://127.0.0.1:#{req.params["port"]}/#{req.params["id"]}?a=1", timeout: req.query["timeout"].to_f))
  rescue ConnectionError, TimeoutError => e
    "#{e.type}: #{e}"
  end
end
app.run(0, "127.0.0.1")
`;

export interface Program {
  port: number;
  /** End of a case's connection as its handler saw it. */
  closeSeen(id: string): Promise<string>;
  /** Ends the program; returns its output without the ends of connections. */
  stop(): Promise<string>;
}

/** Runs the program in the process of the test. */
export async function startProgram(t: Test): Promise<Program> {
  let output = '';
  const write = (text: string): void => void (output += text);
  const vm = createVm(nodeHost({ stdout: write, stderr: write }), { process: { args: [], env: {} } });
  const ended = execute(
    vm,
    await loadProgram(join(t.testdir({ 'app.svc': PROGRAM }), 'app.svc'), nativeNames(vm), write),
  );
  const line = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '';
  await happens(() => /:\d+\n/.test(output));
  return {
    port: Number(line(/:(\d+)\n/)),
    closeSeen: async (id) => {
      const pattern = new RegExp(`^closed ${id} (.*)$`, 'm');
      return (await happens(() => pattern.test(output))) ? line(pattern).trimEnd() : 'nothing';
    },
    stop: async () => {
      for (const fiber of [...vm.scheduler.live]) vm.scheduler.cancel(fiber);
      await ended;
      return output.replace(/^(closed .*|Svc web server .*|Press Ctrl.*)\n/gm, '');
    },
  };
}
