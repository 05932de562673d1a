import type { NativeContext } from '../../vm/nativecontext.js';
import { METRIC_SOURCES, metricLabel } from '../core/metricsources.js';
import { DATABASES } from './database.js';

/** Lets the metrics of an application show connections and statements. */
export function reportMetrics(vm: NativeContext): void {
  METRIC_SOURCES.of(vm).set('databases', () => lines(vm));
}

function lines(vm: NativeContext): string[] {
  const databases = [...DATABASES.of(vm)].filter(({ opened }) => opened !== null);
  if (databases.length === 0) return [];
  const connections: string[] = [];
  const waiting: string[] = [];
  const times: string[] = [];
  for (const { label, opened, latencies } of databases) {
    const database = `database="${metricLabel(label)}"`;
    const stats = opened?.stats() ?? { connections: 0, waiting: 0 };
    connections.push(`svc_database_connections{${database}} ${stats.connections}`);
    waiting.push(`svc_database_waiting{${database}} ${stats.waiting}`);
    for (const [sql, { count, seconds }] of latencies.statements) {
      const key = `{${database},statement="${metricLabel(sql)}"}`;
      times.push(`svc_database_seconds_sum${key} ${seconds}`, `svc_database_seconds_count${key} ${count}`);
    }
  }
  return [
    '# HELP svc_database_connections Open connections to databases.',
    '# TYPE svc_database_connections gauge',
    ...connections,
    '# HELP svc_database_waiting Operations that wait for a connection.',
    '# TYPE svc_database_waiting gauge',
    ...waiting,
    '# HELP svc_database_seconds Time of statements, by their text; the empty one stands for all further texts.',
    '# TYPE svc_database_seconds summary',
    ...times,
  ];
}
