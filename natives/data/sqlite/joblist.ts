import type { Job } from './job.js';

/** Jobs in their order. A linked list: each leaves it in constant time, and usually the first one leaves. */
export class JobList {
  private head: Job | null = null;
  private tail: Job | null = null;
  size = 0;

  get first(): Job | null {
    return this.head;
  }

  add(job: Job): void {
    job.before = this.tail;
    if (this.tail === null) this.head = job;
    else this.tail.after = job;
    this.tail = job;
    this.size++;
  }

  /** The job with an id. Answers come almost in the order of requests, so the first one is the usual result. */
  find(id: number): Job | null {
    let job = this.head;
    while (job !== null && job.request.id !== id) job = job.after;
    return job;
  }

  delete(job: Job): void {
    if (job.before === null && this.head !== job) return;
    if (job.before === null) this.head = job.after;
    else job.before.after = job.after;
    if (job.after === null) this.tail = job.before;
    else job.after.before = job.before;
    job.before = null;
    job.after = null;
    this.size--;
  }

  all(): Job[] {
    const out: Job[] = [];
    for (let job = this.head; job !== null; job = job.after) out.push(job);
    return out;
  }

  /** Removes and returns all jobs. */
  clear(): Job[] {
    const out = this.all();
    for (const job of out) this.delete(job);
    return out;
  }
}
