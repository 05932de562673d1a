/** Name of the service that adds up the metrics of workers. */
export const METRICS = 'metrics';

/**
 * What a worker sends: the path of its metrics. With `own`, its metrics, it asks for the sums of all workers, or reports
 * them before it ends.
 */
export interface MetricsMessage {
  readonly path: string;
  readonly own?: string;
  readonly isLast?: true;
}
