import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { auth } from '../../../natives/auth/index.js';
import { CORE_MODULES, TYPE_METHODS } from '../../../natives/core/index.js';
import { decimals } from '../../../natives/decimal/index.js';
import { intrinsics } from '../../../natives/core/intrinsics.js';
import { IO_MODULES } from '../../../natives/io/index.js';
import { keystore } from '../../../natives/keystore/index.js';
import { logging } from '../../../natives/logging/index.js';
import { formHelpers } from '../../../natives/web/forms/index.js';
import { pageValues } from '../../../natives/web/pages/values.js';
import { testing } from '../../../natives/testing/index.js';
import { createVm } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import type { Outcome } from '../../../vm/fibers/fiber.js';
import { watchMemory } from '../../../vm/watch/memory.js';
import { native, paramsOf } from '../../../vm/calls/native.js';
import { ErrorValue, SvcError } from '../../../vm/values/error.js';
import type { NativeFunction, NativeParam } from '../../../vm/values/function.js';
import { allOf } from '../../../vm/values/methodgroup.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { Turns } from './longest.js';
import { operandsFor, type Operand, type Operands } from './operands.js';

/** Maximum milliseconds of one step. The goal is 5; a lower limit would fail on a busy machine. */
const BOUND = Number(process.env.BOUND ?? 20);
/** Whether natives are called, which takes minutes. Otherwise the test only checks that each has operands. */
const LONG = process.env.SVC_LONG === '1';
const ONLY = process.env.ONLY ?? '';
/** Part of the list to measure: a whole run takes hours. */
const FROM = Number(process.env.FROM ?? 0);
const TO = Number(process.env.TO ?? Infinity);
const SHOWN = Number(process.env.SHOWN ?? Infinity);
/** Natives for which all large operands are an error. */
const RAISING = new Set(
  `asin acos Integer.years Hash.sum Record.sum Record.invert Enum.sum Enum.mean Enum.median Enum.stdev Enum.variance
  Range.transpose Range.unzip Sequence.transpose Sequence.unzip Lazy.transpose Lazy.unzip Type.from_json Decimal.clamp
  assert_false assert_nil %least %copy %sort_by %uniq_by %pair_into %without %no_match`.split(/\s+/),
);
/** One division of V8 takes up to 20 ms for the largest Integers, as it does for the operators. */
const ONE_DIVISION = new Set([
  'Integer.step',
  'Integer.pow',
  'Integer.fdiv',
  'Integer.divmod',
  'Integer.div',
  'Integer.modulo',
  'Integer.remainder',
  'lcm',
  'Integer.lcm',
  'seq',
  'pow',
]);
/** Natives that repeat a large argument for each element of another one: a million texts of a megabyte. */
const MULTIPLYING = new Set(['paste']);
/** Maximum runs of a call; the shortest counts. */
const RUNS = 3;

const folder = mkdtempSync(join(tmpdir(), 'svc-sweep-'));
t.teardown(() => rmSync(folder, { recursive: true }));
// Where operands such as 'a' name files and directories.
const root = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(root));
const vm = createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), {
  process: { args: [], env: {} },
  stdin: { readLine: () => Promise.resolve(null) },
});
watchMemory(vm);
const operands = operandsFor(vm, folder);
const turns = new Turns();

interface Call {
  receiver: Operand | null;
  args: Operand[];
}

/** Parameters whose large values would create more than a few million elements, or that take few texts. */
const FEWER = new Map<string, string | number>([
  ['rep.times', 2],
  ['String.upto.last', 'zzz'],
  ['format.format', '%s'],
  ['key_store.url', 'memory:'],
  ['Date.in_zone.zone', 'Asia/Tokyo'],
  // Texts that the compiler writes.
  ['%arranged.kinds', 'plain'],
]);

/** Operands for a parameter: of each type that its signature names. */
function operandsOf(fn: NativeFunction, { name, typeText }: NativeParam): Operands {
  // A vector plus a number adds it to each element, for each of a million numbers.
  const only = fn.name === 'sum' && name === 'initial' ? 0 : FEWER.get(`${nameOf(fn)}.${name}`);
  if (only !== undefined) return { small: [{ name: String(only), make: () => only }], large: [] };
  const types = typeText
    .replace('?', '')
    .split('|')
    .map((type) => operands.get(type) ?? { small: [], large: [] });
  return { small: types.flatMap(({ small }) => small), large: types.flatMap(({ large }) => large) };
}

/** Calls of a native: with each large receiver and small arguments, and with each large argument. */
function callsOf(fn: NativeFunction): Call[] {
  const params = paramsOf(fn).filter(({ kind }) => kind === 'plain' || kind === 'rest');
  const given = params.map((param) => operandsOf(fn, param));
  const receivers = fn.owner === '' ? [null] : (operands.get(fn.owner)?.large ?? []);
  const required = params.filter((param) => param.kind === 'plain' && param.default === undefined).length;
  const least = (at: number): Operand => given[at].small[0] ?? given[at].large[0];
  const plain = Array.from({ length: required }, (_, i) => least(i));
  const calls: Call[] = [];
  for (const receiver of receivers.length > 0 ? receivers : (operands.get(fn.owner)?.small ?? [])) {
    calls.push({ receiver, args: plain });
    given.forEach((param, i) => {
      const before = Array.from({ length: i }, (_, j) => least(j));
      const after = plain.slice(i + 1);
      for (const one of param.small.slice(0, 2)) calls.push({ receiver, args: [...before, one, ...after] });
      const isFirst = receiver === null || receiver === receivers[0];
      for (const one of isFirst ? param.large : param.large.slice(0, 2)) {
        calls.push({ receiver, args: [...before, one, ...after] });
        if (params.length > 1 && !MULTIPLYING.has(nameOf(fn)))
          calls.push({ receiver, args: given.map((other, j) => (j === i ? one : (other.large[0] ?? least(j)))) });
      }
    });
  }
  return calls;
}

/** Outcome of a call in its own thread. */
function outcome(fn: NativeFunction, receiver: Value, args: Value[]): Promise<Outcome> {
  // Errors find the methods of texts as methods of their messages.
  const isOfMessage = receiver instanceof ErrorValue && fn.owner === 'String';
  const found = isOfMessage ? (vm.methods.find(receiver, fn.name) as NativeFunction) : fn;
  const run = native('call', '', 'Any', 'Calls the native.', () =>
    fn.owner === '' ? vm.invokeNative(fn, args, null) : vm.invokeMethod(found, receiver, args, null),
  );
  return new Promise((resolve) => {
    vm.spawnNative('call', run, resolve);
  });
}

/** Longest step of a call in milliseconds, and whether it returned a value. */
async function measure(fn: NativeFunction, call: Call): Promise<{ ms: number; note: string; ok: boolean }> {
  let ms = Infinity;
  let note = '';
  let ok = true;
  for (let run = 0; run < RUNS && ms > BOUND; run++) {
    const receiver = call.receiver?.make() ?? null;
    const args = call.args.map((arg) => arg.make());
    let end: Outcome | null = null;
    ms = Math.min(
      ms,
      await turns.longest(async () => {
        end = await outcome(fn, receiver, args);
      }),
    );
    const ended = end as unknown as Outcome;
    ok = ended.ok;
    note = ended.ok || !(ended.error instanceof SvcError) ? '' : ended.error.value.message.slice(0, 80);
  }
  return { ms, note, ok };
}

/** Natives that wait for others or end the program. */
const WAITING =
  'sleep exit await spawn input input_int input_float Input.read_line Input.each_line shell Task.value Task.await Channel.recv Shared.update %spawn %spawn_detached %start %deadline %end_deadline %name_error';
/** Natives that need a file, a key, a server or a block. Their own tests measure their parts. */
const ELSEWHERE = `http_get http_post http_put http_patch http_delete basic_auth_ok? auth_token_verify bearer_required csrf_token csrf_field csrf_check csrf_required rate_limit_required
  Task.done? Task.cancel HttpResponse.status HttpResponse.body HttpResponse.bytes HttpResponse.headers HttpResponse.ok HttpResponse.ok? HttpResponse.json HttpResponse.url HttpResponse.text HttpResponse.cookies HttpResponse.html HttpResponse.each_chunk HttpResponse.close HttpResponse.error
  http HttpClient.get HttpClient.post HttpClient.put HttpClient.patch HttpClient.delete HttpClient.head HttpClient.options HttpClient.request HttpClient.events HttpEvents.next HttpEvents.close HttpClient.cookies HttpClient.clear_cookies
  match match_all matches sub gsub String.match String.match? String.match_all String.scan String.sub String.gsub Regex.match Regex.match? assert_match
  benchmark test test_each describe before_each after_each skip mock assert_snapshot assert_raises assert_raises_typed password_hash password_verify password_needs_rehash? rate_limit env argv Out.push Log.to
  KeyStore.update KeyStore.fetch KeyStore.lock KeyStore.close
  file_read file_read_bytes file_lines file_rename file_copy json_read json_write csv_read csv_write
  jwt_sign jwt_verify jwt_required jwt_keys oidc
  Lazy.map Lazy.collect Lazy.select Lazy.filter Lazy.reject Lazy.filter_map Lazy.flat_map Lazy.take_while Lazy.drop_while Lazy.tap_each
  SvcOidc.login_url SvcOidc.callback SvcOidc.refresh SvcOidc.user_info SvcOidc.logout_url`;
const SKIPPED = new Set(`${WAITING} ${ELSEWHERE}`.split(/\s+/));
/** Methods of all collections that need a block. */
const OF_BLOCKS = new Set(['reduce', 'inject']);

const natives = allOf(
  [
    ...Object.values(CORE_MODULES),
    ...Object.values(IO_MODULES),
    TYPE_METHODS,
    decimals,
    keystore,
    auth,
    logging,
    testing,
    intrinsics,
    formHelpers,
    pageValues,
  ].flat(),
);

function nameOf({ owner, name }: NativeFunction): string {
  return owner === '' ? name : `${owner}.${name}`;
}

/** Natives to measure, without aliases. */
function measured(): NativeFunction[] {
  const known = new Set<unknown>();
  const all = natives.filter(
    (fn) =>
      !SKIPPED.has(nameOf(fn)) &&
      !OF_BLOCKS.has(fn.name) &&
      known.size < known.add(fn.impl).size &&
      new RegExp(ONLY).test(nameOf(fn)),
  );
  return ONLY === '' ? all.slice(FROM, TO) : all;
}

/** Measures a native in a process of its own: the operands of those before it would fill the heap and slow the collector. */
async function measureApart(t: Test, fn: NativeFunction): Promise<void> {
  const only = `^${nameOf(fn).replace(/[^\w.]/g, '\\$&')}$`;
  const env = { ...process.env, ONLY: only, TAP: '1' };
  const child = promisify(execFile)(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url)], {
    env,
    cwd: root,
  });
  const failure = await child.then(
    () => '',
    (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
  );
  const lines = failure.split('\n').filter((line) => /^\s+not ok|Error|FATAL/.test(line));
  t.equal(failure === '' ? '' : lines.join('\n') || failure, '', nameOf(fn));
}

t.setTimeout(4 * 3_600_000);
t.test('only a Float has an `n`: compiled code asks for it', async (t) => {
  let floats = 0;
  for (const { small, large } of operands.values())
    for (const { name, make } of [...small, ...large]) {
      const value = make() as { n?: unknown } | null;
      if (value instanceof Float) floats++;
      else t.equal(value?.n, undefined, name);
    }
  t.equal(floats, 2);
});

t.test('no native takes long in one step', async (t) => {
  for (const fn of measured()) {
    if (!LONG) {
      t.ok(callsOf(fn).length > 0, `${nameOf(fn)}: operands (else give its types some in operands.ts)`);
      continue;
    }
    if (ONLY === '') {
      await measureApart(t, fn);
      continue;
    }
    let good = 0;
    for (const call of callsOf(fn)) {
      const { ms, note, ok } = await measure(fn, call);
      if (ok) good++;
      const shown = `${nameOf(fn)}(${call.args.map(({ name }) => name).join(', ')})${call.receiver === null ? '' : ` of ${call.receiver.name}`}`;
      if (ms > (ONE_DIVISION.has(nameOf(fn)) ? 3 * BOUND : BOUND))
        t.fail(`${shown} takes ${ms.toFixed(0)} ms in one step ${note}`);
      if (ms > SHOWN) t.comment(`${shown}: ${ms.toFixed(1)} ms`);
    }
    t.ok(
      good > 0 || RAISING.has(nameOf(fn)),
      `${nameOf(fn)}: a call without an error (else give it operands in operands.ts, or name it in ELSEWHERE with the reason)`,
    );
  }
});
