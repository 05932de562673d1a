/** Schedules of jobs, given as cron patterns. */
import type { Cron } from 'croner';
import { Errors, fail } from '../../vm/values/error.js';
import { quote } from '../../vm/values/text/text.js';

/** The times of a schedule, each of which is a tick. */
export class Ticks {
  private constructor(
    readonly pattern: string,
    readonly zone: string,
    private readonly cron: Cron,
  ) {}

  /**
   * Reads a pattern of five fields, or of six with seconds first, or a nickname such as `@daily`; loads croner.
   * @throws ValueError that says which part is wrong
   */
  static async read(pattern: string, zone: string): Promise<Ticks> {
    const { Cron } = await import('croner');
    checkZone(zone);
    let cron: Cron;
    try {
      const fields = pattern.split(/\s+/).filter((field) => field !== '').length;
      if (!pattern.trim().startsWith('@') && fields !== 5 && fields !== 6)
        throw new Error(`it has ${fields} field${fields === 1 ? '' : 's'}`);
      cron = new Cron(pattern, { timezone: zone, paused: true, mode: '5-or-6-parts' });
    } catch (error) {
      const reason = (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '');
      return fail(
        Errors.ValueError,
        `JobQueue.every(): ${quote(pattern)} is no pattern of cron (minute hour day month weekday, as in "30 2 * * *"): ${reason}`,
      );
    }
    const ticks = new Ticks(pattern, zone, cron);
    if (ticks.after(0) === null) fail(Errors.ValueError, `JobQueue.every(): ${quote(pattern)} never comes true`);
    return ticks;
  }

  /** The first tick after a time, in milliseconds since 1970; null if there is none. */
  after(time: number): number | null {
    return this.cron.nextRun(new Date(time))?.getTime() ?? null;
  }
}

/** Checks the name of a time zone. @throws ValueError */
function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    fail(Errors.ValueError, `JobQueue.every(): ${quote(zone)} is no time zone such as "Europe/Berlin"`);
  }
}
