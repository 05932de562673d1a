import type { Fiber } from '../../../vm/fibers/fiber.js';
import { linesOf, type Place } from '../../../vm/traces/trace.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Work } from '../../core/work.js';
import type { ThreadData, Threads } from './data.js';

/** Maximum number of threads shown, and of those that are not waiting among them. */
const MAX_SHOWN = 100;
const MAX_READY = 50;
/** Maximum number of functions shown of a stack, and of frames read for them. */
const MAX_STACK = 20;
const MAX_FRAMES = 100;
const MAX_WAITS = 20;
/** Names of threads that begin a request, a WebSocket or a job. Other threads of the same work are started by these. */
const OF_WORK: ReadonlySet<string> = new Set(['request', 'websocket', 'job']);

/** Returns the threads of a VM: counts of all; details of those that are not waiting, and of the oldest. */
export function threadsOf(vm: NativeContext): Threads {
  const { live, stats, maxFibers } = vm.scheduler;
  const waits = new Map<string, number>();
  const busy: Fiber[] = [];
  const waiting: Fiber[] = [];
  let ready = 0;
  for (const fiber of live) {
    if (fiber.state === 'waiting') {
      waits.set(fiber.waitsFor, (waits.get(fiber.waitsFor) ?? 0) + 1);
      if (waiting.length < MAX_SHOWN) waiting.push(fiber);
    } else {
      ready++;
      if (busy.length < MAX_READY) busy.push(fiber);
    }
  }
  const now = vm.host.now();
  return {
    total: live.size,
    limit: maxFibers,
    ready,
    waiting: live.size - ready,
    started: stats.started,
    waits: [...waits]
      .map(([what, count]) => ({ what, count }))
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_WAITS),
    shown: [...busy, ...waiting].slice(0, MAX_SHOWN).map((fiber) => threadOf(fiber, now)),
  };
}

function threadOf(fiber: Fiber, now: number): ThreadData {
  const { id, state, waitsFor, startedAt, watch } = fiber;
  const work = (fiber.context as Partial<Work> | null)?.label ?? '';
  return {
    id,
    label: work === '' ? fiber.name : OF_WORK.has(fiber.name) ? work : `${fiber.name} of ${work}`,
    state,
    waitsFor,
    // Of a wait that began before the inspector was loaded, only the thread's start is known.
    waited: state === 'waiting' ? now - Math.max(watch?.waitsSince ?? 0, startedAt) : 0,
    age: now - startedAt,
    steps: watch?.fuelUsed ?? 0,
    stack: stackOf(fiber),
  };
}

function stackOf(fiber: Fiber): string[] {
  const places: Place[] = [];
  for (let frame = fiber.frame; frame !== null && places.length < MAX_FRAMES; frame = frame.parent)
    places.push({ fn: frame.fn, pc: frame.pc });
  const lines = linesOf(places).map(({ file, line, name }) => `${file}:${line} in ${name}`);
  const omitted = Math.max(0, lines.length - MAX_STACK) + Math.max(0, fiber.depth - places.length);
  return omitted === 0 ? lines : [...lines.slice(0, MAX_STACK), `… ${omitted} more`];
}
