/** How an attempt ended. */
export type Ending = 'done' | 'failed' | 'returned';

/** Number and total seconds of the attempts in this process, by the name of the job and how they ended. */
export class Durations {
  readonly entries = new Map<string, { name: string; ending: Ending; count: number; seconds: number }>();

  note(name: string, ending: Ending, seconds: number): void {
    const key = `${ending} ${name}`;
    let entry = this.entries.get(key);
    if (entry === undefined) this.entries.set(key, (entry = { name, ending, count: 0, seconds: 0 }));
    entry.count++;
    entry.seconds += seconds;
  }
}
