/** Measures one program (argument: its path), in Svc or in plain JavaScript, when asked. */
import { pathToFileURL } from 'node:url';
import { measure, serve } from '../shared/serve.js';
import { svcProgram } from './svc.js';

export interface RunRequest {
  minMs: number;
}

async function jsProgram(path: string): Promise<() => string> {
  const { run } = (await import(pathToFileURL(path).href)) as { run(): unknown };
  return () => String(run());
}

const [path] = process.argv.slice(2);
const run = path.endsWith('.svc') ? await svcProgram(path) : await jsProgram(path);
await serve(async ({ minMs }: RunRequest) => {
  // While the others had their turns the core went to sleep, and forgot this program: what it does to begin with is not measured.
  if (minMs > 0) await measure(run, minMs);
  return measure(run, minMs);
});
