import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { auth } from '../../../natives/auth/index.js';
import { CORE_MODULES } from '../../../natives/core/index.js';
import { intrinsics } from '../../../natives/core/intrinsics.js';
import { IO_MODULES } from '../../../natives/io/index.js';
import { createVm } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import type { Outcome } from '../../../vm/fiber.js';
import { watchMemory } from '../../../vm/memory.js';
import { native, paramsOf } from '../../../vm/native.js';
import { SvcError } from '../../../vm/values/error.js';
import type { NativeFunction, NativeParam } from '../../../vm/values/function.js';
import type { Value } from '../../../vm/values/value.js';
import { Turns } from './longest.js';
import { operandsFor, type Operand, type Operands } from './operands.js';

/** Milliseconds of one step: the goal is 5; more would show the machine's noise. */
const BOUND = Number(process.env.BOUND ?? 20);
const ONLY = process.env.ONLY ?? '';
/** Of several runs the shortest counts. */
const RUNS = 3;

const folder = mkdtempSync(join(tmpdir(), 'svc-sweep-'));
t.teardown(() => rmSync(folder, { recursive: true }));
const vm = createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), { process: { args: [], env: {} }, stdin: { readLine: () => Promise.resolve(null) } });
watchMemory(vm);
const operands = operandsFor(vm, folder);
const turns = new Turns();

interface Call {
  receiver: Operand | null;
  args: Operand[];
}

/** Operands for a parameter: of each type that its signature names. */
function operandsOf({ typeText }: NativeParam): Operands {
  const types = typeText.replace('?', '').split('|').map((type) => operands.get(type) ?? { small: [], large: [] });
  return { small: types.flatMap(({ small }) => small), large: types.flatMap(({ large }) => large) };
}

/** Calls of a native: with each large receiver and small arguments, and with each large argument. */
function callsOf(fn: NativeFunction): Call[] {
  const params = paramsOf(fn).filter(({ kind }) => kind === 'plain' || kind === 'rest');
  const given = params.map(operandsOf);
  const receivers = fn.owner === '' ? [null] : operands.get(fn.owner)?.large ?? [];
  const required = params.filter((param) => param.kind === 'plain' && param.default === undefined).length;
  const least = (at: number): Operand => given[at].small[0] ?? given[at].large[0];
  const plain = Array.from({ length: required }, (_, i) => least(i));
  const calls: Call[] = [];
  for (const receiver of receivers.length > 0 ? receivers : operands.get(fn.owner)?.small ?? []) {
    calls.push({ receiver, args: plain });
    given.forEach((param, i) => {
      const before = Array.from({ length: i }, (_, j) => least(j));
      const behind = plain.slice(i + 1);
      for (const one of param.small.slice(0, 2)) calls.push({ receiver, args: [...before, one, ...behind] });
      const isFirst = receiver === null || receiver === receivers[0];
      for (const one of isFirst ? param.large : param.large.slice(0, 2)) {
        calls.push({ receiver, args: [...before, one, ...behind] });
        if (params.length > 1) calls.push({ receiver, args: given.map((other, j) => (j === i ? one : other.large[0] ?? least(j))) });
      }
    });
  }
  return calls;
}

/** How a call ended, which runs in a thread of its own. */
function outcome(fn: NativeFunction, receiver: Value, args: Value[]): Promise<Outcome> {
  const run = native('call', '', 'Any', 'Calls the native.', () => (fn.owner === '' ? vm.invokeNative(fn, args, null) : vm.invokeMethod(fn, receiver, args, null)));
  return new Promise((resolve) => { vm.spawnNative('call', run, resolve); });
}

/** The longest step of a call in milliseconds, and whether it gave a value. */
async function measure(fn: NativeFunction, call: Call): Promise<{ ms: number; note: string; ok: boolean }> {
  let ms = Infinity;
  let note = '';
  let ok = true;
  for (let run = 0; run < RUNS && ms > BOUND; run++) {
    const receiver = call.receiver?.make() ?? null;
    const args = call.args.map((arg) => arg.make());
    let end: Outcome | null = null;
    ms = Math.min(ms, await turns.longest(async () => { end = await outcome(fn, receiver, args); }));
    const ended = end as unknown as Outcome;
    ok = ended.ok;
    note = ended.ok || !(ended.error instanceof SvcError) ? '' : ended.error.value.message.slice(0, 80);
  }
  return { ms, note, ok };
}

const SKIP = new Set(['sleep', 'exit', 'await', 'spawn', '%spawn', '%spawn_detached', '%start', '%deadline', '%end_deadline', 'input', 'shell']);
const natives = [...Object.values(CORE_MODULES), ...Object.values(IO_MODULES), auth, intrinsics].flat();

t.setTimeout(3_600_000);
t.test("no native takes long in one step", async () => {
  for (const fn of natives) {
    const name = fn.owner === '' ? fn.name : `${fn.owner}.${fn.name}`;
    if (SKIP.has(fn.name) || (ONLY !== '' && !new RegExp(ONLY).test(name))) continue;
    let good = 0;
    const slow: string[] = [];
    let worst = 0;
    const calls = callsOf(fn);
    for (const call of calls) {
      if (process.env.SHOW === '2') console.log('CALL', name, call.receiver?.name, call.args.map((a) => a.name).join());
      const { ms, note, ok } = await measure(fn, call);
      worst = Math.max(worst, ms);
      if (ok) good++;
      if (ms > BOUND) slow.push(`${ms.toFixed(0)}: ${call.receiver?.name ?? ''}(${call.args.map((a) => a.name).join(', ')}) ${note}`);
    }
    if (slow.length > 0) console.log(`SLOW ${name} ${slow.length}/${calls.length} ${slow.slice(0, Number(process.env.TOP ?? 3)).join(' | ')}`);
    if (good === 0) console.log(`NONE ${name} ${calls.length}`);
    if (process.env.SHOW) console.log(`${name} ${worst.toFixed(1)} ${calls.length}`);
  }
});
