import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { Value } from '../../../vm/values/value.js';
import type { App } from './app.js';

/** What inspects the applications of a program. */
export interface Inspection {
  /** Observes the requests of an application; repeated calls do nothing. */
  watch(app: App): void;
  /** Whether the handler of a route answers with the page of the inspection or its data. */
  owns(handler: Value): boolean;
  /** Announces to `svcc top` that an application listens on `port`. Returns a function that takes it back. */
  listens(app: App, port: number): () => void;
}

/** Set by the first `app.inspect` of a program. */
export const INSPECTION = new ModuleState<Inspection | null>(() => null);
