import { spawnSync } from 'node:child_process';
import { buildId, builtId, ROOT } from './buildid.js';

// `npm ci`, `npm link` and `npm pack` run this: it builds unless `dist/` was built of the sources as they are.
if ((await builtId()) === (await buildId())) console.log('dist/ is up to date');
else process.exitCode = spawnSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
