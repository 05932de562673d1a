import { ModuleState } from '../../vm/calls/modulestate.js';
import type { Fiber, Thrown } from '../../vm/fibers/fiber.js';
import { Signal } from '../../vm/values/error.js';
import type { VM } from '../../vm/vm.js';

/**
 * Errors of spawned threads that nobody has waited for yet. One whose task is still held may be waited for later, so it is reported when the task
 * is garbage-collected, or at the end of the program; the others at once.
 */
export class Tasks {
  private readonly held = new Set<Fiber>();
  private readonly unheard = new Map<Fiber, Thrown>();
  private readonly registry = new FinalizationRegistry<Fiber>((fiber) => this.dropped(fiber));

  /** @param collects whether an error is reported when its task is garbage-collected, a moment that no seed decides */
  constructor(
    private readonly report: (fiber: Fiber, error: Thrown) => void,
    private readonly collects: boolean,
  ) {}

  /** Somebody holds a handle of `fiber`. */
  track(fiber: Fiber, handle: object): void {
    this.held.add(fiber);
    if (this.collects) this.registry.register(handle, fiber);
  }

  /** Somebody waits for `fiber`, so its error reaches a program. */
  awaited(fiber: Fiber): void {
    this.held.delete(fiber);
    this.unheard.delete(fiber);
  }

  /** `fiber` has failed and nobody waits for it. */
  failed(fiber: Fiber, error: Thrown): void {
    const ends = error instanceof Signal && error.kind === 'exit';
    if (this.held.has(fiber) && !ends) this.unheard.set(fiber, error);
    else this.report(fiber, error);
  }

  /** Reports what is left, at the end of the program. */
  flush(): void {
    for (const fiber of [...this.unheard.keys()]) this.dropped(fiber);
  }

  private dropped(fiber: Fiber): void {
    this.held.delete(fiber);
    const error = this.unheard.get(fiber);
    if (error === undefined) return;
    this.unheard.delete(fiber);
    this.report(fiber, error);
  }
}

/** The tasks of a VM. */
export const TASKS = new ModuleState<Tasks, VM>((vm) => {
  const tasks = new Tasks(vm.onUnhandled, !vm.seeded);
  vm.onUnhandled = (fiber, error) => tasks.failed(fiber, error);
  return tasks;
});
