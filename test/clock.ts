import { readFileSync } from 'node:fs';

/** Milliseconds of processor time that this process uses for a function. Other work of the machine does not count. */
export function cpuTime(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds of processor time that another process has used, in the kernel's steps of 10 ms (proc_pid_stat(5)). */
export function processorTime({ pid }: { pid?: number }): number {
  const [, fields] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
  const [user, system] = (fields ?? '').split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** Milliseconds of processor time of the shortest of several runs. Longer ones include compilation and collection. */
export function shortest(run: () => unknown, tries = 5): number {
  return Math.min(...Array.from({ length: tries }, () => cpuTime(run)));
}

/** Bytes that `handOutMs` writes to. More would take as long for each byte, and may be more than the machine has. */
const HANDED_OUT = 32 * 2 ** 20;

/**
 * Milliseconds of processor time in which the system hands out new memory, on some virtual machines 4 s a gigabyte. For
 * bounds of work that needs such memory in one step.
 */
export function handOutMs(bytes: number): number {
  return (shortest(() => Buffer.allocUnsafeSlow(HANDED_OUT).fill(1), 3) * bytes) / HANDED_OUT;
}
