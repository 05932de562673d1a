import { runFile } from '../../dist/embed.js';

// Runs programs one after another. See shared.ts. It is JavaScript so that it starts without a loader.
process.on('message', async (cwd) => {
  process.chdir(cwd);
  process.send(await runFile('app.svc'));
});
