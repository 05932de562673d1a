import { isatty } from 'node:tty';
import type { Inspected } from '../../natives/web/inspector/data.js';
import type { Streams } from '../host.js';
import { LoadError } from '../loaderror.js';
import { Display } from './display.js';
import { type Announced, announced, groupFor } from './find.js';
import { merged } from './merge.js';
import { read } from './read.js';
import { type Frame, rowsOf } from './view.js';

export interface TopFlags {
  once?: boolean;
}

/** Columns of the output if it goes to a file or a pipe. */
const PLAIN_COLUMNS = 200;

/** `svcc top`: shows what a service does, in a terminal until `q` is pressed, otherwise once. @returns the exit code */
export async function top(target: string | null, flags: TopFlags, streams: Streams): Promise<number> {
  try {
    const service = new Service(groupFor(target, await answering()));
    const isLive = flags.once !== true && isatty(1) && process.env.TERM !== 'dumb';
    if (isLive) return await live(service, streams);
    const frame = await service.frame();
    if (frame === null) throw new LoadError(service.ended(), [], 1);
    const columns = isatty(1) ? process.stdout.columns : PLAIN_COLUMNS;
    streams.stdout(
      `${rowsOf(frame, Infinity, columns)
        .map(({ text }) => text)
        .join('\n')}\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    streams.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}

/** Finds the processes with a socket that have not ended. */
async function answering(): Promise<Announced[]> {
  const all = announced();
  const answers = await Promise.all(all.map(read));
  return all.filter((_, i) => answers[i] !== 'gone');
}

async function live(service: Service, streams: Streams): Promise<number> {
  const display = new Display();
  const ended = await display.run(() => service.frame());
  if (ended) streams.stderr(`${service.ended()}\n`);
  return 0;
}

/** The processes of a service. */
class Service {
  /** Processor time and uptime of each process when it was last read, in milliseconds. */
  private readonly before = new Map<number, { cpu: number; uptime: number }>();

  constructor(private readonly group: number) {}

  /** Reads what the service does now; null if it has ended. @throws LoadError if no process answers */
  async frame(): Promise<Frame | null> {
    const processes = announced().filter(({ group }) => group === this.group);
    const answers = await Promise.all(processes.map(read));
    const found = new Map<number, Inspected>();
    const silent: number[] = [];
    answers.forEach((answer, i) => {
      if (answer === 'silent') silent.push(processes[i].pid);
      else if (answer !== 'gone') found.set(answer.pid, answer);
    });
    if (found.size === 0) {
      if (silent.length > 0)
        throw new LoadError(`svcc top: process ${silent[0]} does not answer; it may be stopped, or very busy`, [], 1);
      return null;
    }
    const all = [...found.values()].sort((a, b) => a.pid - b.pid);
    return { data: merged(all), pids: all.map(({ pid }) => pid), silent, cpu: this.cpu(all) };
  }

  /** Returns the processors used since the last frame; in the first frame, since the start of the processes. */
  private cpu(all: readonly Inspected[]): number {
    let share = 0;
    for (const { pid, cpu, uptime } of all) {
      const before = this.before.get(pid) ?? { cpu: 0, uptime: 0 };
      share += (cpu - before.cpu) / Math.max(1, uptime - before.uptime);
      this.before.set(pid, { cpu, uptime });
    }
    return share;
  }

  ended(): string {
    return `svcc top: process ${this.group} has ended`;
  }
}
