import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Memory in MiB that a process has now (`VmRSS`), or had at most (`VmHWM`). Linux only. */
export function memoryOf({ pid }: ChildProcess, line: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}
