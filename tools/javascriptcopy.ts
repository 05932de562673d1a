import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Folders whose TypeScript is translated. */
const SOURCES = ['vm', 'compiler', 'natives', 'svcc', 'tools', 'test', 'editors'];
const OTHERS = ['spec-tests', 'examples', 'templates', 'docs', 'bench/programs', 'package.json', 'package-lock.json'];

export const TRANSLATION = { format: 'esm', platform: 'node', target: 'node20' } as const;

/**
 * Copies the project with its sources as JavaScript, each beside its TypeScript: tests in the copy start without tsx,
 * which takes a second for each process. `#embed` is the unbundled module.
 */
export async function copyAsJavaScript(root: string, folder: string, sourcemap?: 'inline'): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of [...SOURCES, ...OTHERS]) cpSync(join(root, name), join(folder, name), { recursive: true });
  await build({
    ...TRANSLATION,
    absWorkingDir: root,
    entryPoints: SOURCES.map((name) => `${name}/**/*.ts`),
    outdir: folder,
    outbase: '.',
    logLevel: 'warning',
    sourcemap,
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const settings = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, unknown> };
  settings.imports['#embed'] = './svcc/embed.js';
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings));
}
