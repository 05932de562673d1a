import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { EMITTERS } from '../emit/emitters.js';
import type { Emitters } from '../emit/builder.js';
import { ProgramBuilder } from '../emit/program.js';
import type { Names } from '../resolve/outernames.js';
import type { FunctionScope, ModuleScope, Resolution, Variable } from '../symbols.js';

/** Removes the entries of a map whose numbers are `from` or more. */
function forget<T>(map: Map<T, number>, from: number): void {
  for (const [key, index] of map) if (index >= from) map.delete(key);
}

/**
 * The program of a session, to which each input adds. Every top-level name has one slot, whatever it means at present, so that
 * earlier functions find what later inputs define.
 */
export class SessionBuilder extends ProgramBuilder<Emitters> {
  private readonly slots = new Map<string, number>();

  constructor(
    resolution: Resolution,
    private readonly top: FunctionScope,
  ) {
    super(resolution, null as unknown as Names, EMITTERS, []);
  }

  /** Prepares for the next input. */
  begin(names: Names, diagnostics: Diagnostic[]): void {
    this.names = names;
    this.diagnostics = diagnostics;
  }

  override slotOf(variable: Variable): number {
    return variable.scope === this.top.root ? this.slotNamed(variable.name) : super.slotOf(variable);
  }

  override slotOfName({ isInput }: ModuleScope, name: string): number | null {
    // Members of enums and types of literal hashes have no names of their own.
    return isInput && /^\w+[?!]?$/.test(name) ? this.slotNamed(name) : null;
  }

  /** The slot of a top-level name. */
  slotNamed(name: string): number {
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.program.slots.push(name) - 1;
      this.slots.set(name, slot);
    }
    return slot;
  }

  /** The slot of a name that has one. */
  slotIfAny(name: string): number | undefined {
    return this.slots.get(name);
  }

  /** Adds records of this input to the interfaces of earlier ones. */
  extendInterfaces(): void {
    for (const [node, records] of this.resolution.implementers) {
      const index = this.types.get(node);
      const type = index === undefined ? undefined : this.program.types[index];
      if (type?.kind !== 'interface') continue;
      for (const { node: record } of records) {
        const number = this.types.get(record);
        if (number !== undefined && !type.records.includes(number)) type.records.push(number);
      }
    }
  }

  /** Returns a function that removes what has been added since. */
  mark(): () => void {
    const { constants, functions, natives, types, sources } = this.program;
    const lengths = [constants.length, functions.length, natives.length, types.length, sources.length];
    return () => {
      [constants, functions, natives, types, sources].forEach((list, i) => (list.length = lengths[i]));
      forget(this.constants, lengths[0]);
      forget(this.defs, lengths[1]);
      forget(this.natives, lengths[2]);
      forget(this.types, lengths[3]);
      for (const [module, { fn }] of this.mains) if (fn >= lengths[1]) this.mains.delete(module);
      this.queue.length = 0;
    };
  }
}
