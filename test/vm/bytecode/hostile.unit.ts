import t from 'tap';
import { cpuTime } from '../../clock.js';
import { InvalidBytecode } from '../../../vm/bytecode/decode.js';
import { Op } from '../../../vm/bytecode/generated/op.js';
import { HANDLES_ALL, HANDLES_ERRORS, type Constant, type Program } from '../../../vm/bytecode/program.js';
import { args, fn, NIL_RETURN, op, program, type Parts } from '../support/assemble.js';
import { machine, thrownText } from '../support/machine.js';

/**
 * Valid structures whose registers hold values that the compiler never puts there, as in bytecode from a stranger. Each
 * program is refused, or ends, or fails with an error of the language.
 */
interface Case {
  name: string;
  program: Program;
  /** Outcome: message of the refusal or the error, or `a value`. */
  end: RegExp;
}

const cases: Case[] = [];

/** A program of one function with these instructions. */
function code(
  name: string,
  end: RegExp,
  instructions: number[][],
  parts: Parts = {},
  rest: Partial<Program> = {},
): void {
  cases.push({ name, end, program: program([fn({ code: instructions, ...parts })], rest) });
}

const RETURN = op(Op.RETURN, 0);
const RETURN_1 = op(Op.RETURN, 1);
const NIL_TO_1 = op(Op.LOADNIL, 1);
const CELL_IN_1 = op(Op.NEWCELL, 1, 0);
const TEXT: Constant = { kind: 'string', value: 'x' };
const jump = (to: number): number[] => op(Op.JUMP, 0, 0, 0, to); // 2 words

// ---- values in place of cells, iterators, vectors, hashes
code('CELLGET of nil', /^CELLGET: register 0 holds a value, not a cell at address 0 of f$/, [
  op(Op.CELLGET, 1, 0),
  NIL_RETURN,
]);
code('CELLSET of nil', /^CELLSET: register 1 holds a value, not a cell/, [op(Op.CELLSET, 1, 0), NIL_RETURN]);
code('CELLGET of a vector', /^CELLGET: register 1 holds a v\w+, not a cell/, [
  op(Op.VECTOR, 1),
  op(Op.CELLGET, 0, 1),
  RETURN,
]);
code('NEXT of nil', /^NEXT: register 1 holds a value, not an iterator/, [op(Op.NEXT, 0, 1, 0, 2), NIL_RETURN]);
code('NEXT2 of an Integer', /^NEXT2: register 1 holds a value, not an iterator/, [
  op(Op.LOADI, 1, 7),
  op(Op.NEXT2, 2, 3, 1, 3),
  NIL_RETURN,
]);
code('NEXT of a cell', /^NEXT: register 1 holds a cell, not an iterator/, [
  CELL_IN_1,
  op(Op.NEXT, 0, 1, 0, 3),
  NIL_RETURN,
]);
code('VPUSH to nil', /^VPUSH: register 0 holds a value, not a vector/, [op(Op.VPUSH, 0, 1), NIL_RETURN]);
code(
  'VPUSH to a hash',
  /^VPUSH: register 0 holds a hash, not a vector/,
  [op(Op.HASH, 0, 0, 0, 0), op(Op.VPUSH, 0, 1), NIL_RETURN],
  {},
  { constants: [{ kind: 'names', value: [] }] },
);
code(
  'VPUSH to the result of a call',
  /^VPUSH: register 1 holds a value/,
  [op(Op.NATIVE, 1, 0, 0, 0), op(Op.VPUSH, 1, 0), NIL_RETURN],
  {},
  { natives: ['readline'] },
);
code('VEXTEND to nil', /^VEXTEND: register 0 holds a value, not a vector/, [
  op(Op.VECTOR, 1, 0, 1, ...args(2)),
  op(Op.VEXTEND, 0, 1),
  NIL_RETURN,
]);
code(
  'HMERGE into nil',
  /^HMERGE: register 0 holds a value, not a hash/,
  [op(Op.HASH, 1, 0, 1, 0, ...args(2)), op(Op.HMERGE, 0, 1), NIL_RETURN],
  {},
  { constants: [{ kind: 'names', value: ['a'] }] },
);
code('APPLY without a vector', /^APPLY: register 1 holds a value, not a vector/, [
  op(Op.APPLY, 0, 0, 3, ...args(0, 1, 2)),
  NIL_RETURN,
]);
code(
  'APPLYM without a vector',
  /^APPLYM: register 1 holds a value, not a vector/,
  [op(Op.APPLYM, 0, 0, 3, 0, ...args(0, 1, 2)), NIL_RETURN],
  {},
  { constants: [TEXT] },
);
code('APPLY of nil to a vector', /^TypeError: nil is not a function$/, [
  op(Op.VECTOR, 1),
  op(Op.APPLY, 0, 0, 3, ...args(0, 1, 2)),
  NIL_RETURN,
]);

// ---- cells and iterators in place of values
code('a cell that is returned', /^RETURN: register 1 holds a cell, not a value/, [CELL_IN_1, RETURN_1]);
code(
  'an iterator that is returned',
  /^RETURN: register 1 holds an iterator, not a value/,
  [op(Op.VECTOR, 0), op(Op.ITER, 1, 0, 0, 0), RETURN_1],
  {},
  { constants: [TEXT] },
);
code('a cell in a vector', /^VECTOR: register 1 holds a cell/, [
  CELL_IN_1,
  op(Op.VECTOR, 0, 0, 2, ...args(0, 1)),
  RETURN,
]);
code('a cell in a cell', /^NEWCELL: register 1 holds a cell/, [CELL_IN_1, op(Op.NEWCELL, 2, 1), NIL_RETURN]);
code(
  'a cell in a slot',
  /^SETSLOT: register 1 holds a cell/,
  [CELL_IN_1, op(Op.SETSLOT, 1, 0, 0, 0), NIL_RETURN],
  {},
  { slots: ['x'] },
);
code('a cell that is moved', /^MOVE: register 1 holds a cell/, [CELL_IN_1, op(Op.MOVE, 0, 1), RETURN]);
code(
  'an iterator that is moved far',
  /^MOVEW: register 1 holds an iterator/,
  [op(Op.VECTOR, 0), op(Op.ITER, 1, 0, 0, 0), op(Op.MOVEW, 0, 0, 0, 2 | (1 << 16)), NIL_RETURN],
  {},
  { constants: [TEXT] },
);
code('a cell as a condition', /^JT: register 1 holds a cell/, [CELL_IN_1, op(Op.JT, 1, 0, 0, 3), NIL_RETURN]);
code(
  'an iterator as an argument',
  /^CALLM: register 1 holds an iterator/,
  [op(Op.VECTOR, 0), op(Op.ITER, 1, 0, 0, 0), op(Op.CALLM, 0, 0, 1, 0, ...args(1)), NIL_RETURN],
  {},
  { constants: [TEXT] },
);
code(
  'a cell that was moved far and back',
  /^a value$/,
  [
    CELL_IN_1,
    op(Op.MOVEW, 0, 0, 0, 300 | (1 << 16)),
    op(Op.MOVEW, 0, 0, 0, 2 | (300 << 16)),
    op(Op.CELLGET, 0, 2),
    RETURN,
  ],
  { registers: 301 },
);

// ---- paths that join
code('a cell on one way alone', /^CELLGET: register 1 holds a value or a cell/, [
  op(Op.JF, 0, 0, 0, 3),
  CELL_IN_1,
  op(Op.CELLGET, 0, 1),
  RETURN,
]);
code('a cell on both ways', /^a value$/, [
  op(Op.JF, 0, 0, 0, 5),
  CELL_IN_1,
  jump(6),
  CELL_IN_1,
  op(Op.CELLGET, 0, 1),
  RETURN,
]);
code('a loop that takes the cell away', /^CELLGET: register 1 holds a value or a cell/, [
  CELL_IN_1,
  op(Op.LOOPHEAD, 0, 0, 0, 7),
  op(Op.CELLGET, 0, 1),
  NIL_TO_1,
  op(Op.LOOP, 0, 0, 0, 1),
  NIL_RETURN,
]);
code('an inner loop that takes the cell away', /^CELLGET: register 1 holds a value or a cell/, [
  CELL_IN_1,
  op(Op.LOOPHEAD, 0, 0, 0, 14),
  op(Op.CELLGET, 0, 1),
  op(Op.LOOPHEAD, 0, 0, 0, 12),
  op(Op.JT, 0, 0, 0, 12),
  NIL_TO_1,
  op(Op.LOADTRUE, 0),
  op(Op.LOOP, 0, 0, 0, 4),
  op(Op.LOOP, 0, 0, 0, 1),
  NIL_RETURN,
]);
code(
  'a handler that wants a cell made in its range before anything can fail',
  /^a value$/,
  [CELL_IN_1, op(Op.ADD, 0, 0, 0), RETURN, op(Op.CATCH, 0, 0), op(Op.CELLGET, 0, 1), RETURN],
  { handlers: [[0, 2, 3, HANDLES_ERRORS]] },
);
// prettier-ignore
code('a handler whose range spoils the cell', /^CELLGET: register 1 holds a value or a cell/, [
  CELL_IN_1, op(Op.ADD, 2, 0, 0), NIL_TO_1, op(Op.ADD, 2, 0, 0), RETURN, op(Op.CATCH, 0, 0), op(Op.CELLGET, 0, 1), RETURN,
], { handlers: [[1, 4, 5, HANDLES_ERRORS]] });

// ---- registers after a CATCH
code('RETHROW of nil', /^RETHROW: register 0 holds a value, not what a CATCH kept/, [op(Op.RETHROW, 0)]);
code(
  'RETHROW of a text',
  /^RETHROW: register 0 holds a value/,
  [op(Op.LOADK, 0, 0, 0, 0), op(Op.RETHROW, 0)],
  {},
  { constants: [TEXT] },
);
const failing = [NIL_TO_1, op(Op.ADD, 1, 1, 1), RETURN_1]; // 3 words
code(
  'a raw error in a value',
  /^NATIVE: register 1 holds what a CATCH kept/,
  [...failing, op(Op.CATCH, 1, 1), op(Op.NATIVE, 2, 0, 1, 0, ...args(1)), op(Op.RETURN, 2)],
  { handlers: [[1, 2, 3, HANDLES_ERRORS]] },
  { natives: ['puts'] },
);
code(
  'a signal that is taken for an error',
  /^RETURN: register 1 holds a value or what a CATCH kept/,
  [...failing, op(Op.CATCH, 1, 0), RETURN_1],
  { handlers: [[1, 2, 3, HANDLES_ALL]] },
);
code('RETHROW of an error', /^RETHROW: register 1 holds a value/, [...failing, op(Op.CATCH, 1, 0), op(Op.RETHROW, 1)], {
  handlers: [[1, 2, 3, HANDLES_ERRORS]],
});
code('RETHROW of what was caught', /^TypeError: /, [...failing, op(Op.CATCH, 1, 1), op(Op.RETHROW, 1)], {
  handlers: [[1, 2, 3, HANDLES_ALL]],
});

/** An `ensure`. The code in it leaves with number `left` if register 0 is nil; the code after it tests for the numbers in `asked`. */
function ensure(name: string, end: RegExp, left: number, asked: number[], spoil: number[][] = []): void {
  const out = [NIL_TO_1, op(Op.JT, 0, 0, 0, 7), op(Op.MOVE, 3, 0), op(Op.LOADI, 2, left), jump(11)]; // 7 words
  const instructions = [...out, op(Op.ADD, 0, 0, 0), RETURN, op(Op.CATCH, 3, 1), op(Op.LOADI, 2, 0), ...spoil];
  for (const number of asked) {
    const at = instructions.flat().length;
    instructions.push(op(Op.LOADI, 1, number), op(Op.JNEQ, 2, 1, 0, at + 4), op(Op.RETURN, 3));
  }
  code(name, end, [...instructions, op(Op.RETHROW, 3)], { handlers: [[7, 8, 9, HANDLES_ALL]] });
}

ensure('an ensure with all its ways out', /^a value$/, 1, [1]);
ensure('an ensure that asks for a number that no way out has', /^a value$/, 1, [1, 2]);
ensure(
  'an ensure that forgets a way out',
  /^RETHROW: register 3 holds a value or what a CATCH kept, as its selector says/,
  1,
  [],
);
ensure('an ensure that asks for another number', /^RETHROW: register 3 holds a value or/, 2, [1]);
ensure('a way out with the number of an error', /^RETURN: register 3 holds a value or what a CATCH kept, not/, 0, [1]);
ensure(
  'an ensure whose selector is changed',
  /^RETURN: register 3 holds a value or what a CATCH kept, not/,
  1,
  [1],
  [op(Op.LOADI, 2, 1)],
);

// ---- arguments
const optional: Parts['params'] = ['a'];
function callee(name: string, kind: 'required' | 'optional', instructions: number[][]): ReturnType<typeof fn> {
  const made = fn({ name, params: optional, code: instructions });
  made.params[0].kind = kind;
  return made;
}
code(
  'the mark of an absent argument as a value',
  /^NATIVE: register 1 holds the mark of an absent argument/,
  [op(Op.ABSENT, 1), op(Op.NATIVE, 2, 0, 1, 0, ...args(1)), op(Op.ADD, 2, 1, 1), NIL_RETURN],
  {},
  { natives: ['puts'] },
);
const absentCall = fn({ code: [op(Op.ABSENT, 1), op(Op.CALL, 0, 0, 1, 1, ...args(1)), RETURN] });
cases.push({
  name: 'a required argument that is absent',
  end: /^CALL: register 1 holds the mark/,
  program: program([absentCall, callee('g', 'required', [RETURN])]),
});
cases.push({
  name: 'an optional parameter that is not asked for',
  end: /^RETURN: register 0 holds a value or the mark of an absent argument/,
  program: program([absentCall, callee('g', 'optional', [RETURN])]),
});
cases.push({
  name: 'an optional parameter with its default',
  end: /^a value$/,
  program: program([absentCall, callee('g', 'optional', [op(Op.JGIVEN, 0, 0, 0, 3), op(Op.LOADNIL, 0), RETURN])]),
});
cases.push({
  name: 'a default that is not set',
  end: /^RETURN: register 0 holds a value or the mark/,
  program: program([absentCall, callee('g', 'optional', [op(Op.JGIVEN, 0, 0, 0, 3), op(Op.LOADNIL, 1), RETURN])]),
});
cases.push({
  name: 'an entry that wants arguments',
  end: /^the entry function needs arguments/,
  program: program([callee('f', 'optional', [NIL_RETURN])]),
});

// ---- captured values
const reader = fn({ name: 'g', captures: 1, code: [op(Op.CAPTURE, 1, 0), op(Op.CELLGET, 0, 1), RETURN] });
const closure = (from: number): number[] => op(Op.CLOSURE, 2, 0, 1, 1, ...args(from)); // 3 words
cases.push({
  name: 'a captured cell',
  end: /^a value$/,
  program: program([fn({ code: [CELL_IN_1, closure(1), op(Op.CALLV, 0, 2, 0), RETURN] }), reader]),
});
cases.push({
  name: 'a captured value that is read as a cell',
  end: /^CELLGET: register 1 holds a value, not a cell at address 1 of g$/,
  program: program([fn({ code: [closure(0), op(Op.CALLV, 0, 2, 0), RETURN] }), reader]),
});
cases.push({
  name: 'a closure made in two ways',
  end: /^CLOSURE: captures a value here and a cell there/,
  program: program([fn({ code: [CELL_IN_1, closure(1), closure(0), op(Op.CALLV, 0, 2, 0), RETURN] }), reader]),
});
cases.push({
  name: 'an iterator that is captured',
  end: /^CLOSURE: register 1 holds an iterator/,
  program: program([fn({ code: [op(Op.VECTOR, 0), op(Op.ITER, 1, 0, 0, 0), closure(1), NIL_RETURN] }), reader], {
    constants: [TEXT],
  }),
});
const cellReturner = fn({ name: 'g', captures: 1, code: [op(Op.CAPTURE, 0, 0), RETURN] });
cases.push({
  name: 'a captured cell that is returned',
  end: /^RETURN: register 0 holds a cell/,
  program: program([fn({ code: [CELL_IN_1, closure(1), NIL_RETURN] }), cellReturner]),
});

// ---- natives of the compiler
function native(name: string, end: RegExp, instructions: number[][], count: number, registers: number[]): void {
  const constants: Constant[] = [TEXT, { kind: 'names', value: [] }];
  code(
    `${name} with unexpected values`,
    end,
    [...instructions, op(Op.NATIVE, 0, 0, count, 0, ...args(...registers)), RETURN],
    {},
    { natives: [name], constants },
  );
}
native('%done', /^NATIVE: register 0 holds a value, not a continuation/, [], 2, [0, 1]);
native('%failed', /^NATIVE: register 0 holds a value, not a continuation/, [], 2, [0, 1]);
native('%spawn', /^NATIVE: register 0 holds a value, not a closure/, [], 1, [0]);
native('%spawn_detached', /^NATIVE: register 0 holds a value, not a closure/, [], 1, [0]);
for (const name of ['%done', '%failed', '%spawn', '%spawn_detached']) {
  code(
    `${name} as a value`,
    new RegExp(`^LOADNATIVE: ${name} is no value`),
    [op(Op.LOADNATIVE, 0, 0, 0, 0), RETURN],
    {},
    { natives: [name] },
  );
}
// prettier-ignore
const INTRINSICS = [
  ['size', 1], ['least', 2], ['copy', 4], ['sort_by', 2], ['uniq_by', 2], ['pair_into', 2], ['fetch', 2], ['lines', 2],
  ['chars', 1], ['join', 1], ['fields', 1], ['matches_shape', 2], ['matches_any', 2], ['regex', 2], ['constant_again', 1], ['name_error', 1], ['group', 3],
  ['append_flat', 2], ['keep', 2], ['like', 2], ['list', 2], ['integer', 2], ['split_matches', 4], ['start', 2], ['deadline', 1],
  ['scanned', 2], ['changeable', 2], ['list_only', 2], ['pairs_only', 2], ['first_place', 1], ['end_place', 1],
] as const;
for (const [name, count] of INTRINSICS) native(`%${name}`, /^(TypeError|AttributeError): /, [], count, [0, 1, 2, 3]);
const misused = (what: string): RegExp =>
  new RegExp(`^TypeError: an intrinsic of the compiler cannot use ${what} here$`);
native(
  '%keep',
  /^TypeError: the block must return a \[key, value\] pair, got Vector$/,
  [op(Op.HASH, 0, 0, 0, 1), op(Op.VECTOR, 1)],
  2,
  [0, 1],
);
native(
  '%copy',
  misused('Integer'),
  [op(Op.VECTOR, 0), op(Op.VECTOR, 1), op(Op.LOADI, 2, 0), op(Op.LOADI, 3, 100)],
  4,
  [0, 1, 2, 3],
);
native('%sort_by', misused('Vector'), [op(Op.VECTOR, 0, 0, 1, ...args(1)), op(Op.VECTOR, 1)], 2, [0, 1]);
native('%append_flat', /^a value$/, [op(Op.VECTOR, 0, 0, 1, ...args(1))], 2, [0, 0]);

// ---- tables
code(
  'a bad regular expression',
  /^bad regular expression/,
  [NIL_RETURN],
  {},
  { constants: [{ kind: 'regex', source: '(', flags: '' }] },
);
code(
  'a small Integer as a bigint',
  /^Integer 7 at address 0 of the constants/,
  [NIL_RETURN],
  {},
  { constants: [{ kind: 'integer', value: 7n }] },
);
code('an Integer that is none', /^Integer 0.5/, [NIL_RETURN], {}, { constants: [{ kind: 'integer', value: 0.5 }] });

/** Outcome of a program. @throws JavaScript's own errors */
function endOf(made: Program): string {
  const { vm, host } = machine({ slice: 100 });
  let end = 'never ended';
  try {
    const linked = vm.link(made);
    vm.spawn('main', vm.closureOf(linked.entry), []).onEnd(
      (outcome) => (end = outcome.ok ? 'a value' : thrownText(outcome.error)),
    );
  } catch (error) {
    if (error instanceof InvalidBytecode) return error.message;
    throw error;
  }
  for (let n = 0; n < 200; n++) host.turn();
  return end;
}

for (const { name, program: made, end } of cases) t.test(name, async (t) => t.match(endOf(made), end));

t.test('causes have no cycle if an error is raised again while its consequence is handled', async (t) => {
  const { vm, host } = machine();
  // Two errors, each raised while the other is handled.
  // prettier-ignore
  const made = program([fn({ code: [
    op(Op.LOADNATIVE, 2, 0, 0, 1), op(Op.CALLV, 0, 2, 0), op(Op.CALLV, 1, 2, 0), op(Op.NATIVE, 2, 0, 2, 0, ...args(0, 1)),
    op(Op.NATIVE, 2, 0, 2, 0, ...args(1, 0)), op(Op.GETF, 0, 0, 0, 0), RETURN,
  ] })], { natives: ['%caused', 'ValueError'], constants: [{ kind: 'string', value: 'full_message' }] });
  let text: unknown = null;
  vm.spawn('main', vm.closureOf(vm.link(made).entry), []).onEnd(
    (outcome) => (text = outcome.ok ? outcome.value : thrownText(outcome.error)),
  );
  for (let n = 0; n < 20; n++) host.turn();
  t.equal(text, 'ValueError: ValueError\ncaused by ValueError: ValueError');
});

t.test('a function with excessive numbers of cells and jumps is refused fast', async (t) => {
  const instructions: number[][] = [];
  for (let i = 0; i < 6000; i++) instructions.push(op(Op.NEWCELL, 1, 0), op(Op.MOVEW, 0, 0, 0, (i + 256) | (1 << 16)));
  const start = instructions.flat().length;
  for (let i = 0; i < 20_000; i++) instructions.push(op(Op.JF, 0, 0, 0, start + 2 * i + 2));
  const ms = cpuTime(() =>
    t.match(
      endOf(program([fn({ code: [...instructions, NIL_RETURN], registers: 7000 })])),
      /^too many jumps and cells/,
    ),
  );
  t.ok(ms < 10_000, `${ms} ms`);
});

t.test('a compiled loop that goes on after its last element gives way to other threads', async (t) => {
  const { vm, host } = machine({ slice: 100, jit: 0 });
  // prettier-ignore
  const made = program([fn({ code: [
    op(Op.VECTOR, 0), op(Op.ITER, 1, 0, 0, 0), op(Op.LOOPHEAD, 0, 0, 0, 9), op(Op.NEXT, 2, 1, 0, 7), op(Op.LOOP, 0, 0, 0, 3),
    NIL_RETURN,
  ] })], { constants: [{ kind: 'string', value: 'each' }] });
  const fiber = vm.spawn('main', vm.closureOf(vm.link(made).entry), []);
  for (let n = 0; n < 40; n++) host.turn();
  t.notOk(fiber.finished);
});

t.test('a product whose constants overwrite it is computed alike in both tiers', async (t) => {
  // Like `(x * K + c) % m`, but the constants take the register of the product, or of the sum.
  const rests = {
    modulus: [op(Op.LOADI, 1, 7), op(Op.MOD, 1, 1, 1)],
    addend: [op(Op.LOADI, 1, 5), op(Op.ADD, 1, 1, 1), op(Op.LOADI, 2, 7), op(Op.MOD, 1, 1, 2)],
  };
  for (const [name, rest] of Object.entries(rests)) {
    const value = (jit: number | null): unknown => {
      const { vm, host } = machine({ jit });
      const call = op(Op.CALL, 0, 0, 1, 1, ...args(1));
      const made = program(
        [
          fn({ code: [op(Op.LOADK, 1, 0, 0, 0), ...Array.from({ length: 30 }, () => call), RETURN] }),
          fn({ params: ['x'], code: [op(Op.LOADK, 1, 0, 0, 0), op(Op.MUL, 1, 0, 1), ...rest, RETURN_1] }),
        ],
        { constants: [{ kind: 'integer', value: 3_000_000 }] },
      );
      const fiber = vm.spawn('main', vm.closureOf(vm.link(made).entry), []);
      host.runAll();
      return fiber.outcome?.ok === true ? fiber.outcome.value : 'no value';
    };
    t.equal(value(3), value(null), name);
    t.type(value(null), 'number');
  }
});
