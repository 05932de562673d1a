import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

const LIBRARIES = '/usr/lib';
const NAME = 'faketime/libfaketimeMT.so.1';

/** Why tests that need libfaketime are skipped. */
export const NO_FAKETIME = 'libfaketime is not installed (Debian: faketime)';

/** Path of libfaketime for programs with threads; null if it is not installed. */
export function findFaketime(): string | null {
  if (process.platform !== 'linux') return null;
  const folders = [LIBRARIES, ...readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name))];
  return folders.map((folder) => join(folder, NAME)).find(existsSync) ?? null;
}

/** A time of day for processes, which a test can shift. Their monotonic clock is that of the machine. */
export class ShiftedClock {
  /** The environment of processes that have this clock. */
  readonly env: Record<string, string>;
  private readonly path: string;

  constructor(t: Test, library: string) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-clock-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o755);
    this.path = join(folder, 'shift');
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // The name that the setting had before libfaketime 0.9.7.
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.shift(0);
  }

  /** Sets the clock to so many seconds after the time of day. */
  shift(seconds: number): void {
    writeFileSync(this.path, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }
}
