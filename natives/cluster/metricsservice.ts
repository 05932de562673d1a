import { within } from '../within.js';
import type { Channel } from './channel.js';
import type { SharedService } from './services.js';
import { METRICS, type MetricsMessage } from './metricsmessage.js';
import { MetricSums } from './sums.js';

/** Milliseconds that a worker has to report its metrics, so that a stopped worker does not block a scrape. */
const ANSWER_MS = 1000;

/** The workers with metrics at one path. */
class Scraped {
  /** The last report of each worker. */
  readonly reports = new Map<Channel, string>();
  /** Last reported counters of workers that have ended. They stay in the sums, because counters must not decrease. */
  readonly ended = new MetricSums();
}

/** Adds up the metrics of all workers for the one that received a scrape. */
export class MetricsService implements SharedService {
  private readonly paths = new Map<string, Scraped>();

  receive(message: unknown, from: Channel): unknown {
    const { path, own, isLast } = message as MetricsMessage;
    let scraped = this.paths.get(path);
    if (scraped === undefined) this.paths.set(path, (scraped = new Scraped()));
    if (own === undefined) {
      scraped.reports.set(from, '');
      return undefined;
    }
    scraped.reports.set(from, own);
    return isLast === true ? undefined : this.sum(path, scraped, from);
  }

  left(worker: Channel): void {
    for (const { reports, ended } of this.paths.values()) {
      const report = reports.get(worker);
      if (report === undefined) continue;
      ended.add(report, 'counters');
      reports.delete(worker);
    }
  }

  private async sum(path: string, scraped: Scraped, asker: Channel): Promise<string> {
    const { reports, ended } = scraped;
    const others = [...reports.keys()].filter((channel) => channel !== asker);
    await Promise.all(others.map(async (channel) => this.update(path, reports, channel)));
    const sums = new MetricSums();
    for (const report of reports.values()) sums.add(report);
    sums.add(ended.text(), 'counters');
    return `${sums.text()}# HELP svc_workers Processes whose metrics are added up.\n# TYPE svc_workers gauge\nsvc_workers ${reports.size}\n`;
  }

  /** Asks a worker for its metrics. Keeps its last report if it does not answer in time. */
  private async update(path: string, reports: Map<Channel, string>, channel: Channel): Promise<void> {
    const report = channel.request(METRICS, path).catch(() => null);
    const text = await within(ANSWER_MS, report, () => null);
    if (typeof text === 'string' && reports.has(channel)) reports.set(channel, text);
  }
}
