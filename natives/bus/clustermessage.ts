/** Name of the service of the first process of `--workers` that passes messages between workers. */
export const BUS_SERVICE = 'bus';

/** What a worker sends. `packs` alternates topics and texts. */
export type FromWorker =
  | { readonly origin: string }
  | { readonly subscribe: readonly string[] }
  | { readonly unsubscribe: string }
  | { readonly packs: readonly string[] }
  /** A question that is answered after all messages before it. */
  | { readonly flush: true };

/** What a worker receives. */
export type ToWorker =
  | { readonly packs: readonly string[] }
  /** The worker with this origin has ended. */
  | { readonly ended: string }
  /** Messages to this worker were dropped, because it did not read them. */
  | { readonly dropped: number };
