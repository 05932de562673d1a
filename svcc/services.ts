import type { LoadService } from '../natives/cluster/services.js';

/** The services of the first process of `svcc run --workers`, by the names that workers use. */
export const SERVICES: Readonly<Record<string, LoadService>> = {
  bus: async () => new (await import('../natives/bus/clusterservice.js')).BusService(),
  metrics: async () => new (await import('../natives/cluster/metricsservice.js')).MetricsService(),
  keystore: async () => new (await import('../natives/keystore/storeservice.js')).StoreService(),
};
