import type { NativeFunction } from './function.js';

/**
 * The methods of one type. They are made when a method of the type is first looked up: most programs use few of the
 * library's types, and to make all methods would take nearly a tenth of the time of a small program.
 */
export class MethodGroup {
  private made: readonly NativeFunction[] | null = null;

  constructor(
    readonly owner: string,
    private readonly make: () => readonly NativeFunction[],
  ) {}

  get all(): readonly NativeFunction[] {
    return (this.made ??= this.make());
  }
}

/** Declared functions and methods. */
export type Natives = readonly (NativeFunction | MethodGroup)[];

/** All functions and methods among declarations. */
export function allOf(natives: Natives): NativeFunction[] {
  return natives.flatMap((one) => (one instanceof MethodGroup ? one.all : one));
}

/** Methods by name. What is added is made, if it is a group, when the table is next read. */
export class MethodTable {
  private readonly byName = new Map<string, NativeFunction>();
  private waiting: (NativeFunction | MethodGroup)[] = [];

  add(methods: NativeFunction | MethodGroup): void {
    this.waiting.push(methods);
  }

  get methods(): Map<string, NativeFunction> {
    if (this.waiting.length > 0) this.take();
    return this.byName;
  }

  private take(): void {
    // Making methods can fail at the end of the stack: then the next look makes them.
    for (const fn of allOf(this.waiting)) this.byName.set(fn.name, fn);
    this.waiting = [];
  }
}
