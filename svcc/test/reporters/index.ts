import { JsonReporter } from './json.js';
import { JunitReporter } from './junit.js';
import type { Print, Reporter } from './reporter.js';
import { SpecReporter } from './spec.js';
import { TapReporter } from './tap.js';

/** A reporter by its name on the command line. */
export function reporterNamed(name: string, print: Print, hasColours: boolean): Reporter {
  if (name === 'tap') return new TapReporter(print);
  if (name === 'junit') return new JunitReporter(print);
  return name === 'json' ? new JsonReporter(print) : new SpecReporter(print, hasColours);
}
