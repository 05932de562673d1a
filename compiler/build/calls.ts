import type { Arg, Block, Expr, Ident, Member, NamedArg, Param, Splat, Str } from '../ast.js';
import type { Token } from '../layout/token.js';
import { block, blockParams, type Parts } from './bodies.js';
import { counted } from './counted.js';
import { invalid } from './invalid.js';
import { raise } from './jumps.js';
import { type List, type MaybeList, toArray } from './list.js';
import { isBlockArgument, misplacedBlock, namedToHash } from './literals.js';
import { isModuleForm, moduleCall } from './modules.js';
import { type Operands, replaceLast } from './operators.js';

/** Arguments in parentheses, and the offset where these end. */
interface CallArgs {
  args: Arg[];
  end: number;
}

export function ident({ text, start, end }: Token): Ident {
  return { type: 'Ident', start, end, name: text };
}

/** A suffix, such as a call or an index: turns the value before it into a new value. */
type Trailer = (value: Expr) => Expr;

export function apply(value: Expr, trailer: Trailer): Expr {
  return trailer(value);
}

function member(recv: Expr, dot: Token, name: Token): Member {
  return {
    type: 'Member',
    start: recv.start,
    end: name.end,
    recv,
    name: name.text,
    nameStart: name.start,
    safe: dot.text === '&.',
  };
}

export function memberOf(dot: Token, name: Token): Trailer {
  return (recv) => member(recv, dot, name);
}

/** `Module.Type` in a rescue clause. */
export function errorMember(recv: Expr, dot: Token, name: Token): Member {
  return member(recv, dot, name);
}

export function noArgs(close: Token): CallArgs {
  return { args: [], end: close.end };
}

export function callArgs(list: List<Arg>, close: Token): CallArgs {
  return { args: toArray(list), end: close.end };
}

export function callWith(args: CallArgs): Trailer {
  return (callee) => call(callee, args);
}

/** `f(a)` and `x.m(a)`. */
function call(callee: Expr, { args: given, end }: CallArgs): Expr {
  const { start } = callee;
  const { args, block } = takeBlock(given);
  if (callee.type === 'Member') return method(callee, args, block, end);
  if (callee.type === 'Ident') {
    if (callee.name === 'raise') return raise(start, end, args);
    if (callee.name === 'await' && args.length === 1) return { type: 'Await', start, end, operand: args[0] as Expr };
    if (isModuleForm(callee.name)) return moduleCall(callee, args, end);
  }
  return { type: 'Call', start, end, callee, args, block };
}

/** Name of the parameter of a block made from the name of a method; programs cannot write it. */
const ELEMENT = '&';

/**
 * The arguments of a call without its block argument: `&:name` becomes the block that calls the method `name`, another
 * value the last argument, as functions are passed.
 */
function takeBlock(given: readonly Arg[]): { args: Arg[]; block: Block | null } {
  const last = given.at(-1);
  const args = given.map((arg, i) =>
    isBlockArgument(arg) ? (i === given.length - 1 ? arg.value : misplacedBlock(arg)) : arg,
  );
  if (last === undefined || !isBlockArgument(last) || last.value.type !== 'Str') return { args, block: null };
  return { args: args.slice(0, -1), block: blockOfMethod(last.value) };
}

/** `{ |x| x.name }`: a field or a method. */
function blockOfMethod({ start, end, value: name }: Str): Block {
  const recv: Ident = { type: 'Ident', start, end, name: ELEMENT };
  const call: Expr = { type: 'Member', start, end, recv, name, nameStart: start, safe: false };
  const param: Param = { start, end, name: ELEMENT, kind: 'plain', default: null, pattern: null, annotation: null };
  return { start, end, params: [param], body: { start, end, stmts: [call], rescues: [], else: null, ensure: null } };
}

function method({ start, recv, name, nameStart, safe }: Member, args: Arg[], block: Block | null, end: number): Expr {
  return counted({ type: 'Method', start, end, recv, name, nameStart, args, block, safe });
}

/** `f.(a)` calls the value of `f`; `f&.(a)` does so unless it is nil. */
export function callOfValue(dot: Token, { args: given, end }: CallArgs): Trailer {
  const { args, block } = takeBlock(given);
  if (dot.text === '.') return (callee) => ({ type: 'Call', start: callee.start, end, callee, args, block });
  return (recv) => ({
    type: 'Method',
    start: recv.start,
    end,
    recv,
    name: 'call',
    nameStart: dot.end,
    args,
    block,
    safe: true,
  });
}

export function indexBy(list: List<Expr | Splat | NamedArg>, close: Token): Trailer {
  const args = namedToHash(toArray(list)) as Expr[];
  return (recv) => ({ type: 'Index', start: recv.start, end: close.end, recv, args, safe: false });
}

export function withBlock(block: Block): Trailer {
  return (node) => attachBlock(node, block);
}

/** A call with the block that follows it. */
function attachBlock(node: Expr, block: Block): Expr {
  const { start } = node;
  const { end } = block;
  switch (node.type) {
    case 'Ident':
      return { type: 'Call', start, end, callee: node, args: [], block };
    case 'Member':
      return method(node, [], block, end);
    case 'Call':
      if (node.block === null) return { type: 'Call', start, end, callee: node.callee, args: node.args, block };
      break;
    case 'Method':
      if (node.block === null) return counted({ ...node, end, block });
  }
  const brace = block.body.start === block.start + 1;
  const hint = brace ? 'put the hash in parentheses: `f({a: 1})`' : '';
  return invalid('block-without-call', 'a block must follow a call', block.start, block.body.start, hint);
}

/** Arguments of a call without parentheses, and its block. */
interface CommandArgs {
  args: Arg[];
  block: Block | null;
}

export function commandArgs(list: List<Arg>): CommandArgs {
  return takeBlock(toArray(list));
}

export function commandBlock(list: List<Arg>, open: Token, parts: Parts, close: Token): CommandArgs {
  return { args: toArray(list), block: block(open, parts, close) };
}

export function commandBlockParams(
  list: List<Arg>,
  open: Token,
  params: MaybeList<Param>,
  parts: Parts,
  close: Token,
): CommandArgs {
  return { args: toArray(list), block: blockParams(open, params, parts, close) };
}

/** `puts a, b`, `a and b.c "d"`, `x = f() or return 5`: the arguments belong to the last operand. */
export function command(list: Operands, { args, block }: CommandArgs): Expr {
  return replaceLast(list, (last) => commandCall(last, args, block));
}

const JUMPS: ReadonlySet<string> = new Set(['Return', 'Break', 'Next', 'Raise']);

/** A call of `word`. For a jump word, several values become a vector. */
function commandCall(word: Expr, args: Arg[], block: Block | null): Expr {
  const { start } = word;
  const end = block?.end ?? (args.at(-1) as Arg).end;
  if (args.length === 0 && block !== null && JUMPS.has(word.type)) return misplacedBlock(block);
  switch (word.type) {
    case 'Return':
    case 'Break':
    case 'Next':
      return { ...word, end, value: jumpValue(args) };
    case 'Raise':
      return { ...word, end, args };
    case 'Member':
      return method(word, args, block, end);
    default:
      if (word.type === 'Ident' && isModuleForm(word.name)) return moduleCall(word, args, end);
      return { type: 'Call', start, end, callee: word, args, block };
  }
}

function jumpValue(args: Arg[]): Expr {
  const items = namedToHash(args);
  const [only] = items as [Expr | Splat];
  if (items.length === 1 && only.type !== 'Splat') return only;
  return { type: 'Vector', start: only.start, end: (items.at(-1) as Expr | Splat).end, items };
}

export function named(label: Token, value: Expr): NamedArg {
  return { type: 'NamedArg', start: label.start, end: value.end, name: label.text, value };
}

/** `f(a:)` is `f(a: a)`. */
export function namedShort(label: Token): NamedArg {
  return named(label, ident(label));
}
