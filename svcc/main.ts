import { internalError } from './internalerror.js';

process.on('uncaughtException', internalError);
process.on('unhandledRejection', internalError);

const words = process.argv.slice(2);

/** Whether the working directory exists: without it, paths have no meaning. */
function hasDirectory(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  if (!hasDirectory()) {
    process.stderr.write('svcc: the working directory does not exist any more; change to another one\n');
    process.exitCode = 2;
    return;
  }
  // Fast path: without flags no parser is needed, and loading it takes longer than most programs.
  if (words[0] === 'run' && words.length > 1 && !words.some((word) => word.startsWith('-')))
    process.exitCode = await (await import('./run.js')).run(words[1], words.slice(2), {});
  else await (await import('./commandline.js')).runCommandLine(words);
}

void main();
