import t from 'tap';
import { verifyFlow } from '../../../vm/bytecode/flow.js';
import { Op } from '../../../vm/bytecode/generated/op.js';
import {
  HANDLES_ALL,
  HANDLES_ERRORS,
  type Constant,
  type FunctionProto,
  type Program,
} from '../../../vm/bytecode/program.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import { args, fn, NIL_RETURN, op, program, type Parts } from '../support/assemble.js';

const NIL = op(Op.LOADNIL); // 1 word
const RETURN = op(Op.RETURN); // 1 word
const jump = (to: number): number[] => op(Op.JUMP, 0, 0, 0, to); // 2 words
const jumpIfFalse = (to: number): number[] => op(Op.JF, 0, 0, 0, to); // 2 words
const head = (end: number): number[] => op(Op.LOOPHEAD, 0, 0, 0, end); // 2 words
const loop = (to: number): number[] => op(Op.LOOP, 0, 0, 0, to); // 2 words
const CATCH = op(Op.CATCH, 1); // 1 word
const rescue = (start: number, end: number, handler: number): number[] => [start, end, handler, HANDLES_ERRORS];

interface Case {
  name: string;
  program: Program;
  message: RegExp | null;
}

const cases: Case[] = [];

/** A function that must be refused with this message, or pass if it is null. */
function flow(name: string, message: RegExp | null, code: number[][], ...handlers: number[][]): void {
  cases.push({ name, message, program: program([fn({ code, handlers })]) });
}

// ---- I1
flow('I1 a jump into an instruction', /^jump target at address 0 of f$/, [jump(3), jump(5), NIL, RETURN]);
flow('I1 a jump after the end', /^jump target/, [jump(9), NIL, RETURN]);
flow('I1 a jump to the end', /^jump target/, [jump(4), NIL, RETURN]);
flow('I1 a jump in front of the start', /^jump target/, [jump(-1), NIL, RETURN]);
flow('I1 a conditional jump into an instruction', /^jump target/, [jumpIfFalse(3), jump(4), NIL, RETURN]);
flow('I1 a loop that ends in an instruction', /^region border/, [head(5), loop(0), jump(6), NIL, RETURN]);
flow('I1 a loop that ends after the end', /^region border/, [head(7), loop(0), NIL, RETURN]);
flow('I1 a loop that ends before it starts', /^region border/, [NIL, head(0), loop(1), NIL, RETURN]);
flow(
  'I1 a protected range that starts in an instruction',
  /^region border/,
  [jump(2), NIL, RETURN, CATCH, RETURN],
  rescue(1, 3, 4),
);
flow(
  'I1 a protected range that ends in an instruction',
  /^region border/,
  [NIL, jump(3), RETURN, CATCH, RETURN],
  rescue(0, 2, 4),
);
flow('I1 an empty protected range', /^region border/, [NIL, RETURN, CATCH, RETURN], rescue(1, 1, 2));
flow('I1 a protected range in front of the start', /^region border/, [NIL, RETURN, CATCH, RETURN], rescue(-1, 1, 2));
flow('I1 a handler in an instruction', /^handler/, [NIL, jump(3), RETURN], rescue(0, 1, 2));
flow('I1 a handler after the end', /^handler/, [NIL, RETURN], rescue(0, 1, 2));

// ---- I2
flow(
  'I2 a protected range that overlaps a loop',
  /^regions overlap/,
  [NIL, head(5), loop(1), NIL, RETURN, CATCH, RETURN],
  rescue(0, 3, 7),
);
flow(
  'I2 a loop that overlaps a protected range',
  /^regions overlap/,
  [head(5), NIL, NIL, RETURN, NIL, RETURN, CATCH, RETURN],
  rescue(2, 7, 7),
);
flow(
  'I2 two protected ranges',
  /^regions overlap/,
  [NIL, NIL, NIL, RETURN, CATCH, RETURN, CATCH, RETURN],
  rescue(0, 2, 4),
  rescue(1, 3, 6),
);
flow('I2 two loops', /^regions overlap/, [head(5), head(7), RETURN, loop(0), NIL, RETURN]);
flow(
  'regions may share borders',
  null,
  [head(5), NIL, loop(0), NIL, RETURN, CATCH, RETURN, CATCH, RETURN],
  rescue(0, 5, 7),
  rescue(0, 5, 9),
);

// ---- I3
flow('I3 a backward jump', /^backward jump at address 1 of f$/, [NIL, jump(0), RETURN]);
flow('I3 a jump to itself', /^backward jump/, [jump(0), NIL, RETURN]);
flow('I3 a backward conditional jump', /^backward jump/, [NIL, jumpIfFalse(0), NIL, RETURN]);
flow('I3 a backward jump to a loop head', /^backward jump/, [head(6), NIL, NIL, jump(0), NIL, RETURN]);
flow('I3 a LOOP to no LOOPHEAD', /^LOOP to no LOOPHEAD/, [NIL, loop(0), NIL, RETURN]);
flow('I3 a LOOP into an instruction', /^LOOP to no LOOPHEAD/, [head(4), loop(1), NIL, RETURN]);
flow('I3 a LOOP to nowhere', /^LOOP to no LOOPHEAD/, [head(4), loop(-5), NIL, RETURN]);
flow('I3 a LOOP outside of its loop', /^LOOP outside its loop/, [head(4), loop(0), loop(0), NIL, RETURN]);
flow('I3 a LOOP forward', /^LOOP outside its loop/, [loop(2), head(6), loop(2), NIL, RETURN]);
flow('a LOOP to an outer loop', null, [head(8), head(6), loop(0), loop(0), NIL, RETURN]);

// ---- I4
flow('I4 a jump into a loop', /^jump into a region at address 0 of f$/, [jump(4), head(7), NIL, loop(2), NIL, RETURN]);
flow(
  'I4 a jump into a protected range',
  /^jump into a region/,
  [jump(3), NIL, NIL, RETURN, CATCH, RETURN],
  rescue(2, 4, 5),
);
flow('I4 a jump into an inner loop', /^jump into a region/, [
  head(11),
  jumpIfFalse(6),
  head(9),
  NIL,
  loop(4),
  loop(0),
  NIL,
  RETURN,
]);
flow('a jump to the start of a loop', null, [jumpIfFalse(3), NIL, head(7), loop(3), NIL, RETURN]);
flow(
  'a jump to the start of a protected range',
  null,
  [jumpIfFalse(3), NIL, NIL, RETURN, CATCH, RETURN],
  rescue(3, 4, 5),
);
flow('a jump within a loop and out of it', null, [head(9), jumpIfFalse(5), NIL, jumpIfFalse(9), loop(0), NIL, RETURN]);

// ---- I5
flow('I5 a handler that is no CATCH', /^handler at address 0 of f$/, [NIL, RETURN, NIL, RETURN], rescue(0, 1, 2));
flow('I5 a handler in front of its range', /^handler/, [jump(3), CATCH, NIL, RETURN], rescue(3, 4, 2));
flow('I5 a handler inside its range', /^handler/, [NIL, RETURN, CATCH, RETURN], rescue(0, 3, 2));
flow(
  'I5 a handler inside another region',
  /^handler inside a region/,
  [NIL, RETURN, head(8), RETURN, CATCH, loop(2), NIL, RETURN],
  rescue(0, 1, 5),
);
flow('I5 a CATCH that is no handler', /^stray CATCH/, [NIL, RETURN, CATCH, RETURN]);
flow('I5 a CATCH at the start', /^stray CATCH/, [CATCH, RETURN], rescue(0, 1, 0));
flow('I5 a CATCH that is fallen into', /^stray CATCH/, [NIL, CATCH, RETURN], rescue(0, 1, 1));
flow('I5 a jump to a handler', /^jump to a handler/, [jumpIfFalse(3), RETURN, CATCH, RETURN], rescue(2, 3, 3));
flow('two ranges with one handler', null, [NIL, NIL, RETURN, CATCH, RETURN], rescue(0, 1, 3), rescue(1, 2, 3));
flow('a handler in the loop of its range', null, [head(8), NIL, jump(6), CATCH, loop(0), NIL, RETURN], rescue(2, 3, 5));

// ---- I6 and I7
flow('I6 no code', /^code falls off its end/, []);
flow('I6 code without an end', /^code falls off its end at address 1 of f$/, [NIL]);
flow('I6 a conditional jump at the end', /^code falls off its end/, [jumpIfFalse(3), NIL, RETURN, NIL]);
flow('I7 a loop that falls out of its end', /^loop falls through at address 3 of f$/, [head(3), NIL, NIL, RETURN]);
flow('I7 an inner loop', /^loop falls through/, [head(7), head(5), NIL, loop(0), NIL, RETURN]);
flow('I7 a loop that ends with the code', /^(loop|code) falls/, [head(3), NIL]);
flow('a loop may end in any instruction that goes nowhere', null, [head(4), NIL, RETURN, NIL, RETURN]);

flow('an unknown opcode', /^unknown opcode 250 at address 0 of f$/, [[250], RETURN]);
flow('an instruction that is cut off', /^JUMP is cut off/, [NIL, [Op.JUMP]]);
flow('arguments that are cut off', /^VECTOR is cut off/, [op(Op.VECTOR, 0, 0, 5, ...args(0, 0, 0, 0))]);

// ---- bounds of the tables
const CONSTANTS: Constant[] = [
  { kind: 'string', value: 'name' },
  { kind: 'names', value: ['x', 'y'] },
  { kind: 'integer', value: 1 },
];
const POINT = {
  kind: 'record' as const,
  name: 'Point',
  fields: ['x', 'y'],
  types: ['', 'Integer|#0'],
  ctor: 1,
  methods: [] as [string, number][],
} satisfies Program['types'][number];
const COLOR: Program['types'][number] = { kind: 'enum', name: 'Color', members: ['red'], variants: [] };

/** Function 0 has the instruction, function 1 two parameters, function 2 two captured values. */
function tables(name: string, message: RegExp | null, instruction: number[], parts: Parts = {}): void {
  const others: FunctionProto[] = [fn({ name: 'two', params: ['x', 'y'] }), fn({ name: 'closed', captures: 2 })];
  const entry = fn({ code: [instruction, NIL_RETURN], ...parts });
  cases.push({
    name,
    message,
    program: program([entry, ...others], {
      constants: CONSTANTS,
      natives: ['puts'],
      slots: ['counter'],
      types: [POINT, COLOR],
    }),
  });
}

tables('a written register', /^LOADNIL: register 4 of 4 at address 0 of f$/, op(Op.LOADNIL, 4));
tables('the second written register', /^NEXT2: register 9 of 4/, op(Op.NEXT2, 0, 9, 0, 2));
tables('a read register', /^MOVE: register 200 of 4/, op(Op.MOVE, 0, 200));
tables('an argument register', /^VECTOR: register 4 of 4/, op(Op.VECTOR, 0, 0, 5, ...args(0, 1, 2, 3, 4)));
tables('a wide register read', /^MOVEW: register 300 of 300/, op(Op.MOVEW, 0, 0, 0, 299 | (300 << 16)), {
  registers: 300,
});
tables('a wide register written', /^MOVEW: register 300 of 300/, op(Op.MOVEW, 0, 0, 0, 300 | (299 << 16)), {
  registers: 300,
});
tables('the last wide register', null, op(Op.MOVEW, 0, 0, 0, 299 | (0 << 16)), { registers: 300 });
tables('constant after the table', /^LOADK: operand K 3/, op(Op.LOADK, 0, 0, 0, 3));
tables('constant in front of the table', /^LOADK: operand K -1/, op(Op.LOADK, 0, 0, 0, -1));
tables('a list of names is no value', /^LOADK: operand K 1/, op(Op.LOADK, 0, 0, 0, 1));
tables('a value is no list of names', /^HASH: operand S 0/, op(Op.HASH, 0, 0, 0, 0));
tables('list of names after the table', /^HASH: operand S 9/, op(Op.HASH, 0, 0, 0, 9));
tables('function', /^CLOSURE: operand F 3/, op(Op.CLOSURE, 0, 0, 0, 3));
tables('native', /^NATIVE: operand N 1/, op(Op.NATIVE, 0, 0, 0, 1));
tables('native as a value', /^LOADNATIVE: operand N -1/, op(Op.LOADNATIVE, 0, 0, 0, -1));
tables('slot read', /^GETSLOT: operand G 1/, op(Op.GETSLOT, 0, 0, 0, 1));
tables('slot written', /^SETSLOT: operand G -2147483648/, op(Op.SETSLOT, 0, 0, 0, -(2 ** 31)));
tables('type', /^LOADTYPE: operand T 2/, op(Op.LOADTYPE, 0, 0, 0, 2));
tables('arguments of a call', /^CALL: argument count/, op(Op.CALL, 0, 0, 1, 1, ...args(0)));
tables('captured values of a closure', /^CLOSURE: capture count/, op(Op.CLOSURE, 0, 0, 1, 2, ...args(0)));
tables('index of a captured value', /^CAPTURE: capture index/, op(Op.CAPTURE, 0, 1), { captures: 1 });
tables('index of a captured value above 255', /^CAPTURE: capture index/, op(Op.CAPTURE, 0, 0, 1), { captures: 1 });
tables('values of a hash', /^HASH: key count/, op(Op.HASH, 0, 0, 1, 1, ...args(0)));
tables('fields of a record', /^NEWREC: record fields/, op(Op.NEWREC, 0, 0, 1, 0, ...args(0)));
tables('a record of an enum type', /^NEWREC: record fields/, op(Op.NEWREC, 0, 0, 0, 1));
tables('fewer arguments than names', /^CALLN: name count/, op(Op.CALLN, 0, 0, 1, 1, ...args(0)));
tables('fewer arguments than names of a method', /^CALLMN: name count/, op(Op.CALLMN, 0, 0, 1, 0, 1, ...args(0)));
tables('arguments of APPLY', /^APPLY: argument count/, op(Op.APPLY, 0, 0, 2, ...args(0, 1)));
tables('arguments of APPLYM', /^APPLYM: argument count/, op(Op.APPLYM, 0, 0, 4, 0, ...args(0, 1, 2, 3)));
// prettier-ignore
for (const [name, instruction] of Object.entries({
  CALLM: op(Op.CALLM, 0, 0, 0, 2), GETF: op(Op.GETF, 0, 0, 0, 2), SETF: op(Op.SETF, 0, 0, 0, 2), APPLYM: op(Op.APPLYM, 0, 0, 3, 2, ...args(0, 1, 2)), ITER: op(Op.ITER, 0, 0, 0, 2),
})) tables(`the name in ${name}`, new RegExp(`^${name}: name is not a string`), instruction);
tables('all counts right', null, op(Op.CALL, 0, 0, 2, 1, ...args(0, 1)));

/** Everything except the code. */
function header(name: string, message: RegExp, parts: Parts | Partial<Program>): void {
  const rest = Object.keys(parts).every((key) => ['types', 'entry'].includes(key)) ? (parts as Partial<Program>) : null;
  cases.push({
    name,
    message,
    program: rest === null ? program([fn(parts as Parts)]) : program([fn(), fn({ params: ['x'] })], rest),
  });
}

header('fewer registers than parameters', /^4 registers/, { params: ['a', 'b', 'c', 'd', 'e'] });
header('too many registers', /^65537 registers/, { registers: 65_537 });
header('too many captured values', /^65536 captured values/, { captures: 65_536 });
header('fewer than no captured values', /^-1 captured values/, { captures: -1 });
header('a source that is not there', /^no such source file/, { source: 1 });
header('a cut off handler table', /^cut off tables/, { handlers: [[0, 1, 2]] });
header('a cut off line table', /^cut off tables/, { lines: [0, 1] });
header('an unknown kind of handler', /^handler kind/, { code: [NIL, RETURN, CATCH, RETURN], handlers: [[0, 1, 2, 2]] });
header('a negative kind of handler', /^handler kind/, {
  code: [NIL, RETURN, CATCH, RETURN],
  handlers: [[0, 1, 2, -1]],
});
header('an entry that is not there', /^no such entry function/, { entry: 2 });
header('a constructor that is not there', /^constructor does not fit/, { types: [{ ...POINT, ctor: 7 }] });
header('a constructor with other parameters', /^constructor does not fit/, { types: [POINT] });
for (const [what, types] of Object.entries({
  'missing types of fields': ['', ''],
  'a type after the table': ['#1'],
  'a type without a number': ['#x'],
  'a type with an open bracket': ['Vector<Integer'],
  'a type nested deeply': ['Vector<'.repeat(40) + '>'.repeat(40)],
  'a type with other characters': ['Vector<Integer>?'],
  'a bound that no Float has': ['Float(0..1e+999999999)'],
}))
  header(what, /^(fields and their types differ|'.*' is no type of a field)/, {
    types: [{ ...POINT, fields: ['x'], types, ctor: 1 }],
  });
header('a method that is not there', /^method 'm' takes no record/, {
  types: [{ ...POINT, fields: [], types: [], ctor: 0, methods: [['m', 9]] }],
});
header('a method without parameters', /^method 'm' takes no record/, {
  types: [{ ...POINT, fields: [], types: [], ctor: 0, methods: [['m', 0]] }],
});
header('an error type that is its own parent', /^parent is not an earlier error type/, {
  types: [{ kind: 'error', name: 'E', parent: 0 }],
});
header('an error type with a later parent', /^parent is not an earlier error type/, {
  types: [
    { kind: 'error', name: 'E', parent: 1 },
    { kind: 'error', name: 'F', parent: 'Error' },
  ],
});
header('an error type below an enum', /^parent is not an earlier error type/, {
  types: [COLOR, { kind: 'error', name: 'E', parent: 0 }],
});

for (const { name, program: made, message } of cases) {
  t.test(name, async (t) => {
    if (message === null) t.doesNotThrow(() => verifyProgram(made));
    else t.throws(() => verifyProgram(made), { name: 'InvalidBytecode', message });
  });
}

// The interpreter relies on this: a function that reads captured values is entered only through a closure that has them.
t.test('a function with captured values cannot be called without a closure', async (t) => {
  const closed = fn({ name: 'closed', captures: 1, code: [op(Op.CAPTURE, 0, 0), RETURN] });
  const called = program([fn({ code: [op(Op.CALL, 0, 0, 0, 1), RETURN] }), closed]);
  t.throws(() => verifyProgram(called), { name: 'InvalidBytecode' }, 'by CALL');
  t.throws(() => verifyProgram(program([closed])), { name: 'InvalidBytecode' }, 'as the entry');
  const record = program([fn(), closed], {
    types: [{ kind: 'record', name: 'R', fields: [], types: [], ctor: 1, methods: [] }],
  });
  t.throws(() => verifyProgram(record), { name: 'InvalidBytecode' }, 'as a constructor');
});

// The interpreter uses the first row that covers an address, the JIT nests by size. They agree only if inner rows come first.
t.test('handlers of inner ranges come first', async (t) => {
  const code = [NIL, NIL, NIL, RETURN, CATCH, RETURN, CATCH, RETURN];
  t.doesNotThrow(() => verifyFlow(fn({ code, handlers: [rescue(1, 2, 4), rescue(0, 3, 6)] })));
  t.throws(() => verifyFlow(fn({ code, handlers: [rescue(0, 3, 6), rescue(1, 2, 4)] })), { name: 'InvalidBytecode' });
});

t.test('regions nest as in the program', async (t) => {
  // A loop in a protected range of the same size in a loop. The handler is in the outer loop.
  const made = fn({
    code: [head(11), head(8), NIL, NIL, loop(2), CATCH, loop(0), NIL, RETURN],
    handlers: [[2, 8, 8, HANDLES_ALL]],
  });
  const { regions, inner, interior, instructions } = verifyFlow(made);
  t.strictSame(
    regions.map(({ kind, start, end }) => `${kind} ${start}..${end}`),
    ['loop 0..11', 'try 2..8', 'loop 2..8'],
  );
  t.strictSame(
    regions.map(({ parent }) => (parent === null ? -1 : regions.indexOf(parent))),
    [-1, 0, 1],
  );
  const at = (pc: number): number => instructions.findIndex((instruction) => instruction.pc === pc);
  t.equal(inner[at(2)], regions[2], 'the innermost region that starts here');
  t.equal(interior[at(2)], regions[0], 'the innermost one that was there before');
  t.equal(inner[at(8)], regions[0]);
});
