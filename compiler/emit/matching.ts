import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type { Label } from '../../vm/bytecode/encode.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { typeNamed, variantOf } from '../resolve/outernames.js';
import { DISCARD, type Emitters, type FunctionBuilder } from './builder.js';
import { takeApart } from './patterns.js';

function emitMatch(b: FunctionBuilder, node: Ast.Match, dest: number): void {
  const { encoder } = b;
  const [fails, done] = [encoder.newLabel(), encoder.newLabel()];
  const subject = b.temp();
  b.expr(node.subject, subject);
  emitPattern(b, node.pattern, subject, fails);
  if (dest !== DISCARD) encoder.emit(Op.LOADTRUE, dest);
  encoder.jump(Op.JUMP, done);
  encoder.bind(fails);
  if (dest !== DISCARD) encoder.emit(Op.LOADFALSE, dest);
  encoder.bind(done);
}

/** Jumps to `to` if whether the value fits equals `sense`. */
export function jumpIfMatch(b: FunctionBuilder, node: Ast.Match, sense: boolean, to: Label): void {
  const { encoder } = b;
  const subject = b.temp();
  b.expr(node.subject, subject);
  if (!sense) {
    emitPattern(b, node.pattern, subject, to);
    return;
  }
  const fails = encoder.newLabel();
  emitPattern(b, node.pattern, subject, fails);
  encoder.jump(Op.JUMP, to);
  encoder.bind(fails);
}

/** Compares register `value` with a pattern and assigns its variables; jumps to `fails` if it does not fit. */
export function emitPattern(b: FunctionBuilder, pattern: Ast.MatchPattern, value: number, fails: Label): void {
  const mark = b.mark();
  b.at(pattern.start);
  switch (pattern.type) {
    case 'ValueMatch':
      emitTest(b, pattern.value, value, fails);
      break;
    case 'NameMatch':
      storeName(b, pattern, value);
      break;
    case 'NamedMatch':
      emitPattern(b, pattern.pattern, value, fails);
      storeName(b, pattern.name, value);
      break;
    case 'AnyMatch':
      emitAlternatives(b, pattern, value, fails);
      break;
    case 'VectorMatch':
      emitVector(b, pattern, value, fails);
      break;
    case 'HashMatch':
      emitHash(b, pattern, value, fails);
      break;
    case 'RecordMatch':
      emitRecord(b, pattern, value, fails);
      break;
    default:
      throw new Error('a pattern that could not be parsed is not compiled');
  }
  b.release(mark);
}

/** Jumps to `fails` unless `value` matches the value of `expected`, as in `case … when`. */
function emitTest(b: FunctionBuilder, expected: Ast.Expr, value: number, fails: Label): void {
  const operand = b.operand(expected);
  const test = b.temp();
  b.at(expected.start);
  b.encoder.emit(Op.MATCHES, test, operand, value);
  b.encoder.jump(Op.JF, fails, test);
}

function storeName(b: FunctionBuilder, name: Ast.NameMatch, value: number): void {
  const symbol = b.program.resolution.symbols.get(name);
  if (symbol?.kind === 'variable') b.storeVariable(symbol.variable, value);
}

function emitAlternatives(b: FunctionBuilder, { options }: Ast.AnyMatch, value: number, fails: Label): void {
  const { encoder } = b;
  const fits = encoder.newLabel();
  options.forEach((option, i) => {
    if (i === options.length - 1) {
      emitPattern(b, option, value, fails);
      return;
    }
    const next = encoder.newLabel();
    emitPattern(b, option, value, next);
    encoder.jump(Op.JUMP, fits);
    encoder.bind(next);
  });
  encoder.bind(fits);
}

/** Calls an intrinsic that answers whether `value` fits, with constants as its other arguments. */
function emitQuestion(
  b: FunctionBuilder,
  name: string,
  value: number,
  constants: readonly Ast.Expr[],
  fails: Label,
): void {
  const test = b.temp();
  const args = constants.map((constant) => b.operand(constant));
  b.encoder.emitList(Op.NATIVE, test, [value, ...args], [b.program.native(name)]);
  b.encoder.jump(Op.JF, fails, test);
}

function emitVector(b: FunctionBuilder, pattern: Ast.VectorMatch, value: number, fails: Label): void {
  const { items, start, end } = pattern;
  const isRest = (item: Ast.MatchPattern | Ast.RestMatch): item is Ast.RestMatch => item.type === 'RestMatch';
  if (items.filter(isRest).length === 2) return emitFind(b, pattern, value, fails);
  const exactly = !items.some(isRest);
  const count: Ast.Expr = { type: 'Int', start, end, value: exactly ? items.length : items.length - 1 };
  emitQuestion(b, '%has_elements', value, [count, { type: 'Bool', start, end, value: exactly }], fails);
  const wanted = items.filter((item) => !isUnused(item));
  if (wanted.length === 0) return;
  takeApart(b, items, value, isRest, (item, part) =>
    isRest(item) ? storeName(b, item.name, part) : emitPattern(b, item, part, fails),
  );
}

/** `[*before, pattern, *after]`: a loop over the places where the elements in the middle may be. */
function emitFind(b: FunctionBuilder, { items, start, end }: Ast.VectorMatch, value: number, fails: Label): void {
  const { encoder } = b;
  const middle = items.slice(1, -1) as Ast.MatchPattern[];
  const int = (n: number): Ast.Expr => ({ type: 'Int', start, end, value: n });
  emitQuestion(b, '%has_elements', value, [int(middle.length), { type: 'Bool', start, end, value: false }], fails);
  const [at, places] = [b.temp(), b.temp()];
  encoder.emit16(Op.LOADI, at, 0);
  encoder.emitList(Op.NATIVE, places, [value], [b.program.native('%size')]);
  encoder.emit(Op.ADDI, places, places, 1 - middle.length);
  const head: Label = { at: encoder.pc, refs: [] };
  const [next, exhausted, found] = [encoder.newLabel(), encoder.newLabel(), encoder.newLabel()];
  encoder.jump(Op.LOOPHEAD, exhausted);
  encoder.jump(Op.JNLT, exhausted, at, places);
  middle.forEach((item, i) => {
    const mark = b.mark();
    const part = elementAt(b, value, at, i);
    emitPattern(b, item, part, next);
    b.release(mark);
  });
  encoder.jump(Op.JUMP, found);
  encoder.bind(next);
  encoder.emit(Op.ADDI, at, at, 1);
  encoder.jump(Op.LOOP, head);
  encoder.bind(exhausted);
  encoder.jump(Op.JUMP, fails);
  encoder.bind(found);
  const [before, after] = [items[0], items[items.length - 1]] as Ast.RestMatch[];
  if (!isUnused(before)) storeSlice(b, before, value, [b.operand(int(0)), at]);
  if (isUnused(after)) return;
  const [first, none] = [b.temp(), b.temp()];
  encoder.emit(Op.ADDI, first, at, middle.length);
  encoder.emit(Op.LOADNIL, none);
  storeSlice(b, after, value, [first, none]);
}

/** The register of element `at + i`. */
function elementAt(b: FunctionBuilder, value: number, at: number, i: number): number {
  const part = b.temp();
  if (i > 0) b.encoder.emit(Op.ADDI, part, at, i);
  b.encoder.emit(Op.INDEX, part, value, i > 0 ? part : at);
  return part;
}

/** Assigns `value[first...end]` to the variable of a rest. */
function storeSlice(b: FunctionBuilder, { name }: Ast.RestMatch, value: number, [first, end]: [number, number]): void {
  const part = b.temp();
  b.encoder.emit(Op.RANGEX, part, first, end);
  b.encoder.emit(Op.INDEX, part, value, part);
  storeName(b, name, part);
}

function isUnused(item: Ast.MatchPattern | Ast.RestMatch): boolean {
  const name = item.type === 'RestMatch' ? item.name : item;
  return name.type === 'NameMatch' && name.name === null;
}

function emitHash(b: FunctionBuilder, pattern: Ast.HashMatch, value: number, fails: Label): void {
  const { encoder } = b;
  const { entries, rest, start, end } = pattern;
  const hash = b.temp();
  encoder.emitList(Op.NATIVE, hash, [value], [b.program.native('%keys_and_values')]);
  encoder.jump(Op.JF, fails, hash);
  const keys = entries.map((entry): Ast.Str => ({ type: 'Str', start: entry.start, end: entry.end, value: entry.key }));
  for (const key of keys) {
    const mark = b.mark();
    emitQuestion(b, '%has_key', hash, [key], fails);
    b.release(mark);
  }
  if (rest === 'none' || (entries.length === 0 && rest === null))
    emitQuestion(b, '%has_only', hash, [{ type: 'Int', start, end, value: entries.length }], fails);
  entries.forEach((entry, i) => {
    const mark = b.mark();
    const item = b.temp();
    const key = b.operand(keys[i]);
    b.at(entry.start);
    encoder.emit(Op.INDEX, item, hash, key);
    emitPattern(b, entry.pattern, item, fails);
    b.release(mark);
  });
  if (rest === null || rest === 'none') return;
  const names = b.operand({ type: 'Vector', start, end, items: keys });
  const others = b.temp();
  encoder.emitList(Op.NATIVE, others, [hash, names], [b.program.native('%without')]);
  storeName(b, rest, others);
}

function emitRecord(b: FunctionBuilder, pattern: Ast.RecordMatch, value: number, fails: Label): void {
  const names = fieldNames(b, pattern);
  emitTest(b, pattern.record, value, fails);
  const fields = [
    ...pattern.positional.map((item, i) => ({ name: names[i] ?? '', pattern: item, start: item.start })),
    ...pattern.fields.map(({ key, pattern: item, start }) => ({ name: key, pattern: item, start })),
  ];
  for (const field of fields) {
    const mark = b.mark();
    const item = b.temp();
    b.at(field.start);
    b.encoder.emit(Op.GETF, item, value, 0, [b.program.string(field.name)]);
    emitPattern(b, field.pattern, item, fails);
    b.release(mark);
  }
}

/** Names of the fields of a pattern's record, in order; reports fields that it does not have. */
function fieldNames(b: FunctionBuilder, { record, positional, fields }: Ast.RecordMatch): readonly string[] {
  const error = (node: Ast.Node, message: string, hint: string): void =>
    b.program.error('pattern', b.scope.module, node, message, hint);
  const { resolution } = b.program;
  const symbol = variantOf(resolution, record) ?? typeNamed(resolution, record);
  if (symbol?.kind !== 'def' || symbol.node.type !== 'RecordDecl') {
    if (positional.length > 0)
      error(
        positional[0],
        'only fields of a record have an order',
        'write the names of the fields: `Type(name: pattern)`',
      );
    return [];
  }
  const { name, node } = symbol;
  const names = node.fields.map((field) => field.name);
  const list = names.length === 0 ? '' : `its fields are: ${names.join(', ')}`;
  const count = names.length < 2 ? ['no fields', 'one field'][names.length] : `${names.length} fields`;
  if (positional.length > names.length)
    error(positional[names.length], `${name} has ${count}, and this pattern has ${positional.length}`, list);
  for (const field of fields) {
    const at = names.indexOf(field.key);
    const near = nearest(field.key, names);
    if (at < 0) error(field, `${name} has no field '${field.key}'`, near === null ? list : `did you mean '${near}'?`);
    else if (at < positional.length) error(field, `'${field.key}' stands twice in this pattern`, 'remove one of them');
  }
  return names;
}

export const matchEmitters: Pick<Emitters, 'Match'> = { Match: emitMatch };
