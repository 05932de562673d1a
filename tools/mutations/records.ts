import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Verdict } from './copy.js';
import type { Mutation } from './mutation.js';

/** The verdicts of earlier runs, in a file that is written after each mutation: a run can be interrupted and resumed. */
export class Records {
  readonly #verdicts: Record<string, Verdict>;

  constructor(private readonly path: string) {
    this.#verdicts = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Verdict>) : {};
  }

  of(mutation: Mutation): Verdict | null {
    return this.#verdicts[JSON.stringify(mutation)] ?? null;
  }

  add(mutation: Mutation, verdict: Verdict): void {
    this.#verdicts[JSON.stringify(mutation)] = verdict;
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, JSON.stringify(this.#verdicts));
  }
}
