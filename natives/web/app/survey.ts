import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { App } from './app.js';

/** Called by `app.run` in place of serving, with the address it would listen on; null: serve. */
export const SURVEY = new ModuleState<((app: App, address: string) => void) | null>(() => null);
