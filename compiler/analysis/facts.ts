import type * as Ast from '../ast.js';
import { walkNodes } from '../check/walk.js';
import { nameOfRecord, type ModuleScope } from '../symbols.js';
import { type ArgumentName, occurrencesIn, type Occurrence } from './occurrences.js';
import type { ProgramAnalysis } from './program.js';
import { nameStart, Targets, type Target } from './targets.js';

/** A part of a file. */
export interface Place {
  path: string;
  start: number;
  end: number;
}

/** Answers what the names of a program stand for, by their offsets. */
export class Facts {
  readonly targets = new Targets();
  private readonly byModule = new Map<ModuleScope, ReturnType<typeof occurrencesIn>>();

  constructor(readonly program: ProgramAnalysis) {
    const { resolution, modules } = program;
    // Fields and parameters first: other names reach them through their variables.
    for (const module of modules)
      for (const symbol of module.symbols.values())
        if (symbol.kind === 'def' && symbol.node.type === 'RecordDecl') this.fields(symbol.node, module);
    for (const [node, symbol] of resolution.symbols)
      if (symbol.kind === 'variable' && 'annotation' in node) this.targets.variable(symbol.variable, node as Ast.Param);
  }

  private fields(node: Ast.RecordDecl, module: ModuleScope): void {
    for (const field of node.fields) {
      const symbol = this.program.resolution.symbols.get(field);
      if (symbol?.kind === 'variable') this.targets.field(field, module, nameOfRecord(node), symbol.variable);
    }
  }

  /** The names in a file in the order of their offsets. */
  occurrences(module: ModuleScope): readonly Occurrence[] {
    return this.names(module).occurrences;
  }

  /** The names of arguments in a file, in an order that depends on the form of its statements alone. */
  argumentNames(module: ModuleScope): readonly ArgumentName[] {
    return this.names(module).argumentNames;
  }

  private names(module: ModuleScope): ReturnType<typeof occurrencesIn> {
    const known = this.byModule.get(module);
    if (known !== undefined) return known;
    const found = occurrencesIn(this.program, this.targets, module);
    this.byModule.set(module, found);
    return found;
  }

  /** The name at an offset: of two that touch there, the one that starts there. */
  at(module: ModuleScope, offset: number): Occurrence | null {
    const found = this.occurrences(module);
    let low = 0;
    let high = found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (found[middle].start <= offset) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= Math.max(0, low - 2); i--) {
      // The variable of a short form is more likely meant than the key.
      const occurrence = found[i].short === 'key' && found[i - 1]?.start === found[i].start ? found[i - 1] : found[i];
      if (offset <= occurrence.end) return occurrence;
    }
    return null;
  }

  /** Where a target is declared; null for names of the library and unknown ones. */
  declaration(target: Target): Place | null {
    const { module, name, kind } = target;
    if (module === null) return null;
    if (kind === 'file') return { path: module.path, start: 0, end: 0 };
    // The place of a variable is known once its file has been read.
    if (target.start < 0) this.occurrences(module);
    return target.start < 0 ? null : { path: module.path, start: target.start, end: target.start + name.length };
  }

  /** The function that a parameter belongs to; the name of a lambda is empty. Null for parameters of blocks. */
  functionOf({ module, start, param }: Target): { name: string; params: readonly Ast.Param[] } | null {
    if (module === null || param === null) return null;
    let found: Ast.Def | Ast.Lambda | null = null;
    walkNodes(module.tree, ['Def', 'Lambda'], (node) => {
      if (node.params.some((other) => nameStart(other) === start)) found ??= node;
    });
    const node = found as Ast.Def | Ast.Lambda | null;
    return node === null ? null : { name: node.type === 'Def' ? node.name.name : '', params: node.params };
  }

  /** All places in a file that stand for a target. */
  references(module: ModuleScope, target: Target): Occurrence[] {
    return this.occurrences(module).filter((occurrence) => occurrence.target === target);
  }

  /** The target that is declared at a place, in terms of this program. */
  declaredAt({ path, start }: Place, kind: Target['kind']): Target | null {
    const module = this.program.module(path);
    if (module === null) return null;
    if (kind === 'file') return this.targets.file(module);
    return (
      this.occurrences(module).find(
        (occurrence) =>
          occurrence.start === start && occurrence.target.start === start && occurrence.target.kind === kind,
      )?.target ?? null
    );
  }
}
