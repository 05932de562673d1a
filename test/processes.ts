import { spawnSync } from 'node:child_process';

/** Whether a process has ended, though its parent may not have taken notice. */
export function hasEnded(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  return /^(Z.*)?$/.test(stdout.trim());
}
