import { Worker } from 'node:worker_threads';
import type { Host } from '../vm/host.js';
import type { Finding } from './check.js';
import { IN_THREAD } from './host.js';

/**
 * Warns of state of a program that its processes would not share. `svcc check --workers` looks for it in a thread that
 * then ends, so that the first process, which lives as long as the service, keeps no compiler. Says nothing of artefacts
 * and of programs that cannot be checked.
 */
export function warnOfProcessState(file: string, host: Host): void {
  const thread = new Worker(process.argv[1], {
    argv: ['check', '--workers', '--json', file],
    env: { ...process.env, [IN_THREAD]: '1' },
    stdout: true,
    stderr: true,
  });
  thread.unref();
  let text = '';
  thread.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  // The program runs; that it could not be checked is not its users' concern.
  thread.on('error', () => {});
  thread.stderr.resume();
  thread.on('exit', () => {
    for (const { file: path, line, column, code, message, hint } of findings(text))
      if (code === 'process-state') host.stderr(`svcc: ${path}:${line}:${column}: ${message}; ${hint}\n`);
  });
}

function findings(text: string): Finding[] {
  try {
    return JSON.parse(text) as Finding[];
  } catch {
    return [];
  }
}
