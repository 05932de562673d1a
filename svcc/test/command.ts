import { type Command, Option } from 'commander';
import type { Streams } from '../host.js';
import type { TestFlags } from './runner.js';

type Parse<T> = (text: string) => T;

/** Defines `svcc test`; its code is loaded when it runs. */
export function addTest(
  program: Command,
  streams: Streams,
  integer: (what: string, least: number, most: number) => Parse<number>,
): void {
  program
    .command('test')
    .description('run tests')
    .argument('[paths...]', 'files, or folders to search for *_test.svc and for programs below test/')
    .option('--filter <re>', 'only tests whose names match the regular expression')
    .addOption(
      new Option('--reporter <name>', 'form of the results').choices(['spec', 'tap', 'junit', 'json']).default('spec'),
    )
    .option('--doc', 'run the examples in ## comments instead of tests')
    .option('--bail', 'stop after the first failure')
    .option('--jobs <n>', 'number of files that run at once (number of processors)', integer('--jobs', 1, 256))
    .option(
      '--seeds <n>',
      'run each file with N orders of its threads, under a virtual clock, until one fails',
      integer('--seeds', 1, 1_000_000),
    )
    .option('--coverage', 'count which lines and branches run; reports in coverage/')
    .option('--watch', 'run again when files change: what uses them first')
    .option('--update', 'store snapshots anew')
    .addOption(new Option('--child <job>', 'run a file for the process above').hideHelp())
    .addOption(new Option('--standby <file>', 'load what such a file needs, then wait for a job').hideHelp())
    .action(async (paths: string[], { child, standby, ...flags }: TestFlags & { child?: string; standby?: string }) => {
      if (child !== undefined) await (await import('./child.js')).runChild(child);
      if (standby !== undefined) await (await import('./child.js')).runWaiting(standby);
      process.exitCode = await (await import('./index.js')).runTests(paths, flags, streams);
    });
}
