// Bundles the client. `npx @vscode/vsce package` runs this first; esbuild and vscode-languageclient are development
// dependencies of the project around this folder.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildResult } from 'esbuild';

const HERE = import.meta.dirname;

/** Writes the client to a file. @returns what esbuild says of its parts */
export function buildClient(outfile = join(HERE, 'dist/client.cjs')): Promise<BuildResult<{ metafile: true }>> {
  return build({
    entryPoints: [join(HERE, 'client/main.ts')],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['vscode'],
    minify: true,
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
  });
}

if (process.argv[1] === import.meta.filename) {
  await buildClient();
  copyFileSync(join(HERE, '../../LICENSE'), join(HERE, 'LICENSE'));
}
