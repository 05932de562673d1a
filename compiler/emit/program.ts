import type * as Ast from '../ast.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { DefSymbol, ModuleScope, Resolution, TypeSymbol, Variable } from '../symbols.js';
import type { Names } from '../resolve/outernames.js';
import type { Constant, FunctionProto, Program } from '../../vm/bytecode/program.js';

/** Collects the parts of a Program while functions are being written. */
export class ProgramBuilder<Table = unknown> {
  readonly program: Program = {
    sources: [],
    constants: [],
    functions: [],
    natives: [],
    types: [],
    slots: [],
    entry: 0,
  };
  protected readonly constants = new Map<string, number>();
  protected readonly natives = new Map<string, number>();
  protected readonly defs = new Map<Ast.Node, number>();
  protected readonly types = new Map<Ast.Node, number>();
  protected readonly mains = new Map<ModuleScope, { fn: number; done: number }>();
  /** Functions that have a number but no code yet. */
  readonly queue: (() => void)[] = [];

  constructor(
    readonly resolution: Resolution,
    public names: Names,
    /** Emitters by node type: see `Emitters` in builder.ts. */
    readonly emitters: Table,
    public diagnostics: Diagnostic[],
  ) {}

  constant(constant: Constant): number {
    const key =
      constant.kind === 'names'
        ? `names ${JSON.stringify(constant.value)}`
        : constant.kind === 'regex'
          ? `regex ${constant.flags} ${constant.source}`
          : `${constant.kind} ${typeof constant.value} ${Object.is(constant.value, -0) ? '-0' : String(constant.value)}`;
    let index = this.constants.get(key);
    if (index === undefined) {
      index = this.program.constants.push(constant) - 1;
      this.constants.set(key, index);
    }
    return index;
  }

  string(value: string): number {
    return this.constant({ kind: 'string', value });
  }

  nameList(names: readonly string[]): number {
    return this.constant({ kind: 'names', value: [...names] });
  }

  native(name: string): number {
    let index = this.natives.get(name);
    if (index === undefined) {
      index = this.program.natives.push(name) - 1;
      this.natives.set(name, index);
    }
    return index;
  }

  slotOf(variable: Variable): number {
    if (variable.slot < 0) variable.slot = this.program.slots.push(variable.name) - 1;
    return variable.slot;
  }

  /**
   * The slot that holds what a name of a session means at present; null for names that keep their meaning, which all
   * have in programs. `module` is where the name is declared, or used if it is unknown.
   */
  slotOfName(_module: ModuleScope, _name: string): number | null {
    return null;
  }

  /** Reserves a function number; `write` writes its code later. */
  reserve(write: (index: number) => void): number {
    const index = this.program.functions.length;
    this.program.functions.push(undefined as unknown as FunctionProto);
    this.queue.push(() => write(index));
    return index;
  }

  /** Writes the code of all functions that have a number. */
  writeAll(): void {
    for (let write = this.queue.shift(); write !== undefined; write = this.queue.shift()) write();
  }

  /** Number of a function known by name. */
  def(symbol: DefSymbol, write: (index: number) => void): number {
    let index = this.defs.get(symbol.node);
    if (index === undefined) {
      index = this.reserve(write);
      this.defs.set(symbol.node, index);
    }
    return index;
  }

  /** Number of a declared type. */
  type(symbol: TypeSymbol, make: () => Program['types'][number]): number {
    let index = this.types.get(symbol.node);
    if (index === undefined) {
      const type = make();
      index = this.program.types.push(type) - 1;
      this.types.set(symbol.node, index);
    }
    return index;
  }

  /** Function and "has run" slot of a file's top level. */
  main(module: ModuleScope, write: (index: number) => void): { fn: number; done: number } {
    let main = this.mains.get(module);
    if (main === undefined) {
      main = { fn: this.reserve(write), done: this.program.slots.push(`file ${module.index} loaded`) - 1 };
      this.mains.set(module, main);
    }
    return main;
  }

  error(code: string, module: ModuleScope, node: Ast.Node, message: string, hint = ''): void {
    this.diagnostics.push({
      code,
      severity: 'error',
      message,
      file: module.path,
      start: node.start,
      end: node.end,
      labels: [],
      hint,
    });
  }
}
