import type { MethodTables } from '../../calls/members.js';
import type { CodeShelf } from '../../interpreter/tier.js';
import { FieldCache, type Fn, type Linkage, type ShapeSlot } from '../../values/function.js';
import { NO_SHAPE, type Shape } from '../../values/hash.js';
import type { Generated } from '../emit/generator.js';
import { References, type Reference } from './references.js';

/** A program whose generated code is kept, and where. */
export interface KeptProgram {
  program: Linkage;
  shelf: CodeShelf;
}

/** Code of a function that is entered at its start (−1) or at the head of a loop. */
interface KeptEntry {
  entry: number;
  source: string;
  pcs: readonly number[];
  values: readonly Reference[];
}

/** What is stored of a function: its code, and what had been seen before it was generated. */
interface KeptFunction {
  code: KeptEntry[];
  /** Feedback other than 0, by address. */
  feedback: readonly (readonly [pc: number, seen: number])[];
  caches: readonly KeptCache[];
  boxedAtLoops: readonly string[];
  deopts: number;
  noFloats: boolean;
}

/** A FieldCache. `shapes`: all shapes seen if `isList`, else only the last one. */
interface KeptCache {
  pc: number;
  shapes: readonly (readonly [shape: Reference, slot: number, ofRecord: boolean])[];
  isList: boolean;
  isFloat: boolean;
  tested: number;
}

/** First line of the text on the shelf. The functions follow, one on each line. */
interface Head {
  /** How often code was stored. */
  times: number;
  functions: { index: number; entries: number[] }[];
  /** Code that could not be stored, as `index:entry`. */
  unkept: string[];
}

/** New code is stored this often, then only if it is more than a fraction of what was stored before. */
const ALWAYS_STORED = 4;
const WORTH_STORING = 1 / 8;

/** Functions that the last run stored, each read when it is needed. */
class Stored {
  readonly head: Head;
  private readonly lines: string[];
  private readonly read = new Map<number, KeptFunction>();

  constructor(text: string | null) {
    const [head, ...lines] = text?.split('\n') ?? [];
    this.head = head === undefined ? { times: 0, functions: [], unkept: [] } : (JSON.parse(head) as Head);
    this.lines = lines;
  }

  /** The function with this index; null if nothing is stored of it. */
  at(index: number): KeptFunction | null {
    const line = this.head.functions.findIndex((one) => one.index === index);
    if (line < 0) return null;
    let kept = this.read.get(index);
    if (kept === undefined) this.read.set(index, (kept = JSON.parse(this.lines[line]) as KeptFunction));
    return kept;
  }
}

/**
 * Generated code of a program, kept for its next run. Any generated code tests what it assumes of values, so code that
 * suited the last run is right in every other one.
 */
export class KeptCode {
  private readonly references: References;
  private readonly stored: Stored;
  private readonly indexes: ReadonlyMap<Fn, number>;
  private readonly unkept: Set<string>;
  /** Code in use, by function and entry. */
  private readonly used = new Map<Fn, Map<number, Generated>>();
  private added = 0;

  constructor(
    private readonly program: Linkage,
    tables: MethodTables,
    private readonly shelf: CodeShelf,
  ) {
    this.references = new References(program, tables);
    this.stored = new Stored(shelf.load());
    this.indexes = new Map(program.functions.map((fn, i) => [fn, i]));
    this.unkept = new Set(this.stored.head.unkept);
  }

  /** Functions with stored code, and the heads of loops (−1: their start) that it is for. */
  get entries(): (readonly [fn: Fn, entry: number])[] {
    return this.stored.head.functions.flatMap(({ index, entries }) =>
      entries.map((entry) => [this.program.functions[index], entry] as const),
    );
  }

  /** The stored code of a function, the first time that it is asked for; null if there is none. */
  take(fn: Fn, entry: number): Generated | null {
    const kept = this.stored.at(this.indexes.get(fn) ?? -1);
    const code = kept?.code.find((one) => one.entry === entry);
    if (kept === null || code === undefined || this.used.get(fn)?.has(entry) === true) return null;
    const values = new Map<string, unknown>();
    for (const [i, reference] of code.values.entries()) {
      const value = this.references.from(reference, fn);
      if (value === undefined) return null;
      // As `CodeWriter` names them.
      values.set(`k${i}`, value);
    }
    this.restore(fn, kept);
    return this.use(fn, entry, { source: code.source, pcs: code.pcs, values });
  }

  /** Notes code that was generated in this run. That of functions of the VM is not kept. */
  add(fn: Fn, entry: number, generated: Generated): void {
    const index = this.indexes.get(fn);
    if (index === undefined || this.unkept.has(`${index}:${entry}`)) return;
    this.added++;
    this.use(fn, entry, generated);
  }

  private use(fn: Fn, entry: number, generated: Generated): Generated {
    const entries = this.used.get(fn);
    if (entries === undefined) this.used.set(fn, new Map([[entry, generated]]));
    else entries.set(entry, generated);
    return generated;
  }

  /** Stores the code that was used last of each function, and that of earlier runs that this run did not need. */
  store(): void {
    const { times, functions } = this.stored.head;
    const count = functions.reduce((sum, { entries }) => sum + entries.length, 0);
    if (this.added <= (times < ALWAYS_STORED ? 0 : count * WORTH_STORING)) return;
    const kept = new Map(functions.map(({ index }) => [index, this.stored.at(index) as KeptFunction]));
    for (const [fn, entries] of this.used) {
      const index = this.indexes.get(fn) as number;
      const code = kept.get(index)?.code.filter(({ entry }) => !entries.has(entry)) ?? [];
      for (const [entry, generated] of entries) {
        const values = this.referencesTo(generated.values.values(), fn);
        if (values === null) this.unkept.add(`${index}:${entry}`);
        else code.push({ entry, source: generated.source, pcs: generated.pcs, values });
      }
      if (code.length === 0) kept.delete(index);
      else kept.set(index, { code, ...this.seenBy(fn) });
    }
    const head: Head = {
      times: times + 1,
      functions: [...kept].map(([index, { code }]) => ({ index, entries: code.map(({ entry }) => entry) })),
      unkept: [...this.unkept],
    };
    this.shelf.store([head, ...kept.values()].map((line) => JSON.stringify(line)).join('\n'));
  }

  /** References of the values that code names; null if another process cannot find one of them. */
  private referencesTo(values: Iterable<unknown>, fn: Fn): Reference[] | null {
    const references: Reference[] = [];
    for (const value of values) {
      const reference = this.references.to(value, fn);
      if (reference === undefined) return null;
      references.push(reference);
    }
    return references;
  }

  private seenBy(fn: Fn): Omit<KeptFunction, 'code'> {
    const feedback: [number, number][] = [];
    fn.feedback.forEach((seen, pc) => {
      if (seen !== 0) feedback.push([pc, seen]);
    });
    const caches = fn.caches.flatMap((cache, pc) => (cache === undefined ? [] : (this.cacheAt(cache, pc, fn) ?? [])));
    const { boxedAtLoops, deopts, noFloats } = fn;
    return { feedback, caches, boxedAtLoops: [...boxedAtLoops], deopts, noFloats };
  }

  private cacheAt(
    { shape, slot, ofRecord, shapes, isFloat, tested }: FieldCache,
    pc: number,
    fn: Fn,
  ): KeptCache | null {
    if (shape === NO_SHAPE) return null;
    const known = (shapes ?? [{ shape, slot, ofRecord }]).flatMap((seen): KeptCache['shapes'] => {
      const reference = this.references.to(seen.shape, fn);
      return reference === undefined ? [] : [[reference, seen.slot, seen.ofRecord]];
    });
    return known.length === 0 ? null : { pc, shapes: known, isList: shapes !== null, isFloat, tested };
  }

  /** Gives a function what had been seen of it, for the case that it is compiled again. */
  private restore(fn: Fn, { feedback, caches, boxedAtLoops, deopts, noFloats }: KeptFunction): void {
    for (const [pc, seen] of feedback) fn.feedback[pc] |= seen;
    for (const register of boxedAtLoops) fn.boxedAtLoops.add(register);
    fn.deopts = Math.max(fn.deopts, deopts);
    fn.noFloats ||= noFloats;
    for (const { pc, shapes, isList, isFloat, tested } of caches) {
      const cache = (fn.caches[pc] ??= new FieldCache());
      if (cache.shape !== NO_SHAPE) continue;
      const known = shapes.flatMap(([reference, slot, ofRecord]): ShapeSlot[] => {
        const shape = this.references.from(reference, fn) as Shape | undefined;
        return shape === undefined ? [] : [{ shape, slot, ofRecord }];
      });
      const last = known.at(-1);
      if (last !== undefined) Object.assign(cache, last, { isFloat, tested, shapes: isList ? known : null });
    }
  }
}
