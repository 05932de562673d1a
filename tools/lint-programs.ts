import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './buildid.js';

/** Programs whose form is their subject: they show what the grammar takes, and where errors are. */
const ANY_FORM = /^(spec-tests\/(language|errors)|test\/compiler)\//;

/** Files for one call of `svcc fmt`, so that the command line stays short. */
const AT_ONCE = 300;

/**
 * Checks that the programs of the repository are formatted as `svcc fmt` writes them. Programs that do not parse, whose
 * mistakes are their purpose, are left as they are.
 */
function unformatted(files: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) found.push(...checkedBy(files.slice(at, at + AT_ONCE)));
  return found;
}

function checkedBy(files: readonly string[]): string[] {
  try {
    execFileSync(process.execPath, [join(ROOT, 'dist/svcc.js'), 'fmt', '--check', ...files], {
      cwd: ROOT,
      stdio: 'pipe',
    });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout?: Buffer };
    return (stdout?.toString() ?? '').split('\n').filter((line) => files.includes(line));
  }
}

const files = execFileSync('git', ['ls-files', '*.svc'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !ANY_FORM.test(path) && readFileSync(join(ROOT, path)).length > 0);
const found = unformatted(files);
for (const path of found) process.stderr.write(`${path} is not formatted: run svcc fmt\n`);
process.exitCode = found.length > 0 ? 1 : 0;
