import type * as Ast from '../ast.js';
import { mayBeFunction, moduleSymbol, variantOf } from '../resolve/outernames.js';
import { spineOf } from '../spine.js';
import type { DefSymbol, ModuleScope, Symbol, TypeSymbol } from '../symbols.js';
import type { Label } from '../../vm/bytecode/encode.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { walk } from '../check/walk.js';
import { bindStatically, emitArguments, emitSplatted, flatten, hasSplat } from './arguments.js';
import type { Emitters, FunctionBuilder } from './builder.js';
import { blockSource, defIndex, emitClosure, emitDeclared, moduleMain } from './functions.js';
import { emitRescues } from './handlers.js';
import { emitLeavable } from './leaving.js';
import { emitBlockCall, emitLoopBlock, emitTemplate } from './inline.js';

// ---- names

/** Writes the value that a name refers to. */
function emitSymbol(b: FunctionBuilder, symbol: Symbol, node: Ast.Node, dest: number): void {
  const { encoder, program } = b;
  const result = b.target(dest);
  b.at(node.start);
  switch (symbol.kind) {
    case 'variable':
      b.loadVariable(symbol.variable, result);
      break;
    case 'def':
    case 'type':
      emitNamed(b, symbol, result);
      break;
    case 'native':
      if (symbol.name === 'loop') loopAlone(b, node);
      encoder.emitWord(Op.LOADNATIVE, result, program.native(symbol.name));
      break;
    case 'namespace':
      program.error(
        'namespace-as-value',
        b.scope.module,
        node,
        `'${nameOf(node)}' is a module, not a value`,
        'call one of its functions: name.function(…)',
      );
      break;
    case 'unknown':
      emitUnknown(b, symbol, result);
      break;
  }
}

/** `loop` is not a function: it is compiled inline with its block. */
function loopAlone(b: FunctionBuilder, node: Ast.Node): void {
  b.program.error(
    'loop-without-block',
    b.scope.module,
    node,
    '`loop` is no function',
    'write it with a block: loop { … }',
  );
}

function nameOf(node: Ast.Node): string {
  return (node as Ast.Ident).name;
}

function emitNamed(b: FunctionBuilder, symbol: DefSymbol | TypeSymbol, dest: number): void {
  const slot = b.program.slotOfName(symbol.module, symbol.name);
  if (slot === null) emitDeclared(b, symbol, dest);
  else b.encoder.emitWord(Op.GETSLOT, dest, slot);
}

function emitUnknown(b: FunctionBuilder, symbol: { name: string; near: string | null }, dest: number): void {
  const slot = b.program.slotOfName(b.scope.module, symbol.name);
  if (slot === null) {
    emitNameError(b, symbol, dest);
    return;
  }
  // A later input of the session may define it.
  const { encoder } = b;
  const missing = encoder.newLabel();
  const done = encoder.newLabel();
  encoder.emitWord(Op.GETSLOT, dest, slot);
  encoder.jump(Op.JNIL, missing, dest);
  encoder.jump(Op.JUMP, done);
  encoder.bind(missing);
  emitNameError(b, symbol, dest);
  encoder.bind(done);
}

function emitNameError(b: FunctionBuilder, symbol: { name: string; near: string | null }, dest: number): void {
  const text = b.temp();
  const hint = symbol.near === null ? '' : `, did you mean '${symbol.near}'?`;
  b.encoder.emitWord(Op.LOADK, text, b.program.string(`undefined name '${symbol.name}'${hint}`));
  b.encoder.emitList(Op.NATIVE, dest, [text], [b.program.native('%name_error')]);
}

// ---- calls by name

function emitNamedCall(b: FunctionBuilder, node: Ast.Call, symbol: Symbol, dest: number): void {
  switch (symbol.kind) {
    case 'def':
      emitDefCall(b, node, symbol, dest);
      break;
    case 'native':
      emitNativeCall(b, node, symbol.name, dest);
      break;
    case 'variable':
      emitVariableCall(b, node, symbol, dest);
      break;
    default: {
      const callee = b.temp();
      emitSymbol(b, symbol, node.callee, callee);
      emitValueCall(b, node, callee, dest);
    }
  }
}

function emitVariableCall(
  b: FunctionBuilder,
  node: Ast.Call,
  symbol: Extract<Symbol, { kind: 'variable' }>,
  dest: number,
): void {
  const location = b.locate(symbol.variable);
  if (location.kind === 'block') {
    emitBlockCall(b, location.inline, emitArguments(b, node.args, null).positional, dest);
    return;
  }
  const callee = b.stableOperand(
    node.callee,
    node.args.map((arg) => (arg.type === 'NamedArg' || arg.type === 'Splat' ? arg.value : arg)),
  );
  emitValueCall(b, node, callee, dest);
}

/** Calls the value in register `callee`. */
function emitValueCall(b: FunctionBuilder, node: Ast.Call, callee: number, dest: number): void {
  if (hasSplat(node.args)) {
    const { vector, named } = emitSplatted(b, node.args, node.block);
    b.at(node.start);
    b.encoder.emitList(Op.APPLY, b.target(dest), [callee, vector, named]);
    return;
  }
  const { registers, names } = flatten(b, emitArguments(b, node.args, node.block));
  b.at(node.start);
  if (names === null) b.encoder.emit(Op.CALLV, b.target(dest), callee, registers.length, [], registers);
  else b.encoder.emit(Op.CALLN, b.target(dest), callee, registers.length, [names], registers);
}

function emitDefCall(b: FunctionBuilder, node: Ast.Call, symbol: DefSymbol, dest: number): void {
  const slot = b.program.slotOfName(symbol.module, symbol.name);
  if (slot !== null) {
    const callee = b.temp();
    b.encoder.emitWord(Op.GETSLOT, callee, slot);
    emitValueCall(b, node, callee, dest);
    return;
  }
  if (!hasSplat(node.args)) {
    const args = emitArguments(b, node.args, node.block);
    const registers = bindStatically(b, symbol, args);
    b.at(node.start);
    if (registers !== null) b.encoder.emitList(Op.CALL, b.target(dest), registers, [defIndex(b.program, symbol)]);
    else {
      const callee = b.temp();
      emitNamed(b, symbol, callee);
      const { registers: all, names } = flatten(b, args);
      b.encoder.emit(Op.CALLN, b.target(dest), callee, all.length, [names ?? b.program.nameList([])], all);
    }
    return;
  }
  const callee = b.temp();
  emitNamed(b, symbol, callee);
  emitValueCall(b, node, callee, dest);
}

function emitNativeCall(b: FunctionBuilder, node: Ast.Call, native: string, dest: number): void {
  const { block } = node;
  if (native === 'loop') {
    if (block === null || node.args.length > 0) loopAlone(b, node);
    else if (b.program.names.mayStop || takesElements(block)) emitEndingLoop(b, node, block, dest);
    else emitLoopBlock(b, block, dest);
    return;
  }
  if (native === 'spawn' && block !== null) {
    const task = b.temp();
    emitClosure(b, blockSource(b, block), task);
    // A task whose value is dropped is started as detached, so that its error is shown at once.
    const name = dest < 0 ? '%spawn_detached' : '%spawn';
    b.encoder.emitList(Op.NATIVE, b.target(dest), [task], [b.program.native(name)]);
    return;
  }
  const plain = block === null && node.args.every((arg) => arg.type !== 'Splat' && arg.type !== 'NamedArg');
  if (!plain) {
    const callee = b.temp();
    b.encoder.emitWord(Op.LOADNATIVE, callee, b.program.native(native));
    emitValueCall(b, node, callee, dest);
    return;
  }
  const { positional } = emitArguments(b, node.args, null);
  b.at(node.start);
  b.encoder.emitList(Op.NATIVE, b.target(dest), positional, [b.program.native(native)]);
}

/** Whether a block takes elements of a sequence, by `next` or `peek`. */
function takesElements(block: Ast.Block): boolean {
  let found = false;
  walk(
    block.body,
    (node) => {
      const { type } = node;
      if ((type === 'Member' || type === 'Method') && (node.name === 'next' || node.name === 'peek')) found = true;
    },
    true,
  );
  return found;
}

/** A `loop` that ends, with nil, when a sequence in it has no more elements. */
function emitEndingLoop(b: FunctionBuilder, { start, end }: Ast.Call, block: Ast.Block, dest: number): void {
  const type: Ast.Ident = { type: 'Ident', name: 'StopIteration', start, end };
  b.program.resolution.symbols.set(type, { kind: 'native', name: type.name });
  const clause: Ast.Rescue = { types: [type], name: null, body: [], start, end };
  emitRescues(b, { rescues: [clause], else: null }, (value) => emitLoopBlock(b, block, value), dest);
}

// ---- chains of members, methods, indexes and calls

/** Number of nodes at the start of a spine that are no links of its chain. */
function headsOf(spine: readonly Ast.Expr[]): number {
  return spine.findLastIndex((n) => !isLink(n)) + 1;
}

function isSafe(node: Ast.Expr): boolean {
  return 'safe' in node && node.safe;
}

/**
 * Register with what an assignment changes: the receiver of `target`. Jumps to `skip` where a `&.` of the chain is behind
 * nil.
 */
export function assignedReceiver(
  b: FunctionBuilder,
  target: Ast.Member | Ast.Index,
  later: readonly Ast.Node[],
  skip: Label,
): number {
  const { recv } = target;
  const spine = spineOf(recv);
  let register: number;
  if (spine.slice(headsOf(spine)).some(isSafe)) {
    register = b.temp();
    emitChain(b, recv, register, skip);
  } else register = b.stableOperand(recv, later);
  if (isSafe(target)) b.encoder.jump(Op.JNIL, skip, register);
  return register;
}

/** Writes a chain such as `a.b(c)&.d[e]`, link by link. A `&.` on nil jumps to its end with nil, or to `skip`. */
function emitChain(b: FunctionBuilder, node: Ast.Expr, dest: number, skip: Label | null = null): void {
  const spine = spineOf(node);
  let first = headsOf(spine);
  const head = spine[first - 1];
  const mayEnd = spine.slice(first).some(isSafe);
  const end = skip ?? b.encoder.newLabel();
  const result = b.target(dest);
  const acc = mayEnd || spine.length - first > 1 ? b.scratch(result) : result;
  const namespace = namespaceOf(b, head);
  const variant = first < spine.length ? variantOf(b.program.resolution, spine[first]) : null;
  const next = first + 1 < spine.length ? variantOf(b.program.resolution, spine[first + 1]) : null;
  let value: number;
  if (variant !== null) {
    value = spine.length - first === 1 ? result : acc;
    emitVariant(b, variant, spine[first++] as Ast.Member | Ast.Method, value);
  } else if (namespace !== null && next !== null) {
    value = spine.length - first === 2 ? result : acc;
    emitVariant(b, next, spine[first + 1] as Ast.Member | Ast.Method, value);
    first += 2;
  } else if (namespace !== null && first < spine.length) {
    value = spine.length - first === 1 ? result : acc;
    emitNamespaced(b, namespace, spine[first++], value);
  } else value = b.stableOperand(head, spine.slice(first).flatMap(partsOf));
  for (; first < spine.length; first++) {
    const target = mayEnd || first < spine.length - 1 ? acc : result;
    const mark = b.mark();
    emitLink(b, spine[first], value, target, end);
    b.release(mark);
    value = target;
  }
  if (skip === null) b.encoder.bind(end);
  b.move(dest, value);
}

function isLink(node: Ast.Expr): boolean {
  return (
    node.type === 'Member' ||
    node.type === 'Method' ||
    node.type === 'Index' ||
    (node.type === 'Call' && node.callee.type !== 'Ident')
  );
}

/** The expressions that a link evaluates after its receiver. */
function partsOf(node: Ast.Expr): Ast.Node[] {
  if (node.type === 'Index') return node.args;
  if (node.type !== 'Method' && node.type !== 'Call') return [];
  const args: Ast.Node[] = node.args.map((arg) => (arg.type === 'NamedArg' || arg.type === 'Splat' ? arg.value : arg));
  if (node.type === 'Method' && node.index !== undefined) args.push(node.index);
  return node.block === null ? args : [...args, node.block];
}

function namespaceOf(b: FunctionBuilder, head: Ast.Expr): ModuleScope | null {
  const symbol = head.type === 'Ident' ? b.program.resolution.symbols.get(head) : undefined;
  return symbol?.kind === 'namespace' ? symbol.module : null;
}

/** `Enum.Variant` and `Enum.Variant(…)`: one without fields is a value, another one is a type. */
function emitVariant(b: FunctionBuilder, variant: DefSymbol, node: Ast.Member | Ast.Method, dest: number): void {
  const { start, end } = node;
  if (node.type === 'Member' && variant.params.length > 0) emitNamed(b, variant, dest);
  else {
    const { args, block }: Pick<Ast.Method, 'args' | 'block'> =
      node.type === 'Method' ? node : { args: [], block: null };
    emitLeavable(b, block, dest, (value) =>
      emitNamedCall(b, { type: 'Call', callee: node, args, block, start, end }, variant, value),
    );
  }
}

function emitNamespaced(b: FunctionBuilder, module: ModuleScope, node: Ast.Expr, dest: number): void {
  const name = (node as Ast.Member).name;
  const variable = module.main.root.names.get(name);
  if (!module.offers(name) && (variable !== undefined || module.symbols.has(name)))
    b.program.error(
      'private-name',
      b.scope.module,
      node,
      `'${name}' is private to ${module.path}`,
      privateHint(name, module),
    );
  const symbol: Symbol = (variable !== undefined
    ? { kind: 'variable', variable }
    : moduleSymbol(name, module, new Set())) ?? {
    kind: 'unknown',
    name: `${nameOf((node as Ast.Member).recv)}.${name}`,
    near: null,
  };
  if (node.type !== 'Method') {
    emitSymbol(b, symbol, node, dest);
    return;
  }
  const { args, block, start, end } = node;
  const call: Ast.Call = { type: 'Call', callee: node, args, block, start, end };
  emitLeavable(b, block, dest, (value) => {
    if (symbol.kind === 'variable') emitValueCall(b, call, b.readVariable(symbol.variable), value);
    else emitNamedCall(b, call, symbol, value);
  });
}

function privateHint(name: string, module: ModuleScope): string {
  if (module.hidden.has(name)) return 'remove `private` from its definition to use it in other files';
  return name.startsWith('_')
    ? 'names that begin with `_` are for their own file'
    : `add it to the \`export\` of that file`;
}

function emitLink(b: FunctionBuilder, node: Ast.Expr, recv: number, dest: number, end: Label): void {
  if (isSafe(node)) {
    if (recv !== dest) b.move(dest, recv);
    b.encoder.jump(Op.JNIL, end, dest);
  }
  switch (node.type) {
    case 'Member':
      b.at(node.nameStart);
      b.encoder.emit(Op.GETF, dest, recv, 0, [b.program.string(node.name)]);
      break;
    case 'Index':
      emitIndex(b, node, recv, dest);
      break;
    case 'Call':
      emitLeavable(b, node.block, dest, (value) => emitValueCall(b, node, recv, value));
      break;
    default: {
      const method = node as Ast.Method;
      emitLeavable(b, method.block, dest, (value) => emitMethod(b, method, recv, value));
    }
  }
}

function emitIndex(b: FunctionBuilder, node: Ast.Index, recv: number, dest: number): void {
  const args = emitArguments(b, node.args, null).positional;
  b.at(node.recv.end);
  if (args.length === 1) b.encoder.emit(Op.INDEX, dest, recv, args[0]);
  else b.encoder.emit(Op.CALLM, dest, recv, args.length, [b.program.string('[]')], args);
}

function ownCopy(b: FunctionBuilder, register: number): number {
  if (!b.isVariable(register)) return register;
  const copy = b.temp();
  b.move(copy, register);
  return copy;
}

function emitMethod(b: FunctionBuilder, node: Ast.Method, recv: number, dest: number): void {
  const template = b.program.resolution.templates.get(node);
  if (template !== undefined && node.block !== null) {
    if (b.program.resolution.functions.has(node.block)) {
      emitMaybeIterator(b, node, template, recv, dest);
      return;
    }
    // The block may assign a variable that is passed as an argument. The iterator must keep the original value.
    const args = emitArguments(b, node.args, null).positional.map((register) => ownCopy(b, register));
    const counter = node.index === undefined ? null : b.temp();
    if (node.index !== undefined && counter !== null) b.expr(node.index, counter);
    b.at(node.nameStart);
    if (b.program.names.dispatched.has(node.name)) emitInlineCheck(b, recv, node.name);
    emitTemplate(b, template, node.name, [recv, ...args], { block: node.block, counter }, dest);
    return;
  }
  const last = node.args[node.args.length - 1];
  const iterator =
    node.block === null && last !== undefined && !hasSplat(node.args)
      ? b.program.names.template(
          node.name,
          node.args.length - 1,
          last.type === 'Lambda' ? last.params.length : undefined,
        )
      : null;
  const isDispatched = b.program.names.dispatched.has(node.name);
  if (iterator !== null && last.type === 'Lambda' && !isDispatched) emitIteratorCall(b, node, iterator, recv, dest);
  else if (iterator !== null && (last.type === 'Lambda' || mayBeFunction(last)))
    emitMaybeIterator(b, node, iterator, recv, dest);
  else emitPlainMethod(b, node, recv, dest);
}

/** A core iterator that receives a function value instead of a block: calls the prelude function itself. */
function emitIteratorCall(b: FunctionBuilder, node: Ast.Method, iterator: DefSymbol, recv: number, dest: number): void {
  const args = emitArguments(b, node.args, null).positional;
  b.at(node.nameStart);
  b.encoder.emitList(Op.CALL, dest, [recv, ...args], [defIndex(b.program, iterator)]);
}

/** Refuses receivers with a method of their own where the block is inlined, since it is left by a jump. */
function emitInlineCheck(b: FunctionBuilder, recv: number, name: string): void {
  const text = b.temp();
  b.encoder.emitWord(Op.LOADK, text, b.program.string(name));
  b.encoder.emitList(Op.NATIVE, text, [recv, text], [b.program.native('%inlines')]);
}

/**
 * `xs.count(y)`: whether `y` is a function or a value to look for is known only at run time; so is whether the receiver
 * has a method in place of the iterator.
 */
function emitMaybeIterator(
  b: FunctionBuilder,
  node: Ast.Method,
  iterator: DefSymbol,
  recv: number,
  dest: number,
): void {
  const { encoder, program } = b;
  const args = numbered(b, node, flatten(b, emitArguments(b, node.args, node.block)).registers);
  const test = b.temp();
  const plain = encoder.newLabel();
  const done = encoder.newLabel();
  b.at(node.nameStart);
  const name = b.temp();
  encoder.emitWord(Op.LOADK, name, program.string(node.name));
  encoder.emitList(Op.NATIVE, test, [recv, args[args.length - 1], name], [program.native('%calls_back')]);
  encoder.jump(Op.JF, plain, test);
  encoder.emitList(Op.CALL, dest, [recv, ...args], [defIndex(program, iterator)]);
  encoder.jump(Op.JUMP, done);
  encoder.bind(plain);
  encoder.emit(Op.CALLM, dest, recv, args.length, [program.string(node.name)], args);
  encoder.bind(done);
}

/** The arguments of a method; if its block also receives a number, the last one becomes a function that counts. */
function numbered(b: FunctionBuilder, { index, nameStart }: Ast.Method, args: readonly number[]): readonly number[] {
  if (index === undefined) return args;
  const [counting, from] = [b.temp(), b.temp()];
  b.expr(index, from);
  b.at(nameStart);
  b.encoder.emitList(Op.NATIVE, counting, [args[args.length - 1], from], [b.program.native('%numbered')]);
  return [...args.slice(0, -1), counting];
}

function emitPlainMethod(b: FunctionBuilder, node: Ast.Method, recv: number, dest: number): void {
  const name = b.program.string(node.name);
  if (hasSplat(node.args)) {
    const { vector, named } = emitSplatted(b, node.args, node.block);
    b.at(node.nameStart);
    b.encoder.emitList(Op.APPLYM, dest, [recv, vector, named], [name]);
    return;
  }
  const { registers: given, names } = flatten(b, emitArguments(b, node.args, node.block));
  const registers = numbered(b, node, given);
  b.at(node.nameStart);
  if (names === null) b.encoder.emit(Op.CALLM, dest, recv, registers.length, [name], registers);
  else b.encoder.emit(Op.CALLMN, dest, recv, registers.length, [name, names], registers);
}

// ---- modules

/** Runs a file's top level when it is first reached. */
function emitUseModule(b: FunctionBuilder, node: Ast.UseModule, dest: number): void {
  const { encoder, program } = b;
  const module = program.resolution.modules.get(node);
  if (module !== undefined) {
    const { fn, done } = moduleMain(program, module);
    const skip = encoder.newLabel();
    const flag = b.temp();
    encoder.emitWord(Op.GETSLOT, flag, done);
    encoder.jump(Op.JT, skip, flag);
    encoder.emit(Op.LOADTRUE, flag);
    encoder.emitWord(Op.SETSLOT, flag, done);
    encoder.emitWord(Op.CALL, flag, fn);
    encoder.bind(skip);
  }
  if (dest >= 0) encoder.emit(Op.LOADNIL, dest);
}

export const callEmitters: Pick<Emitters, 'Ident' | 'Call' | 'Method' | 'Member' | 'Index' | 'UseModule' | 'Error'> = {
  Ident: (b, node, dest) => {
    const symbol = b.program.resolution.symbols.get(node);
    if (symbol !== undefined) emitSymbol(b, symbol, node, dest);
  },
  Call: (b, node, dest) => {
    const symbol = b.program.resolution.symbols.get(node.callee);
    if (node.callee.type === 'Ident' && symbol !== undefined)
      emitLeavable(b, node.block, dest, (value) => emitNamedCall(b, node, symbol, value));
    else emitChain(b, node, dest);
  },
  Method: (b, node, dest) => emitChain(b, node, dest),
  Member: (b, node, dest) => emitChain(b, node, dest),
  Index: (b, node, dest) => emitChain(b, node, dest),
  UseModule: emitUseModule,
  Error: () => {},
};
