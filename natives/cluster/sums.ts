/** Sums of metrics in the Prometheus text format 0.0.4. */

/** The samples of one metric, with its comment lines. */
interface Family {
  readonly comments: string[];
  type: string;
  readonly samples: Map<string, number>;
}

/** Gauges that all processes read from the same database, and so must not be added. */
const SHARED_GAUGES: ReadonlySet<string> = new Set(['svc_jobs']);

/**
 * Adds up the metrics of several processes: counters, histograms and gauges. For quantiles and shared gauges, the
 * result is the largest value.
 */
export class MetricSums {
  private readonly families = new Map<string, Family>();

  /** Adds metrics. @param only `counters`: leave gauges and quantiles out, because their process has ended */
  add(text: string, only: 'all' | 'counters' = 'all'): void {
    let name = '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      if (line.startsWith('# ')) name = this.addComment(line);
      else this.addSample(name, line, only);
    }
  }

  private addComment(line: string): string {
    const [, kind, name, type] = line.split(' ', 4);
    const family = this.familyOf(name);
    if (!family.comments.includes(line)) family.comments.push(line);
    if (kind === 'TYPE') family.type = type;
    return name;
  }

  private addSample(comment: string, line: string, only: 'all' | 'counters'): void {
    const space = line.lastIndexOf(' ');
    const key = line.slice(0, space);
    const value = Number(line.slice(space + 1));
    const name = /^\w+/.exec(key)?.[0] ?? '';
    const family = this.familyOf(comment !== '' && name.startsWith(comment) ? comment : name);
    const isLargest = /[{,]quantile="/.test(key) || SHARED_GAUGES.has(name);
    if (only === 'counters' && (isLargest || family.type === 'gauge' || family.type === '')) return;
    const before = family.samples.get(key);
    if (before === undefined) family.samples.set(key, value);
    else family.samples.set(key, isLargest ? Math.max(before, value) : before + value);
  }

  private familyOf(name: string): Family {
    let family = this.families.get(name);
    if (family === undefined) this.families.set(name, (family = { comments: [], type: '', samples: new Map() }));
    return family;
  }

  text(): string {
    const lines: string[] = [];
    for (const { comments, samples } of this.families.values()) {
      if (samples.size === 0) continue;
      lines.push(...comments, ...[...samples].map(([key, value]) => `${key} ${value}`));
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }
}
