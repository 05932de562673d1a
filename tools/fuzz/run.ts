import { PROCESS } from '../../natives/core/process.js';
import { installCore } from '../../natives/core/index.js';
import { installDecimal } from '../../natives/decimal/index.js';
import { InvalidBytecode } from '../../vm/bytecode/decode.js';
import type { Program } from '../../vm/bytecode/program.js';
import { watchForDeadlock } from '../../vm/watch/deadlock.js';
import type { Host } from '../../vm/host.js';
import { Signal, SvcError } from '../../vm/values/error.js';
import { VM } from '../../vm/vm.js';

/** Turns of the event loop that a program may run for. */
const TURNS = 40;
/** Safepoints per slice. */
const SLICE = 500;

/**
 * Result of a program: refused by the verifier, or run for a while. A JavaScript error that the VM does not raise
 * itself is rethrown.
 */
export type Fate = 'refused' | 'ended' | 'failed' | 'running';

/** A host whose event loop is turned by hand. Its clock advances with each turn, so that sleeping threads wake. */
class ManualHost implements Host {
  time = 0;
  private queue: (() => void)[] = [];
  private timers: { at: number; callback: () => void }[] = [];

  now = (): number => this.time;
  wallClock = (): number => this.time;
  heap = (): { used: number; limit: number } => ({ used: 0, limit: Infinity });
  collect = (): void => {};
  random = (): number => 0.5;
  stdout = (): void => {};
  stderr = (): void => {};

  defer(callback: () => void): void {
    this.queue.push(callback);
  }

  setTimer(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((other) => other !== timer));
  }

  turn(): void {
    this.time += 1000;
    const due = this.timers.filter(({ at }) => at <= this.time);
    this.timers = this.timers.filter(({ at }) => at > this.time);
    const queue = this.queue;
    this.queue = [];
    for (const { callback } of due) callback();
    for (const callback of queue) callback();
  }
}

/** Links and runs a program for a while, on a VM with the core library only: no files, no network. */
export function runForAWhile(program: Program): Fate {
  const host = new ManualHost();
  const vm = new VM(host, { slice: SLICE, maxDepth: 200 });
  installCore(vm);
  installDecimal(vm);
  watchForDeadlock(vm);
  let fate: Fate = 'running';
  vm.report = () => {};
  PROCESS.set(vm, { args: [], env: {} });
  try {
    const linked = vm.link(program);
    vm.spawn('main', vm.closureOf(linked.entry), []).onEnd(({ ok }) => (fate = ok ? 'ended' : 'failed'));
  } catch (error) {
    if (error instanceof InvalidBytecode) return 'refused';
    if (error instanceof SvcError || error instanceof Signal) return 'failed';
    throw error;
  }
  for (let turn = 0; turn < TURNS && vm.scheduler.live.size > 0; turn++) host.turn();
  return fate;
}
