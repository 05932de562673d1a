import type { TraceLine } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';

/** A registered route. */
export interface Route {
  method: string;
  pattern: string;
  handler: Value;
  /** Where the program registered it. */
  place: TraceLine | null;
  /** Whether the handler goes on when its client has gone. */
  finish: boolean;
}
