import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import t, { type Test } from 'tap';
import { ROOT } from '../support/corpus.js';

const execute = promisify(execFile);

/** V8 never optimises a function above 61,440 bytes of its bytecode. */
const LIMIT = 45 * 1024;

/** Bundles a text in vm/ like the build does. Returns the path and the code of the bundle. */
async function bundle(test: Test, contents: string): Promise<{ path: string; code: string }> {
  const path = join(test.testdir(), 'bundle.mjs');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(ROOT, 'vm'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    write: false,
  });
  await writeFile(path, outputFiles[0].text);
  return { path, code: outputFiles[0].text };
}

const PROGRAM = `
import { VM } from './vm.js';
import { Encoder } from './bytecode/encode.js';
const host = { now: () => 0, wallClock: () => 0, heap: () => ({ used: 0, limit: 1 }), collect: () => {}, defer: (f) => setImmediate(f), setTimer: () => () => {}, random: () => 0, stdout() {}, stderr() {} };
const vm = new VM(host);
const encoder = new Encoder();
encoder.emit(3, 0);
encoder.emit(82, 0);
const fn = { name: 'main', kind: 'main', source: 0, params: [], registers: 1, captures: 0, doc: '', ...encoder.finish() };
const linked = vm.link({ sources: [{ path: 'x', text: null }], constants: [], functions: [fn], natives: [], types: [], slots: [], entry: 0 });
`;

t.test('the interpreter loop stays small enough to be optimised', async (t) => {
  const { path, code } = await bundle(
    t,
    `${PROGRAM}vm.spawn('main', vm.closureOf(linked.entry), []).onEnd((outcome) => console.log(outcome.ok));`,
  );
  const loop = /\nfunction runFrames\(vm2?, [^)]*\) \{[\s\S]*?\n\}\n/.exec(code)?.[0] ?? '';
  const labels = [...loop.matchAll(/\bcase ([^:]+):/g)].map(([, label]) => label.replace(/\/\*.*?\*\//, '').trim());
  t.ok(labels.length > 80, `${labels.length} cases`);
  t.strictSame(
    labels.filter((label) => !/^\d+$/.test(label)),
    [],
    'case labels are integer literals in what runs',
  );
  // Without NODE_OPTIONS: loaders of the test runner would print from their threads into the same lines.
  const { stdout } = await execute(
    'env',
    ['-u', 'NODE_OPTIONS', process.execPath, '--print-bytecode', '--print-bytecode-filter=runFrames', path],
    { maxBuffer: 1 << 28 },
  );
  // Other functions may have the same name; the loop is the largest.
  const found = [...stdout.matchAll(/^Bytecode length: (\d+)\n(?:.*\n){0,2}?Register count (\d+)$/gm)].map(
    ([, size, registers]) => ({ size: Number(size), registers: Number(registers) }),
  );
  const { size, registers } = found.sort((a, b) => b.size - a.size)[0] ?? { size: 0, registers: 0 };
  t.comment(`the loop has ${size} bytes of V8 bytecode, ${LIMIT} at most, and ${registers} registers`);
  t.ok(size > 3000, 'the loop was found');
  t.ok(size < LIMIT);
});

t.test("objects of the run time keep V8's fast properties", async (t) => {
  const { path } = await bundle(
    t,
    `${PROGRAM}
import { Deadline, Fiber } from './fibers/fiber.js';
import { Frame } from './fibers/frame.js';
import { iterate } from './values/iteration.js';
import { EnumType, Range, RecordType, RecordValue } from './values/structured.js';
import { Errors, ErrorType, ErrorValue, Signal, SvcError } from './values/error.js';
import { Closure, FieldCache, NameList, NativeFunction } from './values/function.js';
import { EMPTY_SHAPE, Hash, Shape } from './values/hash.js';
import { Cell, Float } from './values/value.js';
import { native, paramsOf } from './calls/native.js';
import { BUILTIN_TYPES } from './values/types.js';
import { compileRegex } from './values/regex/index.js';
const fast = new Function('x', 'return %HasFastProperties(x)');
const closure = vm.closureOf(linked.entry);
const frame = new Frame(null, linked.entry, closure, 0, []);
const dictionary = new Hash();
for (let i = 0; i < 20; i++) dictionary.set(i, i);
const used = native('f', 'a: Integer = 1, *rest: Any', 'Any', '', () => null);
paramsOf(used);
const fiber = new Fiber(1, 'f', frame, 0);
fiber.onEnd(() => {});
fiber.finish({ ok: true, value: 1 });
const type = new RecordType('R', ['x'], Shape.of(['x']));
const objects = {
  Fn: linked.entry, Closure: closure, Frame: frame, 'Fiber (ready)': new Fiber(2, 'g', frame, 0), 'Fiber (done)': fiber, 'Hash (shape)': Hash.from([['a', 1], ['b', 2]]), 'Hash (dictionary)': dictionary,
  'Shape (empty)': EMPTY_SHAPE, Shape: Shape.of(['a', 'b']), Float: new Float(1), Cell: new Cell(1), NativeFunction: native('g', '', 'Any', '', () => null), 'NativeFunction (used)': used,
  NativeParam: used.params[0], Range: new Range(1, 2, false), RecordType: type, RecordValue: RecordValue.of(type, [1]), EnumType: new EnumType('E', ['a']),
  ErrorType: Errors.KeyError, 'ErrorType (own)': new ErrorType('Own', Errors.Error), ErrorValue: new ErrorValue(Errors.Error, 'x'), SvcError: new SvcError(new ErrorValue(Errors.Error, 'x')),
  Signal: new Signal('cancel', null), NameList: new NameList(['a'], null), FieldCache: new FieldCache(), Iterator: iterate([1], 0, 'each'), Deadline: new Deadline(1), TypeValue: BUILTIN_TYPES.get('Integer'),
  Regex: compileRegex('a', ''), VM: vm, Scheduler: vm.scheduler, Timers: vm.timers, MethodTables: vm.methods,
};
console.log(JSON.stringify(Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, fast(object)]))));
`,
  );
  const { stdout } = await execute(process.execPath, ['--allow-natives-syntax', path]);
  const found = JSON.parse(stdout) as Record<string, boolean>;
  t.ok(Object.keys(found).length > 25);
  for (const [name, isFast] of Object.entries(found)) t.ok(isFast, name);
});
