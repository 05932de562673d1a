import type { TraceLine } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Value } from '../../vm/values/value.js';
import { Router } from './router.js';
import { defaultSettings, type Settings } from './settings.js';

export const APP = new HandleType('SvcApp');

/** A registered route. */
export interface Route {
  method: string;
  pattern: string;
  handler: Value;
  /** Where the program registered it. */
  place: TraceLine | null;
}

/** An application: what `web_app()` makes and the registration functions fill. */
export class App extends Handle {
  readonly router = new Router<Route>();
  readonly routes: Route[] = [];
  readonly middleware: Value[] = [];
  readonly before: Value[] = [];
  readonly after: Value[] = [];
  notFound: Value = null;
  onError: Value = null;
  readonly settings: Settings = defaultSettings();

  get type(): HandleType {
    return APP;
  }
}
