import t from 'tap';
import { cpuTime } from '../../clock.js';
import { rounds } from '../../rounds.js';
import { decodeAll, InvalidBytecode, type Instruction } from '../../../vm/bytecode/decode.js';
import { OPCODE_BY_NUMBER, OPCODES } from '../../../vm/bytecode/opcodes.js';
import { disassemble } from '../../../vm/bytecode/disassemble.js';
import { verifyFlow } from '../../../vm/bytecode/flow.js';
import type { FunctionProto, Program } from '../../../vm/bytecode/program.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import type { Fiber } from '../../../vm/fibers/fiber.js';
import { Iterator } from '../../../vm/values/iterator.js';
import { RecordValue } from '../../../vm/values/structured.js';
import { Signal, SvcError } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { ABSENT, Cell, type Value } from '../../../vm/values/value.js';
import { corpus } from '../support/corpus.js';
import { machine, programOf } from '../support/machine.js';
import { Random, seedFrom } from '../support/random.js';

/** `SVC_MUTANTS=100000 SVC_SEED=7 npx tap test/vm/bytecode/mutation.unit.ts` makes more and other mutants. */
const SEED = seedFrom('SVC_SEED', 1);
const MUTANTS = seedFrom('SVC_MUTANTS', rounds(800, 30_000));

const EDGES = [0, 1, -1, 2, 255, 256, 65_535, 65_536, 2 ** 31 - 1, -(2 ** 31)];

/** A number that is likely to have an effect. */
function number(random: Random, fn: FunctionProto): number {
  switch (random.below(4)) {
    case 0:
      return random.pick(EDGES);
    case 1:
      return random.below(fn.code.length + 2);
    case 2:
      return random.below(2 ** 32) | 0;
    default:
      return random.below(20);
  }
}

function mutateCode(random: Random, fn: FunctionProto): void {
  const { code } = fn;
  if (code.length === 0) return;
  const at = random.below(code.length);
  switch (random.below(6)) {
    case 0:
      code[at] = number(random, fn);
      break;
    case 1:
      code[at] ^= 1 << random.below(32);
      break;
    case 2: {
      const shift = random.below(4) * 8;
      code[at] = (code[at] & ~(255 << shift)) | (random.below(256) << shift);
      break;
    }
    case 3:
      code[at] += random.pick([-2, -1, 1, 2]);
      break;
    case 4: {
      const other = random.below(code.length);
      [code[at], code[other]] = [code[other], code[at]];
      break;
    }
    default:
      fn.code = random.chance(50) ? code.slice(0, at) : Int32Array.from([...code.slice(0, at), ...code.slice(at + 1)]);
  }
}

/** Moves a target of a jump or a border of a protected range to another instruction, which only rules on structure can refuse. */
function mutateFlow(random: Random, fn: FunctionProto): void {
  const list = decodable(fn);
  const jumps = list.filter(({ info }) => /[JE]/.test(info.extras));
  const target = list.length === 0 ? 0 : random.pick(list).pc;
  const { handlers } = fn;
  if (handlers.length > 0 && (jumps.length === 0 || random.chance(50)))
    handlers[random.below(handlers.length / 4) * 4 + random.below(3)] = target;
  else if (jumps.length > 0) fn.code[random.pick(jumps).pc + 1] = target;
}

/** Changes a register, an index or the opcode of an instruction and keeps its form. */
function mutateOperand(random: Random, fn: FunctionProto, program: Program): void {
  const list = decodable(fn);
  if (list.length === 0) return;
  const { pc, info, length, args } = random.pick(list);
  const register = random.below(Math.max(1, Math.min(fn.registers, 256)));
  const bytes = [0, 1, 2].filter((i) => 'ds'.includes(info.roles[i]));
  const tables = [...info.extras]
    .map((letter, i) => [i + 1, sizeOf(letter, program)] as const)
    .filter(([, size]) => size > 0);
  const what = random.below(4);
  if (what === 0) mutateOpcode(random, fn, pc);
  else if (what === 1 && tables.length > 0) {
    const [word, size] = random.pick(tables);
    fn.code[pc + word] = random.below(size);
  } else if (args.length > 0 && (what === 2 || bytes.length === 0)) {
    const at = random.below(args.length);
    setByte(fn.code, pc + length - ((args.length + 3) >> 2) + (at >> 2), at & 3, register);
  } else if (bytes.length > 0) setByte(fn.code, pc, 1 + random.pick(bytes), register);
}

function setByte(code: Int32Array, at: number, byte: number, value: number): void {
  code[at] = (code[at] & ~(255 << (byte * 8))) | (value << (byte * 8));
}

function sizeOf(letter: string, program: Program): number {
  const table = ({ K: 'constants', S: 'constants', F: 'functions', N: 'natives', G: 'slots', T: 'types' } as const)[
    letter
  ];
  return table === undefined ? 0 : program[table].length;
}

/** Sets another opcode with the same extra words. */
function mutateOpcode(random: Random, fn: FunctionProto, pc: number): void {
  const { extras } = OPCODE_BY_NUMBER[fn.code[pc] & 255] as Instruction['info'];
  setByte(fn.code, pc, 0, random.pick(OPCODES.filter((info) => info.extras === extras)).op);
}

function decodable({ code, name }: FunctionProto): ReturnType<typeof decodeAll> {
  try {
    return decodeAll(code, name);
  } catch {
    return [];
  }
}

function mutateTable(random: Random, fn: FunctionProto, table: Int32Array): void {
  if (table.length > 0) table[random.below(table.length)] = number(random, fn);
}

function mutateHeader(random: Random, fn: FunctionProto, program: Program): void {
  switch (random.below(7)) {
    case 0:
      fn.registers = number(random, fn);
      break;
    case 1:
      fn.captures = number(random, fn);
      break;
    case 2:
      fn.source = number(random, fn);
      break;
    case 3:
      fn.handlers = fn.handlers.slice(0, random.below(fn.handlers.length + 1));
      break;
    case 4:
      program.entry = number(random, fn);
      break;
    case 5:
      program.constants = program.constants.slice(0, random.below(program.constants.length + 1));
      break;
    default:
      fn.params = fn.params.slice(1);
  }
}

/** Makes a copy of `program` with one to three changes in one function. */
function mutant(random: Random, program: Program): Program {
  const index = random.below(program.functions.length);
  const original = program.functions[index];
  const fn = {
    ...original,
    code: original.code.slice(),
    handlers: original.handlers.slice(),
    lines: original.lines.slice(),
  };
  const copy = { ...program, functions: program.functions.with(index, fn) };
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const what = random.below(32);
    if (what >= 20) mutateOperand(random, fn, copy);
    else if (what < 6) mutateFlow(random, fn);
    else if (what < 14) mutateCode(random, fn);
    else if (what < 17) mutateTable(random, fn, fn.handlers);
    else if (what < 18) mutateTable(random, fn, fn.lines);
    else mutateHeader(random, fn, copy);
  }
  return copy;
}

const INTERNAL = [Cell, Iterator, SvcError, Signal];

/** Whether a value refers only to values of the language. */
function isClean(value: unknown, depth = 0): boolean {
  if (value === undefined || value === ABSENT || INTERNAL.some((type) => value instanceof type)) return false;
  if (depth > 20) return true;
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1));
  const hash = value instanceof RecordValue ? value.fields : value;
  return (
    !(hash instanceof Hash) ||
    hash.entries().every(([key, item]) => isClean(key, depth + 1) && isClean(item, depth + 1))
  );
}

/** Runs a mutant for some turns. Returns its outcome. @throws errors that are not of the language */
function outcomeOf(made: Program, jit: number | null): string {
  const { vm, host } = machine({ slice: 200, maxDepth: 500, jit });
  const linked = vm.link(made);
  const check = (what: string, value: Value): void => {
    if (!isClean(value)) throw new Error(`${what} refers to a value that is not of the language`);
    inspectOrFail(value);
  };
  const fiber: Fiber = vm.spawn('main', vm.closureOf(linked.entry), []);
  for (let n = 0; n < 40 && !fiber.finished; n++) {
    host.advance(10);
    host.turn();
  }
  linked.slots.forEach((value) => check('a slot', value));
  const { outcome } = fiber;
  if (outcome === null) return 'runs on';
  if (outcome.ok) check('the result', outcome.value);
  return outcome.ok ? 'a value' : outcome.error instanceof SvcError ? 'an error' : 'a signal';
}

/** Prints a value, or fails with an error of the language. */
function inspectOrFail(value: Value): void {
  try {
    inspect(value);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
  }
}

t.test('a mutant is refused, or has a value or an error of the language', async (t) => {
  const { compiled } = corpus(6);
  // Programs of limits compute for seconds: on the host of the test no time passes that would end a slice.
  const programs = compiled.filter(
    ({ path, program }) => program.functions.length < 40 && !path.startsWith('spec-tests/limits/'),
  );
  const random = new Random(SEED);
  const reasons = new Map<string, number>();
  const ends = new Map<string, number>();
  for (let n = 0; n < MUTANTS; n++) {
    const { path, program } = random.pick(programs);
    const made = mutant(random, program);
    let reason = 'accepted';
    try {
      verifyProgram(made);
      // Later stages do not check accepted code.
      disassemble(made);
      const end = outcomeOf(made, null);
      // Compiled code must be valid JavaScript with the same outcome.
      const compiled = outcomeOf(made, 0);
      if (compiled !== end && end !== 'runs on' && compiled !== 'runs on')
        throw new Error(`${end} interpreted, ${compiled} compiled`);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof InvalidBytecode)) {
        t.fail(`mutant ${n} of ${path} (seed ${SEED}): ${String(error)}`);
        continue;
      }
      reason = error.message.replace(/ at address .*/, '').replace(/-?\d+/g, 'n');
    }
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const sorted = [...reasons]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 25)
    .map(([reason, count]) => `${reason} ${count}`);
  t.comment(`seed ${SEED}, ${MUTANTS} mutants: ${sorted.join(' · ')}`);
  t.comment(`${[...ends].map(([end, count]) => `${end} ${count}`).join(' · ')}`);
  const accepted = reasons.get('accepted') ?? 0;
  t.ok(accepted > MUTANTS / 20 && accepted < (MUTANTS * 19) / 20, 'some are accepted, some are not');
});

t.test('the verifier takes linear time', async (t) => {
  const fn = programOf('').functions[0];
  const region = (count: number): FunctionProto => {
    // `count` loops within each other: LOOPHEAD …, then a LOOP for each.
    const code: number[] = [];
    for (let i = 0; i < count; i++) code.push(52, 4 * count - 2 * i);
    for (let i = count - 1; i >= 0; i--) code.push(51, 2 * i);
    return { ...fn, code: Int32Array.from([...code, 3, 82]), handlers: new Int32Array(0) };
  };
  const time = (count: number): number => {
    const made = region(count);
    return cpuTime(() => verifyFlow(made));
  };
  const [small, large] = [time(4000), time(40_000)];
  t.comment(`4,000 nested loops ${small.toFixed(1)} ms, 40,000 ${large.toFixed(1)} ms`);
  // A linear one takes about 100 ms, a quadratic one minutes.
  t.ok(large < 5000);
});
