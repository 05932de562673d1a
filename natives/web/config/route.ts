import type { TraceLine } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { Position } from './level.js';
import type { Declared } from '../validation/declared.js';

/** A route as shown in lists of routes. */
export interface ListedRoute {
  method: string;
  pattern: string;
  /** Where the program registered it. */
  place: TraceLine | null;
  /** What is around it besides the application, outermost first. */
  levels: readonly Position[];
}

/** A registered route. */
export interface Route extends ListedRoute {
  handler: Value;
  /** Whether the handler continues after its client has disconnected. */
  finish: boolean;
  /** Whether the handler receives the body as it arrives. */
  streamsBody: boolean;
  /** What the route declares about its requests and answers; undefined if nothing. */
  declared?: Declared;
}
