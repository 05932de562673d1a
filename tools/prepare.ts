import { spawnSync } from 'node:child_process';
import { isUpToDate, ROOT } from './buildid.js';

// Run by `npm ci`, `npm link` and `npm pack`: builds unless `dist/` matches the current sources.
if (isUpToDate()) console.log('dist/ is up to date');
else process.exitCode = spawnSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
