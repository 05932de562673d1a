import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** Parts of the library that add lines to the metrics of an application, in the Prometheus text format. */
export const METRIC_SOURCES = new ModuleState<Map<string, () => string[]>, NativeContext>(() => new Map());

/** What sources need to be read before they are asked. */
export const METRIC_READERS = new ModuleState<Map<string, () => Promise<void>>, NativeContext>(() => new Map());

/** A label's value: escapes backslash, quote and newline. */
export function metricLabel(text: string): string {
  return text.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`));
}
