import { decodeAll, InvalidBytecode, type Instruction } from './decode.js';
import { HANDLES_ALL, MAX_REGISTERS, type FunctionProto, type Program } from './program.js';
import { Op } from './generated/op.js';

/** A loop `[start, end)`, or a range protected by a handler. */
export interface Region {
  kind: 'loop' | 'try';
  start: number;
  end: number;
  /** Address of the handler; −1 for loops. */
  handler: number;
  parent: Region | null;
}

/** Control-flow structure of a verified function. */
export interface Flow {
  instructions: Instruction[];
  /** Index into `instructions` by address; −1 inside an instruction. */
  indexAt: Int32Array;
  regions: Region[];
  /** Innermost region around each instruction. */
  inner: (Region | null)[];
  /** Innermost region around each instruction that does not start at it. */
  interior: (Region | null)[];
}

/**
 * Checks the structure of a whole program in linear time, so that no later stage has to:
 * I1 jump targets, region borders and handlers are instruction starts; I2 regions nest; I3 LOOP is the only backward jump, goes to a
 * LOOPHEAD and lies in its region; I4 every other jump goes forward, never into the middle of a region; I5 a handler is a CATCH behind
 * its range, reached no other way; I6 code does not fall off its end; I7 nor does a loop region. Registers, constants, functions, natives,
 * slots and types are within their tables. @throws InvalidBytecode
 */
export function verifyProgram(program: Program): void {
  for (const fn of program.functions) {
    verifyHeader(fn, program);
    const flow = verifyFlow(fn);
    for (const instruction of flow.instructions) verifyOperands(instruction, fn, program);
  }
  for (const type of program.types) verifyType(type, program);
  const entry = program.functions[program.entry];
  if (entry === undefined) throw new InvalidBytecode('no such entry function', program.entry, 'the program');
  if (entry.captures !== 0) throw new InvalidBytecode('the entry function needs a closure', program.entry, 'the program');
}

function verifyHeader(fn: FunctionProto, program: Program): void {
  const bad = (what: string): never => {
    throw new InvalidBytecode(what, 0, fn.name);
  };
  if (fn.registers < fn.params.length || fn.registers > MAX_REGISTERS) bad(`${fn.registers} registers`);
  if (fn.captures < 0 || fn.captures > 0xffff) bad(`${fn.captures} captured values`);
  if (program.sources[fn.source] === undefined) bad('no such source file');
  if (fn.handlers.length % 4 !== 0 || fn.lines.length % 3 !== 0) bad('cut off tables');
}

function verifyType(type: Program['types'][number], program: Program): void {
  const bad = (what: string): never => {
    throw new InvalidBytecode(what, 0, `type ${type.name}`);
  };
  if (type.kind === 'record' && program.functions[type.ctor]?.params.length !== type.fields.length) bad('constructor does not fit');
  if (type.kind === 'record' && program.functions[type.ctor].captures !== 0) bad('constructor needs a closure');
  if (type.kind === 'error' && typeof type.parent === 'number') {
    const index = program.types.indexOf(type);
    if (type.parent >= index || program.types[type.parent]?.kind !== 'error') bad('parent is not an earlier error type');
  }
}

function verifyOperands(instruction: Instruction, fn: FunctionProto, program: Program): void {
  const bad = (what: string): never => {
    throw new InvalidBytecode(`${instruction.info.name}: ${what}`, instruction.pc, fn.name);
  };
  for (const register of instruction.reads) if (register >= fn.registers) bad(`register ${register} of ${fn.registers}`);
  for (const register of instruction.writes) if (register >= fn.registers) bad(`register ${register} of ${fn.registers}`);
  for (const [letter, value] of Object.entries(instruction.extras)) if (!extraIsValid(letter, value, program)) bad(`operand ${letter} ${value}`);
  verifyCounts(instruction, fn, program, bad);
}

function extraIsValid(letter: string, value: number, program: Program): boolean {
  switch (letter) {
    case 'K': return program.constants[value] !== undefined && program.constants[value].kind !== 'names';
    case 'S': return program.constants[value]?.kind === 'names';
    case 'F': return program.functions[value] !== undefined;
    case 'N': return program.natives[value] !== undefined;
    case 'G': return program.slots[value] !== undefined;
    case 'T': return program.types[value] !== undefined;
    default: return true;
  }
}

/** Counts that must agree with what another table says: the interpreter trusts them. */
function verifyCounts(instruction: Instruction, fn: FunctionProto, program: Program, bad: (what: string) => never): void {
  const { extras, args, info } = instruction;
  switch (info.op) {
    case Op.CALL:
      if (args.length !== program.functions[extras.F].params.length) bad('argument count');
      if (program.functions[extras.F].captures !== 0) bad('function needs a closure');
      break;
    case Op.CLOSURE: if (args.length !== program.functions[extras.F].captures) bad('capture count'); break;
    case Op.CAPTURE: if (instruction.immediate >= fn.captures) bad('capture index'); break;
    case Op.HASH: if (args.length !== namesOf(program, extras.S).length) bad('key count'); break;
    case Op.NEWREC: verifyNewRecord(program, extras.T, args.length, bad); break;
    case Op.CALLN: case Op.CALLMN: if (args.length < namesOf(program, extras.S).length) bad('name count'); break;
    case Op.APPLY: case Op.APPLYM: if (args.length !== 3) bad('argument count'); break;
    default: break;
  }
  const isName = info.extras.includes('K') && info.op !== Op.LOADK;
  if (isName && program.constants[extras.K].kind !== 'string') bad('name is not a string');
}

function namesOf(program: Program, index: number): string[] {
  const constant = program.constants[index];
  return constant.kind === 'names' ? constant.value : [];
}

function verifyNewRecord(program: Program, index: number, count: number, bad: (what: string) => never): void {
  const type = program.types[index];
  if (type.kind !== 'record' || type.fields.length !== count) bad('record fields');
}

/** Decodes and checks one function's control flow: I1 to I7. @throws InvalidBytecode */
export function verifyFlow(fn: FunctionProto): Flow {
  const instructions = decodeAll(fn.code, fn.name);
  const indexAt = new Int32Array(fn.code.length + 1).fill(-1);
  instructions.forEach((instruction, i) => (indexAt[instruction.pc] = i));
  const flow: Flow = { instructions, indexAt, regions: [], inner: [], interior: [] };
  const check = new FlowCheck(fn, flow);
  check.collectRegions();
  check.nestRegions();
  check.checkJumps();
  check.checkHandlers();
  check.checkEnds();
  return flow;
}

class FlowCheck {
  private readonly handlerStarts = new Set<number>();

  constructor(private readonly fn: FunctionProto, private readonly flow: Flow) {}

  private bad(what: string, pc: number): never {
    throw new InvalidBytecode(what, pc, this.fn.name);
  }

  private startsAt(pc: number): number {
    return pc >= 0 && pc < this.fn.code.length ? this.flow.indexAt[pc] : -1;
  }

  collectRegions(): void {
    const { instructions, regions } = this.flow;
    for (const { info, pc, extras } of instructions) {
      if (info.op === Op.LOOPHEAD) regions.push({ kind: 'loop', start: pc, end: extras.E, handler: -1, parent: null });
    }
    const { handlers } = this.fn;
    for (let i = 0; i < handlers.length; i += 4) {
      regions.push({ kind: 'try', start: handlers[i], end: handlers[i + 1], handler: handlers[i + 2], parent: null });
      this.handlerStarts.add(handlers[i + 2]);
      if (handlers[i + 3] < 0 || handlers[i + 3] > HANDLES_ALL) this.bad('handler kind', handlers[i]);
    }
    for (const { start, end } of regions) {
      if (start >= end || this.startsAt(start) < 0 || (end !== this.fn.code.length && this.startsAt(end) < 0)) this.bad('region border', start);
    }
    // Outer regions first. The compiler adds inner handlers first, so that equal ranges are reversed; a try stands outside a loop of its size.
    regions.reverse().sort((p, q) => p.start - q.start || q.end - p.end || Number(p.kind === 'loop') - Number(q.kind === 'loop'));
  }

  nestRegions(): void {
    const { instructions, regions, inner, interior } = this.flow;
    const stack: Region[] = [];
    let next = 0;
    for (const { pc } of instructions) {
      while (stack.length > 0 && stack[stack.length - 1].end <= pc) stack.pop();
      interior.push(stack[stack.length - 1] ?? null);
      for (; next < regions.length && regions[next].start === pc; next++) {
        const region = regions[next];
        region.parent = stack[stack.length - 1] ?? null;
        if (region.parent !== null && region.parent.end < region.end) this.bad('regions overlap', region.start);
        stack.push(region);
      }
      inner.push(stack[stack.length - 1] ?? null);
    }
  }

  checkJumps(): void {
    const { instructions } = this.flow;
    instructions.forEach((instruction, i) => {
      const { pc, target, info } = instruction;
      if (info.op === Op.LOOP) this.checkLoop(pc, target);
      else if (target >= 0 || info.extras.includes('J')) this.checkForward(pc, target);
      if (info.op === Op.CATCH && !(this.handlerStarts.has(pc) && i > 0 && instructions[i - 1].info.ends)) this.bad('stray CATCH', pc);
    });
  }

  private checkLoop(pc: number, target: number): void {
    const at = this.startsAt(target);
    const head = at < 0 ? undefined : this.flow.instructions[at];
    if (head === undefined || head.info.op !== Op.LOOPHEAD) this.bad('LOOP to no LOOPHEAD', pc);
    if (!(target < pc && pc < head.extras.E)) this.bad('LOOP outside its loop', pc);
  }

  private checkForward(pc: number, target: number): void {
    const at = this.startsAt(target);
    if (at < 0) this.bad('jump target', pc);
    if (target <= pc) this.bad('backward jump', pc);
    const region = this.flow.interior[at];
    if (region !== null && region.start > pc) this.bad('jump into a region', pc);
    if (this.handlerStarts.has(target)) this.bad('jump to a handler', pc);
  }

  checkHandlers(): void {
    const { regions, instructions, interior } = this.flow;
    this.checkHandlerOrder();
    for (const region of regions) {
      if (region.kind !== 'try') continue;
      const at = this.startsAt(region.handler);
      if (at < 0 || instructions[at].info.op !== Op.CATCH || region.handler < region.end) this.bad('handler', region.start);
      const around = interior[at];
      if (around !== null && (around === region || around.start > region.start)) this.bad('handler inside a region', region.handler);
    }
  }

  /** The search takes the first range that fits, so inner ranges must stand before the ones around them. */
  private checkHandlerOrder(): void {
    const { handlers } = this.fn;
    const { regions } = this.flow;
    const row = new Map<string, number>();
    for (let i = 0; i < handlers.length; i += 4) row.set(`${handlers[i]} ${handlers[i + 1]} ${handlers[i + 2]}`, i);
    const place = (region: Region): number => row.get(`${region.start} ${region.end} ${region.handler}`) as number;
    for (const region of regions) {
      if (region.kind !== 'try') continue;
      let outer = region.parent;
      while (outer !== null && outer.kind !== 'try') outer = outer.parent;
      if (outer !== null && place(outer) < place(region)) this.bad('handlers are not in order, inner ranges first', region.start);
    }
  }

  checkEnds(): void {
    const { instructions, inner } = this.flow;
    const last = instructions[instructions.length - 1];
    if (last === undefined || !last.info.ends) this.bad('code falls off its end', this.fn.code.length);
    for (let i = 1; i <= instructions.length; i++) {
      for (let region = inner[i - 1]; region !== null && (i === instructions.length || region.end <= instructions[i].pc); region = region.parent) {
        if (region.kind === 'loop' && !instructions[i - 1].info.ends) this.bad('loop falls through', region.end);
      }
    }
  }
}
