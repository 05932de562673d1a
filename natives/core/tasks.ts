import { ModuleState } from '../../vm/calls/modulestate.js';
import type { Fiber, Thrown } from '../../vm/fibers/fiber.js';
import { isExit } from '../../vm/values/error.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/**
 * Errors of spawned threads that have not been awaited. If the task is still referenced it may be awaited later, so its
 * error is reported when the task is garbage-collected or at the end of the program. Other errors are reported at once.
 * The garbage collector is asked only about tasks of threads that have failed: such a request takes over 70 bytes.
 */
export class Tasks {
  private readonly unheard = new Map<Fiber, Thrown>();
  private readonly registry = new FinalizationRegistry<Fiber>((fiber) => this.dropped(fiber));
  /** Receives errors in place of the report; returns false for an error that is to be reported. */
  catcher: ((fiber: Fiber, error: Thrown) => boolean) | null = null;

  /**
   * @param collects whether an error is reported when its task is garbage-collected; false for seeded runs, since that
   * moment is not deterministic
   */
  constructor(
    private readonly report: (fiber: Fiber, error: Thrown) => void,
    private readonly collects: boolean,
  ) {}

  /** Records that the program holds the task `handle` of `fiber`. */
  track(fiber: Fiber, handle: object): void {
    fiber.task = handle;
  }

  /** Records that a thread awaits `fiber`, so that its error reaches the program. */
  awaited(fiber: Fiber): void {
    fiber.task = null;
    this.unheard.delete(fiber);
  }

  /** Called when `fiber` has failed and no thread is waiting for it. */
  failed(fiber: Fiber, error: Thrown): void {
    const { task } = fiber;
    if (task === null || isExit(error)) return this.tell(fiber, error);
    // The fiber is held until its task is dropped, so it must not hold the task.
    fiber.task = null;
    this.unheard.set(fiber, error);
    if (this.collects) this.registry.register(task, fiber);
  }

  /** Reports the remaining errors of threads whose number is at least `first`; without it all, at the program's end. */
  flush(first = 0): void {
    for (const fiber of [...this.unheard.keys()]) if (fiber.id >= first) this.dropped(fiber);
  }

  private tell(fiber: Fiber, error: Thrown): void {
    if (this.catcher?.(fiber, error) !== true) this.report(fiber, error);
  }

  private dropped(fiber: Fiber): void {
    const error = this.unheard.get(fiber);
    if (error === undefined) return;
    this.unheard.delete(fiber);
    this.tell(fiber, error);
  }
}

/** The tasks of a VM. */
export const TASKS = new ModuleState<Tasks, NativeContext>((vm) => {
  const tasks = new Tasks(vm.onUnhandled, !vm.seeded);
  vm.onUnhandled = (fiber, error) => tasks.failed(fiber, error);
  return tasks;
});
