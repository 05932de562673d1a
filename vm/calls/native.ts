import { nearest } from '../bytecode/nearest.js';
import type { Caller } from './caller.js';
import { Errors, fail } from '../values/error.js';
import { NativeFunction, type NameList, type NativeParam } from '../values/function.js';
import { Hash } from '../values/hash.js';
import { BUILTIN_TYPES, typeName } from '../values/types.js';
import { Float, type Value } from '../values/value.js';

/**
 * Declares a native function. `signature` lists its parameters: `text: String, width: Integer, pad: String = " "`.
 * `*rest: T` takes further positional arguments, `**options` named ones as a Hash, `&block: Function` a block or a
 * function. Types are names of built-in types or handles, joined by `|`, with `?` for "or nil"; `Any` accepts every
 * value. `impl` receives the VM and the checked arguments.
 */
export function native(
  name: string,
  signature: string,
  result: string,
  doc: string,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see NativeFunction.impl
  impl: (...args: any[]) => Value | undefined | void,
): NativeFunction {
  return new NativeFunction(name, signature, result, doc, impl);
}

/**
 * Names a native in messages as programs call it.
 * @param before number of arguments that the compiler adds before those of the program
 * @param after number of those that it adds after them
 */
export function writtenAs(name: string, fn: NativeFunction, before = 0, after = 0): NativeFunction {
  fn.written = { name, before, after };
  return fn;
}

/** The parameters for which programs write arguments. */
export function writtenParams(fn: NativeFunction): NativeParam[] {
  const params = paramsOf(fn);
  return fn.written === null ? params : params.slice(fn.written.before, params.length - fn.written.after);
}

const prompt = new WeakSet<NativeFunction['impl']>();

/**
 * Marks an implementation that always returns a value quickly: it neither waits nor calls functions. Compiled code then
 * needs no suspension check.
 */
export function neverSuspends<T extends NativeFunction['impl']>(impl: T): T {
  prompt.add(impl);
  return impl;
}

export function isNonSuspending({ impl }: NativeFunction): boolean {
  return prompt.has(impl);
}

const expressionOf = new WeakMap<NativeFunction['impl'], string>();

/**
 * Marks an implementation of a method without parameters that never suspends. Compiled code computes it by this
 * JavaScript expression, in which `$` is the receiver.
 */
export function inlined<T extends NativeFunction['impl']>(expression: string, impl: T): T {
  expressionOf.set(impl, expression);
  return neverSuspends(impl);
}

/** The JavaScript expression for a call of a method with this receiver; undefined if there is none. */
export function inlineForm({ impl }: NativeFunction, receiver: string): string | undefined {
  return expressionOf.get(impl)?.replace('$', receiver);
}

/** What finishes most calls of an implementation at once: returns undefined for the others. */
type Quick = (...args: Value[]) => NonNullable<Value> | undefined;

const quickOf = new WeakMap<NativeFunction['impl'], Quick>();

/**
 * Gives an implementation a function that compiled code calls first, with the receiver of a method and the arguments,
 * without the VM. It returns the result of calls that take less than a microsecond, and undefined for others.
 */
export function quickly<T extends NativeFunction['impl']>(quick: Quick, impl: T): T {
  quickOf.set(impl, quick);
  return impl;
}

export function quickForm({ impl }: NativeFunction): Quick | undefined {
  return quickOf.get(impl);
}

/** A native that differs from `template` only in `impl`. For natives made per call: copies the parsed parameters. */
export function nativeLike(template: NativeFunction, impl: NativeFunction['impl']): NativeFunction {
  const fn = new NativeFunction(template.name, template.signature, template.result, template.doc, impl, template.owner);
  fn.params = paramsOf(template);
  return fn;
}

const STEP = native('step', '', 'Any', '', () => null);

/** For natives: runs `step`, which may wait or call, then continues with its result. Errors of `step` propagate. */
export function afterwards(
  vm: Caller,
  step: () => Value | undefined,
  then: (value: Value) => Value | undefined,
): undefined {
  return vm.callThen(nativeLike(STEP, step), [], { done: then });
}

/**
 * Declares methods of one receiver type from rows like the arguments of `native`; `impl` receives the VM, the receiver
 * and the arguments.
 */
export function methods(
  owner: string,
  rows: readonly (readonly [string, string, string, string, NativeFunction['impl']])[],
): NativeFunction[] {
  // Runs for the whole library at each start: without destructuring, which takes iterators.
  return rows.map((row) => new NativeFunction(row[0], row[1], row[2], row[3], row[4], owner));
}

const PARAM = /(\*\*|\*|&)?(\w+[?!]?)(?:: *([\w|?]+))?(?: *= *("(?:[^"\\]|\\.)*"|[^,]+))?(?:, *|$)/y;

/** The parameters of `fn`, parsed on first use. */
export function paramsOf(fn: NativeFunction): NativeParam[] {
  if (fn.params !== null) return fn.params;
  const params: NativeParam[] = [];
  PARAM.lastIndex = 0;
  while (PARAM.lastIndex < fn.signature.length) {
    const match = PARAM.exec(fn.signature);
    if (match === null) throw new Error(`bad signature of native ${fn.name}: ${fn.signature}`);
    params.push(toParam(match));
  }
  fn.params = params;
  return params;
}

function toParam([, mark, name, type = 'Any', fallback]: RegExpExecArray): NativeParam {
  const kind = mark === '*' ? 'rest' : mark === '**' ? 'options' : mark === '&' ? 'block' : 'plain';
  const nilable = type.endsWith('?');
  return {
    name,
    kind,
    typeText: type,
    check: checkOf(type),
    default: fallback !== undefined ? literal(fallback.trim()) : nilable && kind === 'block' ? null : undefined,
  };
}

function literal(text: string): Value {
  if (text === 'nil') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (text.startsWith('"')) return JSON.parse(text) as string;
  return text.includes('.') ? new Float(Number(text)) : Number(text);
}

/** The check for a type text of a signature. */
function checkOf(type: string): (value: Value) => boolean {
  if (type === 'Any') return () => true;
  if (type.endsWith('?')) {
    const inner = checkOf(type.slice(0, -1));
    return (value) => value === null || inner(value);
  }
  if (type.includes('|')) {
    const inner = type.split('|').map(checkOf);
    const [first, second] = inner;
    if (inner.length === 2) return (value) => first(value) || second(value);
    return (value) => inner.some((check) => check(value));
  }
  const builtin = BUILTIN_TYPES.get(type);
  return builtin !== undefined ? (value) => builtin.matches(value) : (value) => typeName(value) === type;
}

/** The name of a native in messages: `upcase()` for functions, `String.upcase()` for methods. */
function label(fn: NativeFunction): string {
  const name = fn.written?.name ?? fn.name;
  return fn.owner === '' ? `${name}()` : `${fn.owner}.${name}()`;
}

/** The signature as messages show it: `name(a, b = 2)`, `name(a) { … }`. */
function nativeSignature(fn: NativeFunction): string {
  const marks = { plain: '', rest: '*', options: '**', block: '&' };
  const params = writtenParams(fn);
  const block = params.some(({ kind }) => kind === 'block') ? ' { … }' : '';
  const texts = params
    .filter(({ kind }) => kind !== 'block')
    .map(({ name, kind, default: fallback }) => {
      const text =
        typeof fallback === 'string'
          ? JSON.stringify(fallback)
          : fallback === null
            ? 'nil'
            : fallback instanceof Float
              ? String(fallback.n)
              : String(fallback);
      return `${marks[kind]}${name}${fallback === undefined || kind !== 'plain' ? '' : ` = ${text}`}`;
    });
  return `${fn.written?.name ?? fn.name}(${texts.join(', ')})${block}`;
}

/**
 * Arguments for `fn.impl`: binds positional and named arguments, checks them, adds defaults.
 * @throws ArgumentError, TypeError
 */
export function bindNative(fn: NativeFunction, args: Value[], names: NameList | null): Value[] {
  const params = paramsOf(fn);
  const bound = names === null ? bindPositional(params, args) : bindNamed(params, args, names);
  return bound ?? new NativeBinder(fn, params).bind(args, names);
}

/**
 * The quick way for a block after all plain parameters, and for one parameter that takes any named arguments, as that of
 * `Record.with`. Null: the binder decides.
 */
function bindNamed(params: readonly NativeParam[], args: Value[], { names, shape }: NameList): Value[] | null {
  const last = params.length - 1;
  if (last >= 0 && names.length === 1 && names[0] === '&') {
    if (params[last].kind !== 'block' || args.length !== params.length) return null;
    for (let i = 0; i <= last; i++)
      if ((i < last && params[i].kind !== 'plain') || !params[i].check(args[i])) return null;
    return args;
  }
  if (last !== 0 || params[0].kind !== 'options' || shape === null || names.length !== args.length) return null;
  return names.includes('&') ? null : [new Hash(shape, args)];
}

/** Whether a parameter without an argument takes its default: a plain one, or a block. */
export function canBeMissing({ kind, default: fallback }: NativeParam): boolean {
  return (kind === 'plain' || kind === 'block') && fallback !== undefined;
}

/**
 * Fast path for calls without names: plain parameters and blocks with defaults, or a single rest parameter. Returns
 * null if the binder must decide.
 */
function bindPositional(params: readonly NativeParam[], args: Value[]): Value[] | null {
  const given = args.length;
  const count = params.length;
  if (count === 1 && params[0].kind === 'rest') {
    const { check } = params[0];
    for (let i = 0; i < given; i++) if (!check(args[i])) return null;
    return [args];
  }
  if (given > count) return null;
  for (let i = 0; i < given; i++) if (params[i].kind !== 'plain' || !params[i].check(args[i])) return null;
  if (given === count) return args;
  for (let i = given; i < count; i++) if (!canBeMissing(params[i])) return null;
  const bound = args.slice();
  for (let i = given; i < count; i++) bound.push(params[i].default as Value);
  return bound;
}

class NativeBinder {
  private readonly out: (Value | undefined)[];

  constructor(
    private readonly fn: NativeFunction,
    private readonly params: NativeParam[],
  ) {
    this.out = new Array<Value | undefined>(params.length).fill(undefined);
  }

  bind(args: Value[], names: NameList | null): Value[] {
    const count = args.length - (names === null ? 0 : names.names.length);
    this.positional(args.slice(0, count), names !== null && names.names.includes('&'));
    names?.names.forEach((name, i) => this.named(name, args[count + i]));
    return this.params.map((param, i) => this.finish(param, this.out[i], count < args.length));
  }

  private positional(args: Value[], hasBlock: boolean): void {
    let next = 0;
    this.params.forEach((param, i) => {
      if (next >= args.length) return;
      if (param.kind === 'rest') {
        // A function as the last argument can take the place of the block.
        const end =
          !hasBlock && this.params[i + 1]?.kind === 'block' && typeName(args[args.length - 1]) === 'Function'
            ? args.length - 1
            : args.length;
        this.out[i] = args.slice(next, end);
        next = end;
      } else if (param.kind === 'options') {
        if (args[next] instanceof Hash) this.out[i] = (args[next++] as Hash).copy();
      } else if (param.kind !== 'block' || !hasBlock) {
        if (!hasBlock && this.isForBlock(i, args, next)) return;
        this.out[i] = args[next++];
      }
    });
    if (next < args.length) this.badCount(args.length);
  }

  /** Whether an argument skips the optional parameter `i`: it is the last one, a function for the block after it. */
  private isForBlock(i: number, args: readonly Value[], at: number): boolean {
    const param = this.params[i];
    return (
      param.kind === 'plain' &&
      param.default !== undefined &&
      at === args.length - 1 &&
      this.params[i + 1]?.kind === 'block' &&
      typeName(args[at]) === 'Function' &&
      !param.check(args[at])
    );
  }

  private named(name: string, value: Value): void {
    const at = this.params.findIndex((p) =>
      name === '&' ? p.kind === 'block' : p.name === name && p.kind === 'plain',
    );
    if (at >= 0) {
      if (this.out[at] !== undefined)
        fail(Errors.ArgumentError, `${label(this.fn)} got '${name}' twice: ${nativeSignature(this.fn)}`);
      this.out[at] = value;
      return;
    }
    if (name === '&') fail(Errors.ArgumentError, `${label(this.fn)} takes no block: ${nativeSignature(this.fn)}`);
    const options = this.params.findIndex((p) => p.kind === 'options');
    if (options < 0) {
      const known = writtenParams(this.fn)
        .filter(({ kind }) => kind === 'plain')
        .map((param) => param.name);
      fail(Errors.ArgumentError, `${label(this.fn)} has ${noParameter(name, known)}: ${nativeSignature(this.fn)}`);
    }
    const hash = (this.out[options] ??= new Hash()) as Hash;
    hash.set(name, value);
  }

  private finish(param: NativeParam, value: Value | undefined, hasNamed: boolean): Value {
    if (param.kind === 'rest') {
      const list = (value ?? []) as Value[];
      for (const item of list) if (!param.check(item)) this.badType(param, item);
      return list;
    }
    if (param.kind === 'options') return value ?? new Hash();
    const given = value === undefined ? param.default : value;
    if (given === undefined) {
      const needed = param.kind === 'block' ? 'a block' : `'${param.name}'`;
      // A count would leave out the named arguments and the block.
      if (param.kind === 'block' || hasNamed)
        fail(Errors.ArgumentError, `${label(this.fn)} needs ${needed}: ${nativeSignature(this.fn)}`);
      return this.badCount(this.out.filter((v) => v !== undefined).length);
    }
    if (value !== undefined && !param.check(given)) this.badType(param, given);
    return given;
  }

  private badType(param: NativeParam, value: Value): never {
    return fail(
      Errors.TypeError,
      `${label(this.fn)}: ${param.name} must be ${typeText(param.typeText)}, got ${typeName(value)}`,
    );
  }

  private badCount(given: number): never {
    const plain = writtenParams(this.fn).filter((p) => p.kind === 'plain');
    const added = this.fn.written === null ? 0 : this.fn.written.before + this.fn.written.after;
    const least = plain.filter((p) => p.default === undefined).length;
    const most = this.params.some((p) => p.kind === 'rest') ? Infinity : plain.length;
    return fail(
      Errors.ArgumentError,
      `${label(this.fn)} takes ${countText(least, most)}, got ${given - added}: ${nativeSignature(this.fn)}`,
    );
  }
}

function typeText(type: string): string {
  return type.replace(/\?$/, '|nil').replaceAll('|', ' or ');
}

/** `no parameter 'nmae', did you mean 'name'?` */
export function noParameter(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `no parameter '${name}'${near === null ? '' : `, did you mean '${near}'?`}`;
}

/** A count for messages: `1 argument`, `1..2 arguments`, `at least 1 argument`. */
export function countText(least: number, most: number): string {
  if (most === Infinity) return `at least ${least} argument${least === 1 ? '' : 's'}`;
  return `${least === most ? least : `${least}..${most}`} argument${most === 1 ? '' : 's'}`;
}
