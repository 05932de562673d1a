import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { generateBytecode } from '../../../tools/generate-bytecode.js';
import { decode, decodeAll, InvalidBytecode } from '../../../vm/bytecode/decode.js';
import { disassemble } from '../../../vm/bytecode/disassemble.js';
import { Encoder } from '../../../vm/bytecode/encode.js';
import type { Op } from '../../../vm/bytecode/generated/op.js';
import { OPCODE_BY_NUMBER, OPCODES, type OpcodeInfo } from '../../../vm/bytecode/opcodes.js';
import { positionOf, type Program } from '../../../vm/bytecode/program.js';
import { lengthAt } from '../../../vm/interpreter/operations.js';
import fc from '../../property.js';
import { fn, program } from '../support/assemble.js';
import { ROOT } from '../support/corpus.js';
import { settings } from '../support/values.js';

t.test('numbers and names are unique', async (t) => {
  t.equal(new Set(OPCODES.map(({ op }) => op)).size, OPCODES.length);
  t.equal(new Set(OPCODES.map(({ name }) => name)).size, OPCODES.length);
  for (const info of OPCODES) {
    t.ok(Number.isInteger(info.op) && info.op > 0 && info.op < 256, `${info.name} has a byte of its own that is not 0`);
    t.equal(OPCODE_BY_NUMBER[info.op], info);
  }
});

t.test('shapes are well formed', async (t) => {
  for (const { name, roles, extras, suspends } of OPCODES) {
    t.match(roles, /^([dsiun.][dsiun.][dsiun.]|[ds.][IU]\.)$/, `${name} ${roles}`);
    t.match(extras, /^[KSJEFNGTWX]*\*?$/, `${name} ${extras}`);
    t.equal(extras.includes('*'), roles[2] === 'n', `${name}: a count stands in C exactly when there are arguments`);
    // The result of a wait is stored in register A.
    if (suspends && name !== 'LOOP' && !name.startsWith('SET'))
      t.equal(roles[0], 'd', `${name} has a register for its result`);
  }
});

t.test('generated files agree with the table', async (t) => {
  for (const [path, text] of generateBytecode()) t.equal(await readFile(join(ROOT, path), 'utf8'), text, path);
  const text = await readFile(join(ROOT, 'vm/bytecode/generated/op.ts'), 'utf8');
  const members = [...text.matchAll(/^ {2}(\w+) = (\d+),$/gm)].map(([, name, op]) => `${name} ${op}`);
  t.strictSame(
    members,
    OPCODES.map(({ name, op }) => `${name} ${op}`),
  );
});

interface Operands {
  bytes: number[];
  extras: number[];
  args: number[];
}

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const byte = fc.nat(255);

function operandsOf(info: OpcodeInfo): fc.Arbitrary<Operands> {
  const count = info.extras.replace('*', '').length;
  const list = info.extras.includes('*') ? fc.array(byte, { maxLength: 255, size: 'max' }) : fc.constant<number[]>([]);
  return fc.record({
    bytes: fc.tuple(byte, byte, byte),
    extras: fc.array(word, { minLength: count, maxLength: count }),
    args: list,
  });
}

function encode(info: OpcodeInfo, { bytes: [a, b, c], extras, args }: Operands): Int32Array {
  const encoder = new Encoder();
  encoder.emit(info.op as Op, a, b, info.roles[2] === 'n' ? args.length : c, extras, args);
  return encoder.finish().code;
}

/** Expected operands by the table, without the decoder. */
function meaning(
  info: OpcodeInfo,
  { bytes, extras, args }: Operands,
): { reads: number[]; writes: number[]; immediate: number } {
  const pick = (role: string): number[] => bytes.filter((_, i) => info.roles[i] === role);
  const wide = info.extras === 'X' ? extras[0] : null;
  const half = bytes[1] + bytes[2] * 256;
  const at = info.roles.search(/[iuIU]/);
  const value =
    { i: bytes[at] > 127 ? bytes[at] - 256 : bytes[at], u: bytes[at], I: half > 32767 ? half - 65536 : half, U: half }[
      info.roles[at]
    ] ?? 0;
  return {
    writes: wide === null ? pick('d') : [((wide % 65536) + 65536) % 65536],
    reads: [...pick('s'), ...(wide === null ? [] : [Math.floor((wide < 0 ? wide + 2 ** 32 : wide) / 65536)]), ...args],
    immediate: value,
  };
}

for (const info of OPCODES) {
  t.test(`${info.name} decodes to its operands`, async () => {
    fc.assert(
      fc.property(operandsOf(info), (operands) => {
        const code = encode(info, operands);
        const got = decode(code, 0, 'f');
        const expected = meaning(info, operands);
        const again = new Encoder();
        again.emit(got.info.op as Op, got.a, got.b, got.c, Object.values(got.extras), got.args);
        return (
          got.info === info &&
          got.length === code.length &&
          lengthAt(code, 0) === code.length &&
          String(got.args) === String(operands.args) &&
          String(got.reads) === String(expected.reads) &&
          String(got.writes) === String(expected.writes) &&
          got.immediate === expected.immediate &&
          Object.values(got.extras).join() === operands.extras.join() &&
          got.target === (info.extras.includes('J') ? operands.extras[info.extras.indexOf('J')] : -1) &&
          again.finish().code.join() === code.join()
        );
      }),
      settings(60),
    );
  });
}

/** Tables in which index 0 is valid for every kind of operand. */
function tables(code: Int32Array): Program {
  // prettier-ignore
  return program([{ ...fn(), name: 'callee', code }], {
    constants: [{ kind: 'string', value: 'text' }, { kind: 'names', value: ['x', 'y'] }], natives: ['puts'], slots: ['counter'],
    types: [{ kind: 'enum', name: 'Color', members: [], variants: [] }],
  });
}

t.test('the disassembler shows every operand of every instruction', async (t) => {
  // prettier-ignore
  const extraValues: Record<string, [number, string]> = {
    K: [0, '"text"'], S: [1, '{x, y}'], J: [7, '-> 7'], E: [9, 'end 9'], F: [0, 'callee#0'], N: [0, 'puts'], G: [0, 'slot counter#0'], T: [0, 'Color'], W: [77, '#77'], X: [300 | (400 << 16), 'r300 <- r400'],
  };
  for (const info of OPCODES) {
    const letters = [...info.extras.replace('*', '')];
    const operands: Operands = {
      bytes: [11, 22, 33],
      extras: letters.map((letter) => extraValues[letter][0]),
      args: info.extras.includes('*') ? [44, 55, 66, 77, 88] : [],
    };
    const line =
      disassemble(tables(encode(info, operands)))
        .split('\n')
        .find((text) => text.startsWith('    0  ')) ?? '';
    t.match(line, `1:1      ${info.name}`, 'position and name');
    for (const letter of letters) t.match(line, extraValues[letter][1], `${info.name} ${letter}`);
    [...info.roles].forEach((role, i) => {
      const value = operands.bytes[i];
      if (role === 'd') t.match(line, new RegExp(`r${value}\\b.*<-`), `${info.name} writes`);
      if (role === 's') t.match(line, new RegExp(`(<-.* |[A-Z] +|, )r${value}\\b`), `${info.name} reads`);
      if (role === 'i' || role === 'u') t.match(line, new RegExp(`\\b${value}\\b`), `${info.name} number`);
      if (role === 'I' || role === 'U')
        t.match(line, new RegExp(`\\b${operands.bytes[1] + operands.bytes[2] * 256}\\b`), `${info.name} number`);
    });
    if (operands.args.length > 0) t.match(line, '(r44, r55, r66, r77, r88)', `${info.name} arguments`);
  }
});

t.test('labels may be bound before or after their use', async (t) => {
  const encoder = new Encoder();
  const [before, after] = [encoder.newLabel(), encoder.newLabel()];
  encoder.emit(3, 0);
  encoder.bind(before);
  encoder.emit(50, 0, 0, 0, [after]);
  encoder.emit(50, 0, 0, 0, [before]);
  encoder.emit(50, 0, 0, 0, [after]);
  encoder.bind(after);
  encoder.emit(82, 0);
  t.strictSame(
    decodeAll(encoder.finish().code, 'f').map(({ target }) => target),
    [-1, 7, 1, 7, -1],
  );
});

t.test('positions have a row for each change and are found for every address', async (t) => {
  const encoder = new Encoder();
  const places = [
    [1, 1],
    [1, 1],
    [2, 5],
    [2, 6],
    [2, 6],
    [1, 1],
  ];
  for (const [line, column] of places) {
    encoder.position(line, column);
    encoder.emit(3, 0);
  }
  const { lines } = encoder.finish();
  t.strictSame([...lines], [0, 1, 1, 2, 2, 5, 3, 2, 6, 5, 1, 1]);
  t.strictSame(
    places.map((_, pc) => positionOf({ lines }, pc)),
    places.map(([line, column]) => ({ line, column })),
  );
  t.strictSame(positionOf({ lines: new Int32Array(0) }, 3), { line: 0, column: 0 });
});

t.test('unknown and truncated instructions are refused', async (t) => {
  t.throws(() => decode(Int32Array.of(0), 0, 'f'), new InvalidBytecode('unknown opcode 0', 0, 'f'));
  for (const info of OPCODES.filter(({ extras }) => extras !== '')) {
    const count = info.extras.replace('*', '').length;
    const operands = {
      bytes: [0, 0, 0],
      extras: Array<number>(count).fill(0),
      args: info.extras.includes('*') ? [1, 2, 3, 4, 5] : [],
    };
    const code = encode(info, operands);
    for (let length = 1; length < code.length; length++)
      t.throws(() => decode(code.subarray(0, length), 0, 'f'), {
        name: 'InvalidBytecode',
        message: `${info.name} is cut off at address 0 of f`,
      });
  }
});
