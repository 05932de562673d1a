import { relative } from 'node:path';
import type { App } from '../natives/web/application.js';
import { execute } from './execute.js';
import { createVm, nativeNames } from './fullvm.js';
import { nodeHost, processStreams } from './host.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';

/** Rows of text with their columns aligned. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i])).join('  ').trimEnd()).join('\n');
}

function table(app: App): string {
  const layers = String(app.middleware.length);
  const rows = [...app.routes, ...app.sockets.routes].map(({ method, pattern, place }) => [method, pattern, place === null ? '' : `${relative('', place.file) || place.file}:${place.line}`, layers]);
  return `${aligned([['METHOD', 'PATTERN', 'PLACE', 'MIDDLEWARE'], ...rows])}\n`;
}

/** `svcc routes`: runs a program up to its `app.run` and prints the routes it has registered; the exit code. */
export async function routes(file: string): Promise<number> {
  const host = nodeHost(processStreams());
  const vm = createVm(host, { process: { args: [], env: process.env } });
  let seen = false;
  vm.modules.set('survey', (app: App) => {
    seen = true;
    host.stdout(table(app));
  });
  try {
    const code = await execute(vm, await loadProgram(file, nativeNames(vm), host.stderr));
    if (code === 0 && !seen) host.stderr(`${file} starts no web server: it never calls app.run\n`);
    return code === 0 && !seen ? 1 : code;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}
