import type { Command } from 'commander';
import type { Streams } from '../host.js';
import type { ReplayFlags } from './replay.js';

function list(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Declares the command `svcc replay`, whose code is loaded when it runs. */
export function addReplay(program: Command, streams: Streams): void {
  program
    .command('replay')
    .description('list recorded requests, or run one again')
    .argument('[number]', 'the request to run again')
    .argument('[args...]', 'arguments for the program')
    .option('--all', 'list all requests, not only the latest')
    .option('--header <field>', "'Name: value' in place of the recorded header; may be repeated", list)
    .option('--field <pair>', "'name=value' in place of a field of the body or query; may be repeated", list)
    .action(async (id: string | undefined, args: string[], flags: ReplayFlags) => {
      const { listAll, replay } = await import('./replay.js');
      process.exitCode = await (id === undefined ? listAll(flags, streams) : replay(id, args, flags, streams));
    });
}
