/** Whoever has the state of native modules: a VM. */
interface ModuleOwner {
  readonly modules: Map<object, unknown>;
}

/** Typed state that a native module keeps for each VM. */
export class ModuleState<T, Owner extends ModuleOwner = ModuleOwner> {
  /** @param initial makes the state of a VM that has none yet */
  constructor(private readonly initial: (vm: Owner) => T) {}

  /** The state of `vm`, made when it is first asked for. */
  of(vm: Owner): T {
    const { modules } = vm;
    if (!modules.has(this)) modules.set(this, this.initial(vm));
    return modules.get(this) as T;
  }

  /** Replaces the state of `vm`. */
  set(vm: Owner, state: T): void {
    vm.modules.set(this, state);
  }
}
