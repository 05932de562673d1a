import { decodeAll, type Instruction } from './decode.js';
import { HANDLES_ALL, positionOf, type Constant, type FunctionProto, type Program } from './program.js';
import { SourceLines } from './sourcelines.js';

/**
 * Readable listing of a whole program. With `withSource`, the text of each source line precedes its instructions, if
 * available.
 */
export function disassemble(program: Program, withSource = false): string {
  const sources = withSource ? new SourceLines(program) : null;
  const parts = program.functions.map((fn, index) => disassembleFunction(program, fn, index, sources));
  const types = program.types.map((type, i) => `type ${i}: ${type.kind} ${type.name}`);
  return [...types, ...parts].join('\n') + '\n';
}

function disassembleFunction(program: Program, fn: FunctionProto, index: number, sources: SourceLines | null): string {
  const params = fn.params.map(({ name, kind }) => (kind === 'required' ? name : `${name}:${kind}`)).join(', ');
  const entry = index === program.entry ? ' (entry)' : '';
  const head = `function ${index} ${fn.kind} ${fn.name}(${params})${entry}  ${fn.registers} registers, ${fn.captures} captured  ${program.sources[fn.source].path}`;
  const lines: string[] = [];
  let before = 0;
  for (const instruction of decodeAll(fn.code, fn.name)) {
    const row = positionOf(fn, instruction.pc).line;
    const text = row === before ? null : (sources?.at(fn.source, row) ?? null);
    if (text !== null) lines.push(`       ; ${row} | ${text}`.trimEnd());
    before = row;
    lines.push(line(program, fn, instruction));
  }
  return [head, ...lines, ...handlerLines(fn), ''].join('\n');
}

function line(program: Program, fn: FunctionProto, instruction: Instruction): string {
  const { line: row, column } = positionOf(fn, instruction.pc);
  const position = `${row}:${column}`.padEnd(8);
  return `${String(instruction.pc).padStart(5)}  ${position} ${instruction.info.name.padEnd(10)} ${operandText(program, instruction)}`.trimEnd();
}

function operandText(program: Program, instruction: Instruction): string {
  const { writes, info } = instruction;
  const target = writes.length > 0 ? `${writes.map((r) => `r${r}`).join(', ')} <- ` : '';
  const reads = instruction.reads
    .slice(0, instruction.reads.length - instruction.args.length)
    .map((r) => `r${r}`)
    .join(', ');
  const args = info.extras.includes('*') ? `(${instruction.args.map((r) => `r${r}`).join(', ')})` : '';
  const immediate = /[iuIU]/.test(info.roles) ? String(instruction.immediate) : '';
  const extras = [...info.extras]
    .filter((letter) => letter !== '*' && letter !== 'X')
    .map((letter) => extraText(program, letter, instruction.extras[letter]));
  return target + [reads, immediate, ...extras].filter(Boolean).join(' ') + args;
}

function extraText(program: Program, letter: string, value: number): string {
  switch (letter) {
    case 'K':
    case 'S':
      return constantText(program.constants[value]);
    case 'J':
      return `-> ${value}`;
    case 'E':
      return `end ${value}`;
    case 'F':
      return `${program.functions[value].name}#${value}`;
    case 'N':
      return program.natives[value];
    case 'G':
      return `slot ${program.slots[value]}#${value}`;
    case 'T':
      return program.types[value].name;
    default:
      return `#${value}`;
  }
}

function constantText(constant: Constant): string {
  switch (constant.kind) {
    case 'string':
      return JSON.stringify(constant.value);
    case 'integer':
      return String(constant.value);
    case 'float':
      return `float ${constant.value}`;
    case 'decimal':
      return `${constant.value}d`;
    case 'regex':
      return `/${constant.source}/${constant.flags}`;
    case 'names':
      return `{${constant.value.join(', ')}}`;
  }
}

function handlerLines(fn: FunctionProto): string[] {
  const out: string[] = [];
  for (let i = 0; i < fn.handlers.length; i += 4) {
    const [start, end, handler, kind] = fn.handlers.subarray(i, i + 4);
    out.push(`       ${kind === HANDLES_ALL ? 'ensure' : 'rescue'} ${start}..${end} -> ${handler}`);
  }
  return out;
}
