/** Measures one program on request, in Svc or in plain JavaScript. Argument: its path. */
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
  // While others ran, the core slept and its caches lost this program: the first runs are not measured.
  if (minMs > 0) await measure(run, minMs);
  return measure(run, minMs);
});
