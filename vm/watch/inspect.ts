import type { Fiber } from '../fibers/fiber.js';
import { traceOf } from '../traces/trace.js';
import type { VM } from '../vm.js';

/** All live threads as text: state, reason for waiting, age, number of slices, and backtrace. */
export function describeThreads(vm: VM): string {
  const fibers = [...vm.scheduler.live];
  const blocks = fibers.map((fiber) => describe(fiber, vm.host.now()));
  return `${fibers.length} thread${fibers.length === 1 ? '' : 's'}\n${blocks.join('')}`;
}

function describe(fiber: Fiber, now: number): string {
  const { id, name, state, waitsFor, slices, startedAt, frame } = fiber;
  const doing = state === 'waiting' ? `waiting for ${waitsFor}` : state;
  const head = `thread ${id} ${name}: ${doing}, ${((now - startedAt) / 1000).toFixed(1)} s old, ${slices} slice${slices === 1 ? '' : 's'}\n`;
  const places = frame === null ? [] : traceOf(frame, frame.pc);
  return head + places.map(({ file, line, name: fn }) => `  ${file}:${line} in ${fn}\n`).join('');
}
