import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');

/** Bundles a worker like dist/ (with tsx, opcodes would be looked up at run time). Returns the path of the bundle. */
export async function bundle(entry: URL): Promise<string> {
  const source = fileURLToPath(entry);
  const name = relative(ROOT, source).replaceAll(/[/\\]/g, '-').replace(/\.ts$/, '.mjs');
  const outfile = join(ROOT, 'node_modules/.cache/svc-bench', name);
  await build({
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    define: { SVC_VERSION: '"bench"' },
    logLevel: 'warning',
  });
  return outfile;
}
