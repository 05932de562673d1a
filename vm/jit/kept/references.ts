import type { MethodTables } from '../../calls/members.js';
import { paramsOf, quickForm } from '../../calls/native.js';
import { RECEIVERS } from '../../interpreter/feedback.js';
import { DeoptExit, SuspendExit } from '../../interpreter/suspension.js';
import { Closure, FieldCache, NativeFunction, type Fn, type Linkage } from '../../values/function.js';
import { HandleType } from '../../values/handle.js';
import { Shape } from '../../values/hash.js';
import { Range, RecordType } from '../../values/structured.js';
import { TypeValue } from '../../values/types.js';
import { ABSENT } from '../../values/value.js';
import { KeyCache } from '../keycache.js';

/**
 * A value that generated code names, for another process that runs the same program: a text, number, Boolean or nil as
 * it is, anything else as the kind of the reference and its parts.
 */
export type Reference = string | number | boolean | null | readonly [kind: string, ...parts: readonly unknown[]];

/** Functions of a native that generated code calls, by the names of their references. */
const PARTS: Readonly<Record<string, (native: NativeFunction) => unknown>> = {
  impl: (native) => native.impl,
  quick: quickForm,
  double: (native) => native.onDouble,
};

/** Kinds of values whose methods generated code calls directly. */
const KINDS = [...Object.keys(RECEIVERS), 'Enum', 'Type'];

/** Refers to values of one program. Where there is no reference, or it leads to another value, code cannot be kept. */
export class References {
  /** References by what they lead to; empty until one is needed. */
  private readonly known = new Map<unknown, Reference>();
  /** Types of handles whose methods are known. */
  private readonly listed = new Set<HandleType>();

  constructor(
    private readonly program: Linkage,
    private readonly tables: MethodTables,
  ) {}

  /** The reference of a value in the code of `fn`; undefined if there is none. */
  to(value: unknown, fn: Fn): Reference | undefined {
    if (isPlain(value)) return value;
    if (value instanceof DeoptExit) return value.fn === fn ? ['exit', value.pc, value.live, value.register] : undefined;
    if (value instanceof SuspendExit)
      return value.fn === fn ? ['suspension', value.pc, value.places, value.weight, value.isEntry] : undefined;
    if (value instanceof KeyCache) return ['keys', value.pc, value.kinds];
    if (value instanceof Range)
      return isPlain(value.lo) && isPlain(value.hi) ? ['range', value.lo, value.hi, value.exclusive] : undefined;
    const found = this.find(value) ?? described(value, fn);
    return found !== undefined && this.from(found, fn) === value ? found : undefined;
  }

  /** The value of a reference; undefined if this program does not have it. */
  from(reference: Reference, fn: Fn): unknown {
    if (!Array.isArray(reference)) return reference;
    const [kind, a, b, c, d] = reference as [string, ...never[]];
    const { constants, natives, types, functions, slots } = this.program;
    switch (kind) {
      case 'exit':
        return new DeoptExit(fn, a, b, c);
      case 'suspension':
        return new SuspendExit(fn, a, b, c, d);
      case 'keys':
        return new KeyCache(fn, a, b);
      case 'field':
        return a in fn.caches ? (fn.caches[a] ??= new FieldCache()) : undefined;
      case 'range':
        return new Range(a, b, c);
      case 'shape':
        return Shape.of(a) ?? undefined;
      case 'fields':
        return (types[a] as RecordType | undefined)?.shape ?? undefined;
      case 'constant':
        return constants[a];
      case 'native':
        return natives[a];
      case 'type':
        return types[a];
      case 'function':
        return functions[a];
      case 'entry':
        return functions[a]?.entry;
      case 'closure':
        return closureOf(functions[a]);
      case 'method':
        return (types[a] as RecordType | undefined)?.methods?.get(b);
      case 'slots':
        return slots;
      case 'absent':
        return ABSENT;
      case 'builtin':
        return this.tables.table(a).get(b);
      case 'handle':
        return HandleType.loaded.get(a);
      case 'of handle':
        return HandleType.loaded.get(a)?.methods.get(b);
      case 'static':
        return staticsOf(this.from(a, fn))?.get(b);
      default:
        return partOf(kind, this.from(a, fn), b);
    }
  }

  /** The reference of a value of the program or the library. */
  private find(value: unknown): Reference | undefined {
    if (this.known.size === 0) this.list();
    if (value instanceof HandleType && !this.listed.has(value)) {
      // Code names the type of a handle before its methods.
      this.listed.add(value);
      this.add(value, ['handle', value.name]);
      for (const [name, method] of value.methods) this.addNative(method, ['of handle', value.name, name]);
    }
    return this.known.get(value);
  }

  /** Lists what the program and the library have. */
  private list(): void {
    const { constants, natives, types, functions, slots } = this.program;
    this.add(slots, ['slots']);
    this.add(ABSENT, ['absent']);
    constants.forEach((value, i) => this.add(value, ['constant', i]));
    functions.forEach((fn, i) => {
      this.add(fn, ['function', i]);
      this.add(fn.entry, ['entry', i]);
      this.add(fn.self, ['closure', i]);
    });
    types.forEach((type, i) => {
      this.add(type, ['type', i]);
      if (!(type instanceof RecordType)) return;
      this.add(type.shape, ['fields', i]);
      for (const [name, method] of type.methods ?? []) this.add(method, ['method', i, name]);
    });
    natives.forEach((value, i) => {
      if (value instanceof NativeFunction) this.addNative(value, ['native', i]);
      else this.add(value, ['native', i]);
      for (const [name, method] of staticsOf(value) ?? []) this.addNative(method, ['static', ['native', i], name]);
    });
    for (const kind of KINDS)
      for (const [name, method] of this.tables.table(kind)) this.addNative(method, ['builtin', kind, name]);
  }

  private add(value: unknown, reference: Reference): void {
    if (value !== undefined && value !== null && !this.known.has(value)) this.known.set(value, reference);
  }

  /** Adds a native and its functions that generated code calls. */
  private addNative(native: NativeFunction, reference: Reference): void {
    this.add(native, reference);
    for (const [name, part] of Object.entries(PARTS)) this.add(part(native), [name, reference]);
    native.params?.forEach(({ check }, i) => this.add(check, ['check', reference, i]));
  }
}

/** Texts that are longer are constants of the program. */
const MAX_TEXT = 64;

/** Whether a value is its own reference: JSON has it as it is. */
function isPlain(value: unknown): value is string | number | boolean | null {
  if (typeof value === 'string') return value.length <= MAX_TEXT;
  return value === null || typeof value === 'boolean' || (Number.isFinite(value) && !Object.is(value, -0));
}

/** The reference of a value that others of its kind do not contain. */
function described(value: unknown, fn: Fn): Reference | undefined {
  if (value instanceof FieldCache) return ['field', fn.caches.indexOf(value)];
  return value instanceof Shape ? ['shape', value.keys] : undefined;
}

function closureOf(fn: Fn | undefined): Closure | undefined {
  return fn === undefined ? undefined : (fn.self ??= new Closure(fn, []));
}

function staticsOf(value: unknown): ReadonlyMap<string, NativeFunction> | null {
  return value instanceof HandleType || value instanceof TypeValue ? value.statics : null;
}

function partOf(name: string, native: unknown, i: number): unknown {
  if (!(native instanceof NativeFunction)) return undefined;
  return name === 'check' ? paramsOf(native)[i]?.check : PARTS[name]?.(native);
}
