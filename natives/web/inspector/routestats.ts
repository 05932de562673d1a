import { type LatencyCounts, percentile, RecentLatencies } from './latencies.js';
import { Rate } from './rate.js';
import type { RouteData } from './data.js';

/** Lowest status that counts as a failure: 499 means that the client disconnected before the response. */
const FAILED = 499;

/** Counters of one route. */
export class RouteStats {
  total = 0;
  private failed = 0;
  private steps = 0;
  private mostSteps = 0;
  private readonly rate = new Rate();
  private readonly latencies = new RecentLatencies();

  constructor(private readonly label: string) {}

  /** Counts an answered request. @param now monotonic milliseconds */
  add(status: number, startedAt: number, steps: number, now: number): void {
    this.total++;
    if (status >= FAILED) this.failed++;
    this.steps += steps;
    if (steps > this.mostSteps) this.mostSteps = steps;
    this.rate.add(now);
    this.latencies.add(now - startedAt, now);
  }

  /**
   * Returns the counters.
   * @param underWay number of requests without a response @param begun when counting began, in monotonic milliseconds
   */
  data(underWay: number, now: number, begun: number): RouteData {
    const latencies: LatencyCounts = this.latencies.counts(now);
    return {
      route: this.label,
      total: this.total,
      failed: this.failed,
      perSecond: this.rate.perSecond(now, begun),
      underWay,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      latencies,
      steps: this.steps,
      mostSteps: this.mostSteps,
    };
  }
}
