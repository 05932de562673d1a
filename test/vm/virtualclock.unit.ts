import t, { type Test } from 'tap';
import { installCore } from '../../natives/core/index.js';
import { seededSource } from '../../natives/core/random/source.js';
import { watchForDeadlock } from '../../vm/watch/deadlock.js';
import type { Host } from '../../vm/host.js';
import { native } from '../../vm/calls/native.js';
import type { Value } from '../../vm/values/value.js';
import { VirtualClock } from '../../vm/watch/virtualclock.js';
import { VM } from '../../vm/vm.js';
import { programOf, thrownText } from './support/machine.js';

/** Safepoints of a slice. */
const SLICE = 100;

interface Run {
  lines: string[];
  errors: string[];
  vm: VM;
  /** Turns the event loop until it is empty, `limit` turns at most. */
  settle(limit?: number): void;
  /** Resumes the thread that called `outside`. */
  answers: ((value: Value) => void)[];
}

/** Starts a text on a virtual clock; the real one and real timers throw. */
function start(text: string, seed?: number): Run {
  const deferred: (() => void)[] = [];
  const run: Run = {
    lines: [],
    errors: [],
    answers: [],
    vm: null as unknown as VM,
    settle(limit = 100_000) {
      for (let n = 0; deferred.length > 0; n++) {
        if (n === limit) return;
        for (const callback of deferred.splice(0)) callback();
      }
    },
  };
  let out = '';
  const unused = (): never => {
    throw new Error('the real clock is asked');
  };
  const real: Host = {
    now: unused,
    wallClock: unused,
    setTimer: unused,
    heap: () => ({ used: 0, limit: 1 }),
    collect() {},
    random: () => 0.5,
    stderr() {},
    defer: (callback) => void deferred.push(callback),
    stdout(text) {
      out += text;
      run.lines = out.split('\n').slice(0, -1);
    },
  };
  const clock = new VirtualClock();
  const vm = (run.vm = new VM(clock.around(real), {
    slice: SLICE,
    chance: seed === undefined ? undefined : seededSource(seed),
  }));
  installCore(vm);
  vm.define([native('outside', '', 'Any', '', (vm: VM) => vm.wait('http', (resume) => void run.answers.push(resume)))]);
  watchForDeadlock(vm);
  clock.drive(vm);
  vm.report = (_fiber, error) => void run.errors.push(thrownText(error));
  const { entry } = vm.link(programOf(text, 'test.svc', new Set([...vm.globals.keys(), 'loop'])));
  vm.spawn('main', vm.closureOf(entry), []).onEnd(
    (outcome) => void (outcome.ok || run.errors.push(thrownText(outcome.error))),
  );
  run.settle();
  return run;
}

function prints(t: Test, text: string, expected: string[], errors: string[] = []): void {
  const run = start(text);
  t.strictSame(run.lines, expected);
  t.strictSame(run.errors, errors);
  t.equal(run.vm.scheduler.live.size, 0, 'all threads have ended');
  t.ok(run.vm.timers.endNoWait, 'no timer is left');
}

t.test('time passes in sleeps of no time, too', async (t) => {
  const run = start('t = clock_ms()\nn = 0\nwhile clock_ms() - t < 5\n  sleep(0)\n  n += 1\nend\nputs n');
  run.settle(1000);
  t.strictSame(run.lines, ['5']);
});

t.test('a sleep takes virtual time only', async (t) =>
  prints(t, 'puts clock_ms()\nsleep(3600)\nputs clock_ms()\nsleep(0.25)\nputs clock_ms()', ['0', '3600000', '3600250']),
);

t.test('a sleep of a year', async (t) => prints(t, '365.times { sleep(86400) }\nputs clock_ms()', ['31536000000']));

t.test('dates begin at 2000-01-01 in UTC and follow the clock', async (t) => {
  t.equal(start('').vm.host.wallClock(), Date.UTC(2000, 0, 1));
  const { vm } = start('sleep(86400.5)');
  t.equal(vm.host.wallClock(), Date.UTC(2000, 0, 2) + 500);
});

t.test('the clock does not advance while threads run and wait for each other', async (t) =>
  prints(t, 'c = channel(0)\nspawn { 20.times { |i| c.send(i) } }\n20.times { c.recv() }\nputs clock_ms()', ['0']),
);

t.test('a used-up slice takes 1 ms', async (t) => {
  const { vm, lines } = start('i = 0\nwhile i < 10000\n  i += 1\nend\nputs clock_ms()');
  t.equal(lines[0], String(vm.scheduler.stats.preempted), 'as many as there were');
  t.ok(vm.scheduler.stats.preempted >= 10_000 / SLICE - 2, `${vm.scheduler.stats.preempted} slices`);
});

t.test('timers fire in the order of their times', async (t) =>
  prints(t, 'for n in [30, 10, 20.5, 20]\n  spawn do\n    sleep(n)\n    puts "#{n} #{clock_ms()}"\n  end\nend', [
    '10 10000',
    '20 20000',
    '20.5 20500',
    '30 30000',
  ]),
);

// Started threads set their timers when the thread that started them waits.
t.test('timers of the same time fire in the order in which they were set', async (t) =>
  prints(t, '5.times { |i| spawn { sleep(7)\n puts i } }\nsleep(7)\nputs "main"', ['main', '0', '1', '2', '3', '4']),
);

t.test('a loop in timeout ends', async (t) => {
  prints(t, 'begin\n  timeout(0.05) { loop { 1 } }\nrescue TimeoutError => e\n  puts e, clock_ms()\nend', [
    'timed out after 0.05s',
    '50',
  ]);
  prints(t, 'begin\n  timeout(3600) { sleep(7200) }\nrescue TimeoutError => e\n  puts e, clock_ms()\nend', [
    'timed out after 3600s',
    '3600000',
  ]);
  prints(t, 'timeout(1) { sleep(0.999) }\nputs clock_ms()', ['999']);
});

t.test('threads that compute do not stop the sleep of others', async (t) =>
  prints(t, 'busy = spawn { loop { 1 } }\nsleep(0.1)\nputs clock_ms()\nbusy.cancel()', ['100']),
);

t.test('a deadlock is found', async (t) =>
  prints(t, 'begin\n  channel(0).recv()\nrescue => e\n  puts e.message.start_with?("deadlock"), clock_ms()\nend', [
    'true',
    '0',
  ]),
);

t.test('the clock does not advance while a thread waits for something outside the VM', async (t) => {
  const run = start('spawn { sleep(10)\n puts "slept" }\nputs outside()\nputs clock_ms()');
  t.strictSame(run.lines, [], 'the sleep does not end before');
  run.answers[0]('answered');
  run.settle();
  t.strictSame(run.lines, ['answered', '0', 'slept']);
});

t.test('a cancelled sleep does not advance the clock', async (t) =>
  prints(t, 'task = spawn { sleep(1000) }\nsleep(1)\ntask.cancel()\nsleep(1)\nputs clock_ms()', ['2000']),
);

t.test('with a seed', async (t) => {
  const text =
    'tasks = (1..6).map { |i| spawn { 50.times { |n| n * 2 }\n print(i, " ")\n sleep(i % 2)\n print(i, " ") } }\nawait tasks\nputs clock_ms()';
  const outputs = new Set<string>();
  for (let seed = 1; seed <= 10; seed++) {
    const [first, second] = [start(text, seed), start(text, seed)];
    t.strictSame(first.lines, second.lines, `seed ${seed} repeats the order`);
    t.strictSame(first.errors, []);
    outputs.add(first.lines.join('\n'));
  }
  t.ok(outputs.size >= 5, `${outputs.size} different outputs`);
});
