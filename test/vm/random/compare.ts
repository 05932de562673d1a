import { SvcError } from '../../../vm/values/error.js';
import { machine, type Machine, start } from '../support/machine.js';
import { slowNatives } from '../support/slow.js';
import type { RandomProgram } from './generator.js';
import { runtime, SvcTwinError } from './runtime.js';

/** Output lines of a program, then its uncaught error. */
export type Behaviour = string[];

/** Runs the JavaScript twin. */
export function runTwin({ js }: RandomProgram): Behaviour {
  const lines: string[] = [];
  // eslint-disable-next-line no-new-func -- the twin was written by the generator beside this file
  const body = new Function('$', 'puts', 'later', js) as (...args: unknown[]) => void;
  try {
    body(
      runtime,
      (line: string) => lines.push(line),
      (value: unknown) => value,
    );
  } catch (error) {
    if (!(error instanceof SvcTwinError)) throw error;
    lines.push(`uncaught ${error.text()}`);
  }
  return lines;
}

/** Errors whose messages are compared. The twin does not know those of built-in errors. */
const OWN = new Set(['RuntimeError', 'Oops']);

/** One machine for each mode, because creating machines would take longer than running the programs. */
const machines = new Map<string, Machine>();

function machineFor(slice: number, jit: number | null): Machine {
  const key = `${slice} ${jit}`;
  let made = machines.get(key);
  // Remaining threads of a program must not affect the next one.
  if (made === undefined || made.vm.scheduler.live.size > 0)
    machines.set(key, (made = machine({ slice, jit, natives: slowNatives })));
  return made;
}

/** Runs the Svc program with slices of a length, compiled after `jit` calls or (null) interpreted. */
export function runSvc({ svc }: RandomProgram, slice: number, jit: number | null): Behaviour {
  const made = machineFor(slice, jit);
  const fiber = start(made, svc);
  made.host.runAll();
  const lines = made.host.lines();
  const { outcome } = fiber;
  if (outcome === null) lines.push('never ended');
  else if (!outcome.ok) {
    const { error } = outcome;
    const text =
      error instanceof SvcError
        ? OWN.has(error.value.type.name)
          ? `${error.value.type.name}: ${error.value.message}`
          : error.value.type.name
        : `signal ${error.kind}`;
    lines.push(`uncaught ${text}`);
  }
  return lines;
}

/** First line in which two behaviours differ, or null. */
export function difference(expected: Behaviour, got: Behaviour): string | null {
  for (let i = 0; i < Math.max(expected.length, got.length); i++) {
    if (expected[i] !== got[i])
      return `line ${i + 1}: expected ${JSON.stringify(expected[i])}, got ${JSON.stringify(got[i])}`;
  }
  return null;
}
