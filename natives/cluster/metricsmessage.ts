/** The service that adds up the metrics of workers. */
export const METRICS = 'metrics';

/** A worker has metrics at a path; with its own, it asks for the sums of all workers. */
export interface MetricsMessage {
  readonly path: string;
  readonly own?: string;
}
