import type { ChildProcess } from 'node:child_process';

/**
 * Milliseconds that a process has to end its commands before it is killed. Its commands would go on, so a busy machine
 * must not run out of this time.
 */
const END_MS = 5000;

/**
 * Ends a process of svcc at once: it ends its commands, which are in process groups of their own. Then, or if it does
 * not react, calls `kill`.
 */
export function endChild(child: ChildProcess, kill: () => void): void {
  if (child.exitCode !== null || child.signalCode !== null) {
    kill();
    return;
  }
  const timer = setTimeout(kill, END_MS);
  child.once('exit', () => clearTimeout(timer));
  // Two signals, because a server lets its requests finish at the first. The system may merge two of the same kind.
  child.kill('SIGTERM');
  child.kill('SIGINT');
}
