import type { NativeContext } from '../../vm/nativecontext.js';
import { METRIC_SOURCES, metricLabel } from '../core/metricsources.js';
import { type Resource, RESOURCES } from '../core/resources.js';
import { type Database, DATABASES } from './database.js';

/** Lets the metrics and the inspector of an application show connections and statements. */
export function reportMetrics(vm: NativeContext): void {
  RESOURCES.of(vm).set('databases', () => resources(vm));
  METRIC_SOURCES.of(vm).set('databases', () => lines(vm));
}

function openDatabases(vm: NativeContext): Database[] {
  return [...DATABASES.of(vm)].filter(({ opened }) => opened !== null);
}

function resources(vm: NativeContext): Resource[] {
  return openDatabases(vm).map(({ label, opened, latencies }) => {
    const { connections, waiting } = opened?.stats() ?? { connections: 0, waiting: 0 };
    const statements = [...latencies.statements.values()];
    return {
      name: label,
      connections,
      waiting,
      operations: statements.reduce((sum, { count }) => sum + count, 0),
      seconds: statements.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  });
}

function lines(vm: NativeContext): string[] {
  const databases = openDatabases(vm);
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
