import type * as Ast from '../ast.js';
import { argumentPlaces } from '../../vm/bytecode/argumentplaces.js';
import { kindOf } from '../parameters.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { variantOf } from '../resolve/outernames.js';
import type { DefSymbol } from '../symbols.js';
import type { Checked, CheckEnvironment, NativeParameter, NativeSignature } from './environment.js';
import { annotationOf, article, fits, functionOf, isConcrete } from '../annotationtypes.js';
import { callBeforeBlock } from '../diagnostics/blockhint.js';
import { literalText } from './literals.js';
import { importedDef } from './membertypes.js';
import { unionText } from './possibletypes.js';
import type { Mismatch, Types } from './types.js';
import { walkNodes } from './walk.js';

/**
 * Checks calls of functions known by name: the number of arguments, their names, and their types where both sides are
 * certain.
 */
export function checkCalls(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Call', 'Method'], (node) => {
    const def = node.type === 'Call' ? calledDef(node, checked) : memberDef(node, checked);
    if (def !== null) new DefCall(def, node, checked, types).check();
    else if (node.type === 'Call' || node.name === 'call') lambdaCall(node, checked, types);
    if (def === null && node.type === 'Call') nativeCall(node, checked, types);
  });
}

function calledDef({ callee }: Ast.Call, { resolution }: Checked): DefSymbol | null {
  const symbol = callee.type === 'Ident' ? resolution.symbols.get(callee) : undefined;
  return symbol?.kind === 'def' && !symbol.module.isPrelude ? symbol : null;
}

/** `m.f(…)` where `m` is an imported file, or `Enum.Member(…)`. */
function memberDef(node: Ast.Method, checked: Checked): DefSymbol | null {
  return importedDef(node, checked) ?? variantOf(checked.resolution, node);
}

/** A call of a variable whose only value is a lambda. */
function lambdaCall(node: Ast.Call | Ast.Method, checked: Checked, types: Types): void {
  const callee = node.type === 'Call' ? node.callee : node.recv;
  const variable = types.fixed(callee);
  const value = variable === null ? null : types.valueOf(variable);
  if (node.type === 'Call') typedCall(node, checked, types);
  if (variable === null || value?.type !== 'Lambda' || checked.resolution.implicit.has(value)) return;
  new DefCall({ name: variable.name, params: value.params, module: checked.module }, node, checked, types).check();
}

/** A call of a parameter or variable that is annotated as a function. */
function typedCall({ callee, args, block }: Ast.Call, { report }: Checked, types: Types): void {
  const annotation = callee.type === 'Ident' ? types.annotation(callee) : null;
  const wanted = annotation === null ? null : functionOf(annotation);
  const isPlain = block === null && args.every(({ type }) => type !== 'Splat' && type !== 'NamedArg');
  if (callee.type !== 'Ident' || wanted === null || !isPlain) return;
  const { length } = wanted.params;
  if (args.length !== length) {
    const takes = `${length === 0 ? 'no' : length} argument${length === 1 ? '' : 's'}`;
    const message = `${callee.name}() takes ${takes}, got ${args.length}: its type is ${annotation}`;
    report('error', 'wrong-arguments', args.at(length) ?? callee, message);
    return;
  }
  for (const [i, arg] of args.entries()) {
    const found = types.mismatch(arg as Ast.Expr, wanted.params[i]);
    if (found === null) continue;
    const what = `argument ${i + 1} of ${callee.name}()`;
    report('error', 'wrong-type', found.node, mismatchText(what, arg as Ast.Expr, found));
  }
}

/** A function as calls see it. */
type Callee = Pick<DefSymbol, 'name' | 'params' | 'module'>;

/** A call of a function with known parameters. */
export class DefCall {
  private readonly given: (Ast.Expr | null)[];

  constructor(
    private readonly def: Callee,
    private readonly node: Ast.Call | Ast.Method,
    private readonly checked: Checked,
    private readonly types: Types,
  ) {
    this.given = def.params.map(() => null);
  }

  check(): void {
    const { args } = this.node;
    if (args.some((arg) => arg.type === 'Splat')) return;
    const { params } = this.def;
    const positional = args.filter((arg): arg is Ast.Expr => arg.type !== 'NamedArg' && arg.type !== 'Splat');
    if (!this.named(args.filter((arg): arg is Ast.NamedArg => arg.type === 'NamedArg')) || !this.positional(positional))
      return;
    const missing = params.filter(
      (param, i) =>
        this.given[i] === null &&
        param.default === null &&
        param.kind !== 'rest' &&
        param.kind !== 'options' &&
        !this.isBlock(i),
    );
    if (missing.length > 0) {
      const names = missing.map(({ name }) => `'${name}'`).join(', ');
      const message = `${this.def.name}() needs ${names}: ${signature(this.def)}`;
      this.error('wrong-arguments', this.node, message, missing.length === 1 ? this.blockOfArgument() : undefined);
      return;
    }
    params.forEach((param, i) => this.type(param, this.given[i]));
  }

  /** Whether parameter `i` receives the block: the last plain parameter does. */
  private isBlock(i: number): boolean {
    return this.node.block !== null && i === this.def.params.findLastIndex(({ kind }) => kind === 'plain');
  }

  /** A hint for `card post.title do`, a call without parentheses whose last argument takes the block. */
  private blockOfArgument(): string | undefined {
    const { node } = this;
    const { text } = this.checked.module;
    const last = node.args.at(-1);
    const nameEnd = node.type === 'Call' ? node.callee.end : node.nameStart + node.name.length;
    if ((last?.type !== 'Call' && last?.type !== 'Method') || last.block === null || node.block !== null)
      return undefined;
    if (text[nameEnd] === '(' || !text.startsWith('do', last.block.start)) return undefined;
    const taker = last.type === 'Method' ? last.name : text.slice(last.callee.start, last.callee.end);
    const args = text.slice(node.args[0].start, last.block.start);
    return `the block belongs to \`${taker}\`; ${callBeforeBlock(text.slice(node.start, nameEnd), args)}`;
  }

  private named(args: readonly Ast.NamedArg[]): boolean {
    const { params, name: fn } = this.def;
    for (const arg of args) {
      const at = params.findIndex(
        (param) => param.name === arg.name && param.kind !== 'rest' && param.kind !== 'options',
      );
      if (at < 0 && takesOptions(params)) continue;
      if (at < 0) {
        const near = nearest(
          arg.name,
          params.map(({ name }) => name),
        );
        this.error(
          'wrong-arguments',
          arg,
          `${fn}() has no parameter '${arg.name}'${near === null ? '' : `, did you mean '${near}'?`}: ${signature(this.def)}`,
        );
        return false;
      }
      this.given[at] = arg.value;
    }
    return true;
  }

  private positional(args: readonly Ast.Expr[]): boolean {
    const { params, name } = this.def;
    const blockAt = params.findIndex((_, i) => this.isBlock(i));
    const named = [...this.given];
    const { places, taken: next } = argumentPlaces(
      params.map((param) => ({ kind: kindOf(param) })),
      args.length,
      (i) => named[i] !== null,
      blockAt,
    );
    for (const [i, at] of places.entries()) {
      if (at < 0 || params[i].kind === 'rest') continue;
      if (named[i] !== null) {
        this.error('wrong-arguments', args[at], `${name}() got '${params[i].name}' twice: ${signature(this.def)}`);
        return false;
      }
      this.given[i] = args[at];
    }
    if (next >= args.length) return true;
    const most = params.filter(({ kind }, i) => kind === 'plain' && !this.isBlock(i)).length;
    this.error(
      'wrong-arguments',
      args[next],
      `${name}() takes ${most === 0 ? 'no arguments' : `at most ${most} argument${most === 1 ? '' : 's'}`}, got ${args.length}: ${signature(this.def)}`,
    );
    return false;
  }

  private type(param: Ast.Param, value: Ast.Expr | null): void {
    const annotation = annotationOf(param);
    if (annotation === null || value === null) return;
    const found = this.types.mismatch(value, annotation);
    if (found === null) return;
    const what = `'${param.name}' of ${this.def.name}()`;
    this.error('wrong-type', found.node, mismatchText(what, value, found));
  }

  private error(code: 'wrong-arguments' | 'wrong-type', node: Ast.Node, message: string, hint?: string): void {
    this.checked.report('error', code, node, message, hint);
  }
}

/** Whether named arguments of no parameter are taken as a hash: by `**name`, or by a last parameter `name = {}`. */
export function takesOptions(params: readonly Ast.Param[]): boolean {
  const last = params.findLast(({ kind }) => kind === 'plain');
  return (
    params.some(({ kind }) => kind === 'options') ||
    (last?.default?.type === 'Hash' && last.default.entries.length === 0)
  );
}

/** `greet(name, greeting = …)`, as messages show it. */
function signature({ name, params, module }: Callee): string {
  const texts = params.map((param) => {
    const fallback = param.default === null ? '' : module.text.slice(param.default.start, param.default.end);
    if (param.kind === 'rest') return `*${param.name}`;
    if (param.kind === 'options') return `**${param.name}`;
    if (param.kind === 'named') return `${param.name}:${fallback === '' ? '' : ` ${fallback}`}`;
    return fallback === '' ? param.name : `${param.name} = ${fallback}`;
  });
  return `${name}(${texts.join(', ')})`;
}

/** Says of a value, or of an element of a literal, that it does not fit its annotation. */
export function mismatchText(what: string, value: Ast.Expr, found: Mismatch): string {
  const part = found.node === value ? what : `an element of ${what}`;
  return `${part} must be ${found.annotation}, this is ${found.shown ?? literalText(found.node, found.annotation) ?? article(found.type)}`;
}

function nativeCall(node: Ast.Call, checked: Checked, types: Types): void {
  const symbol = node.callee.type === 'Ident' ? checked.resolution.symbols.get(node.callee) : undefined;
  const native = symbol?.kind === 'native' ? checked.env.signatures.get(symbol.name) : undefined;
  if (native !== undefined && symbol?.kind === 'native')
    checkArguments(symbol.name, native, node, node.args, checked, types);
}

/** Checks the arguments of a native function or method against its declaration. */
export function checkArguments(
  name: string,
  native: NativeSignature,
  node: Ast.Call | Ast.Method | Ast.Member,
  args: readonly Ast.Arg[],
  { report, env }: Checked,
  types: Types,
): void {
  if (args.some((arg) => arg.type === 'Splat')) return;
  const { name: fn, before, after } = native.written ?? { name, before: 0, after: 0 };
  const given = args.filter((arg): arg is Ast.Expr => arg.type !== 'NamedArg' && arg.type !== 'Splat');
  const positional = given.slice(before, given.length - after);
  const named = args.filter((arg): arg is Ast.NamedArg => arg.type === 'NamedArg');
  const hasBlock = node.type !== 'Member' && node.block !== null;
  const problem = nativeProblem(fn, native, positional.length, named, hasBlock);
  if (problem !== null) {
    const isKey = native.result === 'Hash' && native.params.length === 0 && positional.length === 1;
    const hint = isKey ? 'it returns a hash: write the key in `[…]`' : '';
    report('error', 'wrong-arguments', problem.node ?? node, problem.message, hint);
    return;
  }
  const checkType = (arg: Ast.Expr, { name, type }: NativeParameter): void => {
    // Functions that take a status check it themselves, to name its values.
    const wanted = name === 'status' && type === 'Any' ? 'Integer' : type;
    const all = types.possible(arg) ?? new Set([types.of(arg)].filter((type) => type !== null));
    if (all.size > 0 && [...all].every((type) => !fitsNative(type, wanted, env)))
      report('error', 'wrong-type', arg, `'${name}' of ${fn}() must be ${wanted}, this is ${article(unionText(all))}`);
  };
  for (const arg of named) {
    const param = native.params.find(({ name, kind }) => name === arg.name && kind === 'plain');
    if (param !== undefined) checkType(arg.value, param);
  }
  // A function behind the other arguments may be the block.
  const mayBeBlock = !hasBlock && native.params.some(({ kind }) => kind === 'block');
  for (const [i, arg] of (mayBeBlock ? positional.slice(0, -1) : positional).entries()) {
    if (native.params.at(i)?.kind !== 'plain') break;
    checkType(arg, native.params[i]);
  }
}

/** Natives accept no Integer for a Float unless declared so, and no other value for a handle. */
function fitsNative(type: string, wanted: string, env: CheckEnvironment): boolean {
  const isSingle = (name: string): boolean => isConcrete(name) || isHandle(name, env);
  return fits(type, wanted, isSingle) && !(type === 'Integer' && wanted === 'Float');
}

/** Types with methods that are neither concrete nor those of handles. */
const NO_HANDLES = new Set(['Any', 'Record', 'Error', 'Type', 'Enum', 'Set']);

function isHandle(type: string, { methods }: CheckEnvironment): boolean {
  return methods.has(type) && !isConcrete(type) && !NO_HANDLES.has(type);
}

function nativeProblem(
  name: string,
  { params }: NativeSignature,
  count: number,
  named: readonly Ast.NamedArg[],
  hasBlock: boolean,
): { node: Ast.Node | null; message: string } | null {
  const plain = params.filter(({ kind }) => kind === 'plain');
  const takesMore = params.some(({ kind }) => kind !== 'plain');
  const text = `${name}(${params.map((param) => `${{ plain: '', rest: '*', options: '**', block: '&' }[param.kind]}${param.name}${param.optional && param.kind === 'plain' ? '?' : ''}`).join(', ')})`;
  if (!takesMore && count > plain.length)
    return {
      node: null,
      message: `${name}() takes ${plain.length === 0 ? 'no arguments' : `at most ${plain.length} argument${plain.length === 1 ? '' : 's'}`}, got ${count}: ${text}`,
    };
  const names = new Set(plain.map((param) => param.name));
  const unknown = params.some(({ kind }) => kind === 'options') ? undefined : named.find((arg) => !names.has(arg.name));
  if (unknown !== undefined) {
    const near = nearest(unknown.name, names);
    return {
      node: unknown,
      message: `${name}() has no parameter '${unknown.name}'${near === null ? '' : `, did you mean '${near}'?`}: ${text}`,
    };
  }
  const missing = plain.filter(
    (param, i) => i >= count && !param.optional && !named.some((arg) => arg.name === param.name),
  );
  if (missing.length === 0 || hasBlock) return null;
  return { node: null, message: `${name}() needs ${missing.map((param) => `'${param.name}'`).join(', ')}: ${text}` };
}
