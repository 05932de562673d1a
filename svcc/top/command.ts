import type { Command } from 'commander';
import type { Streams } from '../host.js';
import type { TopFlags } from './top.js';

/** Declares the command `svcc top`, whose code is loaded when it runs. */
export function addTop(program: Command, streams: Streams): void {
  program
    .command('top')
    .description('show the threads, requests and routes of a running service that calls app.inspect')
    .argument('[pid|port]', 'number of its process, or its port; not needed if only one runs')
    .option('--once', 'print the state once, without the keyboard')
    .action(async (target: string | undefined, flags: TopFlags) => {
      process.exitCode = await (await import('./top.js')).top(target ?? null, flags, streams);
    });
}
