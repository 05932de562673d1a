import { internalError } from './internalerror.js';

process.on('uncaughtException', internalError);
process.on('unhandledRejection', internalError);

const words = process.argv.slice(2);

async function main(): Promise<void> {
  // The plain form needs no parser of flags, which takes longer to load than most programs.
  if (words[0] === 'run' && words.length > 1 && !words.some((word) => word.startsWith('-'))) process.exitCode = await (await import('./run.js')).run(words[1], words.slice(2), {});
  else await (await import('./commandline.js')).obey(words);
}

void main();
