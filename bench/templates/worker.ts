/** Measures a page of one template engine on request. Arguments: its name, and the folder of the templates. */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measure, serve } from '../shared/serve.js';
import { svcProgram } from '../vm/svc.js';

export interface PageRequest {
  minMs: number;
}

const [engine, folder] = process.argv.slice(2);
const { PAGE: page = '' } = process.env;

async function peer(): Promise<() => string> {
  const { page: pageOf } = (await import(pathToFileURL(resolve(folder, 'peers.js')).href)) as {
    page(engine: string, name: string): () => string;
  };
  return pageOf(engine, page);
}

const run = engine === 'svc' ? await svcProgram(join(folder, 'page.svc'), { PAGE: page }) : await peer();
await serve(async ({ minMs }: PageRequest) => {
  // While others ran, the core slept and its caches lost this program: the first runs are not measured.
  if (minMs > 0) await measure(run, minMs);
  return measure(run, minMs);
});
