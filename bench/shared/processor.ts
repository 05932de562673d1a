import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor time in seconds of children of this process that have ended; NaN without /proc. */
export function processorSeconds(): number {
  if (process.platform !== 'linux') return NaN;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
