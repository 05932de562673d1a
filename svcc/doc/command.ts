import type { Command } from 'commander';
import type { Streams } from '../host.js';
import type { DocFlags } from './doc.js';

/** Defines `svcc doc`; its code is loaded when it runs. */
export function addDoc(program: Command, streams: Streams): void {
  program
    .command('doc')
    .description('print the documentation of programs: their ## comments and the names that they offer')
    .argument('[files...]', '.svc files or folders (all files below the working directory)')
    .option('--html', 'write HTML instead of Markdown')
    .option('-o, --output <dir>', 'write a page for each file into a folder')
    .action(async (files: string[], flags: DocFlags) => {
      process.exitCode = (await import('./doc.js')).doc(files, flags, streams);
    });
}
