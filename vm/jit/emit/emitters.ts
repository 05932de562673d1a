import { OPCODES } from '../../bytecode/opcodes.js';
import type { Op } from '../../bytecode/generated/op.js';
import { LONG_TEXT_THRESHOLD } from '../../values/limits.js';
import type { Instruction } from '../../bytecode/decode.js';
import { weightOf } from '../../interpreter/tier.js';
import { EnumType, INLINE_FIELDS, RecordType } from '../../values/structured.js';
import { readField } from '../../calls/members.js';
import { OTHER } from '../../interpreter/feedback.js';
import { Closure, NativeFunction, type NameList } from '../../values/function.js';
import { ABSENT } from '../../values/value.js';
import type { Emitter, Generator } from './generator.js';
import { fieldReads, fieldStore, isMethod } from './fields.js';
import { append, iteration, next2, nextElement, range } from './iterating.js';
import { index, setIndex } from './indexing.js';
import { jumpWhen, matchesTest, regexMatch, same } from './equality.js';
import { isInstance } from './kinds.js';
import { all, areFloats, areNumbers, atOnce } from './operands.js';
import { reducedProduct } from './products.js';
import { callKnown, chain, closureCall, directCall, methodCalls, ownCalls } from './natives.js';

const regs = (list: readonly number[]): string => list.map((r) => `r${r}`).join(',');

/** A constant: a literal if JavaScript has one, else a name. */
function constant(g: Generator, index: number): string {
  const value = g.fn.constants[index];
  return typeof value === 'number' ? `(${Object.is(value, -0) ? '-0' : value})` : g.value(value);
}

/**
 * Small Integers and Floats need no call, so that V8 allocates no object for a Float used only by the next operation.
 * If other operands than numbers were seen, texts are also handled inline.
 */
function arithmetic(operator: string, helper: string): Emitter {
  return (g, instruction) => {
    const { a, b, c, pc } = instruction;
    const [x, y] = [`r${b}`, `r${c}`];
    const small = all(areNumbers(g, b, c), `(i=(t=${x}${operator}${y})|0)===t`);
    const floats = areFloats(g, b, c);
    const float = `new Float(${x}.n${operator}${y}.n)`;
    const otherwise = atOnce(g, pc, helper, x, y);
    if (otherwise !== null) g.out(`r${a}=${small}?i:${floats === null ? '' : `${floats}?${float}:`}${otherwise};`);
    else {
      const texts = operator === '+' && (g.feedback(pc) & OTHER) !== 0 ? `else if(typeof ${x}==='string'&&typeof ${y}==='string')r${a}=concat(${x},${y});` : '';
      const own = (g.feedback(pc) & OTHER) === 0 ? '' : ownOperator(g, instruction, operator, x, [y]);
      g.out(`if(${small})r${a}=i;${texts}${own}${floats === null ? '' : `else if(${floats})r${a}=${float};`}else${g.operator(`${helper}(${x},${y})`, `r${a}=u;`)}`);
    }
  };
}

/** Further cases of an operator: the methods with this name of the program's records. */
function ownOperator(g: Generator, instruction: Instruction, name: string, x: string, args: readonly string[]): string {
  const calls = ownCalls(g, name, x, args);
  // A method may change the fields of any record.
  if (calls.length > 0) g.records.clearFloats();
  return calls.map(({ condition, call }) => `else if(${condition}){${g.fuel.within(g.callText(instruction, call))}}`).join('');
}

/** Emits `then` with the result of a comparison; compares small Integers and Floats inline. */
function order(g: Generator, pc: number, operator: string, helper: string, b: number, c: number, then: (truth: string) => string): void {
  const [x, y] = [`r${b}`, `r${c}`];
  const ints = all(areNumbers(g, b, c));
  const floats = areFloats(g, b, c);
  const ofFloats = `${x}.n${operator}${y}.n`;
  const otherwise = atOnce(g, pc, helper, x, y);
  if (otherwise !== null) g.out(then(`(${ints}?${x}${operator}${y}:${floats === null ? '' : `${floats}?${ofFloats}:`}${otherwise})`));
  else g.out(`if(${ints}){${then(`${x}${operator}${y}`)}}${floats === null ? '' : `else if(${floats}){${then(ofFloats)}}`}else{${g.operator(`${helper}(${x},${y})`, '')}${then('u')}}`);
}

function divide(g: Generator, { a, b, c }: Instruction): void {
  const floats = areFloats(g, b, c);
  const quick = floats === null ? '' : `if(${floats}&&r${c}.n!==0)r${a}=new Float(r${b}.n/r${c}.n);else`;
  g.out(`${quick}${g.operator(`divide(r${b},r${c})`, `r${a}=u;`)}`);
}

/** An operator on Integers; computed inline while they are small and `condition` holds. */
function wholes(condition: (b: string, c: string) => string, value: (b: string, c: string) => string, helper: string): Emitter {
  return (g, { a, b, c, pc }) => {
    const [x, y] = [`r${b}`, `r${c}`];
    const inline = all(areNumbers(g, b, c), condition(x, y));
    const otherwise = atOnce(g, pc, helper, x, y);
    if (otherwise !== null) g.out(`r${a}=${inline}?${value(x, y)}:${otherwise};`);
    else g.out(`if(${inline})r${a}=${value(x, y)};else${g.operator(`${helper}(${x},${y})`, `r${a}=u;`)}`);
  };
}

function negate(g: Generator, a: number, b: number): void {
  g.out(`if(typeof r${b}==='number')r${a}=0-r${b};else if(${isInstance(`r${b}`, 'Float')})r${a}=new Float(-r${b}.n);else${g.operator(`negate(r${b})`, `r${a}=u;`)}`);
}

function callNative(g: Generator, instruction: Instruction): void {
  const native = g.fn.natives[instruction.extras.N];
  const args = instruction.args.map((r) => `r${r}`);
  const direct = native instanceof NativeFunction ? directCall(g, native, args) : null;
  const bound = `invoke(d,${g.value(native)},[${args.join(',')}],null)`;
  if (direct === null) g.call(instruction, bound);
  else if (direct.condition === '' && direct.neverSuspends) g.out(`r${instruction.a}=${direct.call};`);
  else if (direct.condition === '') g.helper(instruction, direct.call);
  else g.helper(instruction, `${direct.condition}?${direct.call}:vm.invoke(${g.value(native)},[${args.join(',')}],null)`);
}

function callMethod(g: Generator, instruction: Instruction): void {
  const { b, args, extras } = instruction;
  const name = g.fn.constants[extras.K] as string;
  const otherwise = `callMethod(r${b},${g.value(name)},[${regs(args)}],null)`;
  callKnown(g, instruction, methodCalls(g, instruction.pc, name, b, args.map((r) => `r${r}`)), otherwise);
}

function comparison(operator: string, helper: string): Emitter {
  return (g, { a, b, c, pc }) => order(g, pc, operator, helper, b, c, (truth) => `r${a}=${truth};`);
}

function jumpUnless(operator: string, helper: string): Emitter {
  return (g, instruction) => {
    const jump = g.goTo(instruction.target);
    order(g, instruction.pc, operator, helper, instruction.a, instruction.b, (truth) => `if(!(${truth}))${jump}`);
  };
}

const isTrue = (r: number): string => `r${r}!==false&&r${r}!==null`;

/** `A = helper(B, C)` */
function binary(helper: string): Emitter {
  return (g, { a, b, c }) => g.out(g.operator(`${helper}(r${b},r${c})`, `r${a}=u;`));
}

function callFunction(g: Generator, instruction: Instruction): void {
  const callee = g.fn.functions[instruction.extras.F];
  const self = (callee.self ??= new Closure(callee, []));
  g.call(instruction, `${g.target(callee)}(${[g.value(self), 'd+1', ...instruction.args.map((r) => `r${r}`), ...(g.isDropped(instruction) ? ['true'] : [])].join(',')})`);
}

function callValue(g: Generator, instruction: Instruction): void {
  const { b, args } = instruction;
  const direct = closureCall(`r${b}`, args.map((r) => `r${r}`));
  g.call(instruction, chain([direct], `invoke(d,r${b},[${regs(args)}],null)`));
}

function getField(g: Generator, instruction: Instruction): void {
  const { a, b, pc, extras } = instruction;
  const name = g.fn.constants[extras.K] as string;
  const type = g.literals.in(b);
  const member = type instanceof EnumType ? readField(g.tables, type, name) : undefined;
  // A member that is a record without fields is made at each read.
  if (typeof member === 'string' || member instanceof RecordType) {
    g.literals.make(member);
    g.out(`r${a}=${g.value(member)};`);
    return;
  }
  const calls = methodCalls(g, pc, name, b, []);
  const otherwise = `getField(FN,${pc},r${b},${g.value(name)})`;
  if (isMethod(g, pc)) {
    callKnown(g, instruction, calls, otherwise);
    return;
  }
  const slow = g.fuel.within(g.answered(instruction, chain(calls, otherwise)));
  const reads = fieldReads(g, pc, b);
  const texts = reads.map(({ condition, code }) => (condition === '' ? `r${a}=${code};` : `if(${condition})r${a}=${code};else `));
  g.out(reads[0].condition === '' ? texts[0] : texts.join('') + slow);
}

function setField(g: Generator, { a, b, pc, extras }: Instruction): void {
  const slow = g.fuel.within(`setField(FN,${pc},r${a},${g.value(g.fn.constants[extras.K])},r${b});`);
  const { condition, code } = fieldStore(g, pc, a, `r${b}`);
  g.out(condition === '' ? code : `if(${condition})${code}else${slow}`);
}

/** If the last record of this type had Floats, emits a fast path for the same fields being Floats. */
function newRecord(g: Generator, { a, args, extras }: Instruction): void {
  const { shape } = g.fn.types[extras.T] as RecordType;
  const type = g.value(g.fn.types[extras.T]);
  const otherwise = `newRecord(${type},[${regs(args)}])`;
  if (shape === null) {
    g.out(`r${a}=${otherwise};`);
    return;
  }
  if (shape.floats === 0) {
    const anyFloat = args.map((r) => isInstance(`r${r}`, 'Float')).join('||') || 'false';
    g.out(`r${a}=${anyFloat}?${otherwise}:new RecordValue(${type},${g.value(shape)},${slotsOf(args.map((r) => `r${r}`))});`);
    return;
  }
  const isFloat = (slot: number): boolean => (shape.floats & (1 << slot)) !== 0;
  const condition = args.map((r, slot) => (isFloat(slot) ? isInstance(`r${r}`, 'Float') : `!(${isInstance(`r${r}`, 'Float')})`)).join('&&');
  const slots = slotsOf(args.map((r, slot) => (isFloat(slot) ? 'null' : `r${r}`)), 'undefined');
  const doubles = args.map((r, slot) => (isFloat(slot) ? `r${r}.n` : '0.5')).join(',');
  g.out(`r${a}=${condition}?new RecordValue(${type},${g.value(shape)},${slots},${shape.floats},[${doubles}]):${otherwise};`);
}

/** Arguments of RecordValue for the values of its slots; `rest` if the record holds all itself. */
function slotsOf(values: readonly string[], rest = ''): string {
  const inline = Array.from({ length: INLINE_FIELDS }, (_, slot) => values[slot] ?? 'null');
  const more = values.length > INLINE_FIELDS ? `[${values.slice(INLINE_FIELDS).join(',')}]` : rest;
  return [...inline, ...(more === '' ? [] : [more])].join(',');
}

function closure(g: Generator, { a, args, extras }: Instruction): void {
  const target = g.fn.functions[extras.F];
  g.out(args.length === 0 ? `r${a}=${g.value((target.self ??= new Closure(target, [])))};` : `r${a}=new Closure(${g.value(target)},[${regs(args)}]);`);
}

function hash(g: Generator, { a, args, extras }: Instruction): void {
  const keys = g.fn.constants[extras.S] as NameList;
  g.out(keys.shape === null ? `r${a}=newHash(${g.value(keys)},[${regs(args)}]);` : `r${a}=new Hash(${g.value(keys.shape)},[${regs(args)}]);`);
}

/** Joins texts and numbers inline. */
function concatenation(g: Generator, { a, args }: Instruction): void {
  const isText = (r: number): boolean => typeof g.literals.in(r) === 'string';
  const others = args.filter((r) => !isText(r));
  const isPart = (r: number): string => `(typeof r${r}==='string'||typeof r${r}==='number')`;
  const part = (r: number): string => (isText(r) ? `r${r}` : `(typeof r${r}==='string'?r${r}:''+r${r})`);
  const joined = args.slice(1).reduce((text, r) => `concat(${text},${part(r)})`, args.length === 0 ? '""' : part(args[0]));
  // A short text of several needs one check of its length, none for each part.
  const least = args.reduce((sum, r) => sum + (isText(r) ? (g.literals.in(r) as string).length : 0), 0);
  const isShort = `${others.map((r) => `typeof r${r}==='string'&&`).join('')}${others.map((r) => `r${r}.length`).join('+')}<=${LONG_TEXT_THRESHOLD - least}`;
  const short = others.length === 0 || args.length < 3 ? '' : `if(${isShort})r${a}=${args.map((r) => `r${r}`).join('+')};else `;
  if (args.length === 0) g.out(`r${a}="";`);
  else g.out(`${short}if(${all(others.map(isPart).join('&&'))})r${a}=${joined};else${g.operator(`interpolate(${regs(args)})`, `r${a}=u;`)}`);
}

const EMITTERS: Readonly<Record<keyof typeof Op, Emitter>> = {
  LOADK: (g, { a, extras }) => g.out(`r${a}=${constant(g, extras.K)};`),
  LOADI: (g, { a, immediate }) => g.out(`r${a}=${immediate};`),
  LOADNIL: (g, { a }) => g.out(`r${a}=null;`),
  LOADTRUE: (g, { a }) => g.out(`r${a}=true;`),
  LOADFALSE: (g, { a }) => g.out(`r${a}=false;`),
  ABSENT: (g, { a }) => g.out(`r${a}=${g.value(ABSENT)};`),
  MOVE: (g, { a, b }) => g.out(`r${a}=r${b};`),
  MOVEW: (g, { extras }) => g.out(`r${extras.X & 0xffff}=r${extras.X >>> 16};`),
  CAPTURE: (g, { a, immediate }) => g.out(`r${a}=self.captures[${immediate}];`),
  NEWCELL: (g, { a, b }) => g.out(`r${a}=new Cell(r${b});`),
  CELLGET: (g, { a, b }) => g.out(`r${a}=r${b}.value;`),
  CELLSET: (g, { a, b }) => g.out(`r${a}.value=r${b};`),
  GETSLOT: (g, { a, extras }) => g.out(`r${a}=${g.value(g.fn.slots)}[${extras.G}];`),
  SETSLOT: (g, { a, extras }) => g.out(`${g.value(g.fn.slots)}[${extras.G}]=r${a};`),
  LOADNATIVE: (g, { a, extras }) => g.out(`r${a}=${g.value(g.fn.natives[extras.N])};`),
  LOADTYPE: (g, { a, extras }) => g.out(`r${a}=${g.value(g.fn.types[extras.T])};`),
  ADD: arithmetic('+', 'add'),
  SUB: arithmetic('-', 'subtract'),
  MUL: (g, instruction) => {
    if (!reducedProduct(g, instruction)) arithmetic('*', 'multiply')(g, instruction);
  },
  DIV: divide,
  IDIV: wholes((b, c) => `${b}>=0&&${c}>0&&${b}<=0x7fffffff`, (b, c) => `(${b}/${c})|0`, 'floorDivide'),
  MOD: wholes((b, c) => `${b}>=0&&${c}>0`, (b, c) => `(i=(t=${b}%${c})|0)===t?i:t`, 'modulo'),
  POW: binary('power'),
  ADDI: (g, { a, b, immediate, pc }) => {
    const small = `typeof r${b}==='number'&&(i=(t=r${b}+${immediate})|0)===t`;
    const float = `new Float(r${b}.n+${immediate})`;
    const otherwise = atOnce(g, pc, 'addImmediate', `r${b}`, immediate);
    if (otherwise !== null) g.out(`r${a}=${small}?i:${isInstance(`r${b}`, 'Float')}?${float}:${otherwise};`);
    else g.out(`if(${small})r${a}=i;else if(${isInstance(`r${b}`, 'Float')})r${a}=${float};else${g.operator(`addImmediate(r${b},${immediate})`, `r${a}=u;`)}`);
  },
  NEG: (g, { a, b }) => {
    const literal = g.literals.in(b);
    if (typeof literal !== 'number') return negate(g, a, b);
    g.literals.make(0 - literal);
    g.out(`r${a}=${0 - literal};`);
  },
  NOT: (g, { a, b }) => g.out(`r${a}=r${b}===false||r${b}===null;`),
  LT: comparison('<', 'less'),
  LE: comparison('<=', 'lessOrEqual'),
  GT: comparison('>', 'greater'),
  GE: comparison('>=', 'greaterOrEqual'),
  EQ: (g, { pc, a, b, c }) => same(g, pc, b, c, (truth) => `r${a}=${truth};`),
  NE: (g, { pc, a, b, c }) => same(g, pc, b, c, (truth) => `r${a}=!(${truth});`),
  COMPARE: binary('order'),
  MATCH: regexMatch,
  UNION: binary('union'),
  APPEND: append,
  MATCHES: matchesTest,
  JUMP: (g, { target }) => g.out(g.goTo(target)),
  LOOPHEAD: (g, instruction) => g.enterLoop(instruction),
  LOOP: (g, { pc, target }) => {
    const isSpent = g.fuel.isSpent(target, weightOf(pc, target));
    g.out(`${g.fuel.leavingFor(target)}if(${isSpent})${g.exits.yield(target)}${g.goBack(target)}`);
  },
  JF: (g, instruction) => g.jump(instruction, `!(${isTrue(instruction.a)})`),
  JT: (g, instruction) => g.jump(instruction, isTrue(instruction.a)),
  JNIL: (g, instruction) => g.jump(instruction, `r${instruction.a}===null`),
  JGIVEN: (g, instruction) => g.jump(instruction, `r${instruction.a}!==${g.value(ABSENT)}`),
  JNLT: jumpUnless('<', 'less'),
  JNLE: jumpUnless('<=', 'lessOrEqual'),
  JNGT: jumpUnless('>', 'greater'),
  JNGE: jumpUnless('>=', 'greaterOrEqual'),
  JNEQ: jumpWhen(false),
  JEQ: jumpWhen(true),
  JNLTI: (g, { a, immediate, pc, target }) => {
    const jump = g.goTo(target);
    const otherwise = atOnce(g, pc, 'less', `r${a}`, immediate);
    if (otherwise !== null) g.out(`if(!(typeof r${a}==='number'?r${a}<${immediate}:${otherwise}))${jump}`);
    else g.out(`if(typeof r${a}==='number'){if(!(r${a}<${immediate}))${jump}}else{${g.operator(`less(r${a},${immediate})`, '')}if(!u)${jump}}`);
  },
  CALL: callFunction,
  CALLV: callValue,
  CALLN: (g, instruction) => g.call(instruction, `invoke(d,r${instruction.b},[${regs(instruction.args)}],${g.value(g.fn.constants[instruction.extras.S])})`),
  APPLY: (g, instruction) => g.call(instruction, `apply(d,${regs(instruction.args)})`),
  NATIVE: callNative,
  CALLM: callMethod,
  CALLMN: (g, instruction) => g.helper(instruction, `callMethod(r${instruction.b},${g.value(g.fn.constants[instruction.extras.K])},[${regs(instruction.args)}],${g.value(g.fn.constants[instruction.extras.S])})`),
  APPLYM: (g, instruction) => g.helper(instruction, `applyMethod(${g.value(g.fn.constants[instruction.extras.K])},${regs(instruction.args)})`),
  GETF: getField,
  SETF: setField,
  INDEX: index,
  SETINDEX: setIndex,
  RETURN: (g, { a }) => g.out(`${g.fuel.leaving}return r${a};`),
  THROW: (g, { a }) => g.out(`return raise(r${a});`),
  RETHROW: (g, { a }) => g.out(`return rethrow(r${a});`),
  CATCH: (g, { a, immediate }) => g.out(g.fuel.within(`r${a}=caught(ex,${immediate});`)),
  CLOSURE: closure,
  VECTOR: (g, { a, args }) => g.out(`r${a}=[${regs(args)}];`),
  VPUSH: (g, { a, b }) => g.out(`r${a}.push(r${b});`),
  VEXTEND: (g, { a, b }) => g.out(g.operator(`extend(r${a},r${b})`, '')),
  HASH: hash,
  HMERGE: (g, { a, b }) => g.out(g.operator(`mergeInto(r${a},r${b})`, '')),
  RANGE: range(false),
  RANGEX: range(true),
  CONCAT: concatenation,
  NEWREC: newRecord,
  ITER: iteration,
  NEXT: (g, { a, b, target }) => nextElement(g, b, target, `r${a}`),
  NEXT2: next2,
  ITEM: (g, { a, b, immediate }) => g.out(`r${a}=Array.isArray(r${b})&&r${b}.length>${immediate}?r${b}[${immediate}]:itemAt(r${b},${immediate});`),
  REST: (g, { a, b, immediate, extras }) => g.out(g.operator(`restOf(r${b},${immediate},${extras.W})`, `r${a}=u;`)),
  ITEMEND: (g, { a, b, immediate, extras }) => g.out(`r${a}=itemBehindRest(r${b},${immediate},${extras.W});`),
};

/** Emitters by opcode. */
export const emitters: readonly Emitter[] = (() => {
  const table: Emitter[] = [];
  for (const { op, name } of OPCODES) table[op] = EMITTERS[name as keyof typeof Op];
  return table;
})();
