import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { collect } from '../../collect.js';
import { Timers } from '../../../vm/fibers/timers.js';
import { Errors, Signal, type SvcError, errorOf } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { cpuTime } from '../../clock.js';
import fc from '../../property.js';
import { native } from '../../../vm/calls/native.js';
import { FakeHost } from '../support/host.js';
import { machine, run, start } from '../support/machine.js';
import { serves } from '../support/serves.js';
import { slowNatives } from '../support/slow.js';
import { settings } from '../support/values.js';

const natives = slowNatives;

t.test('threads that woke run before those that used up a slice', async (t) => {
  const { lines } = run(
    `
spawn do
  n = 0
  while n < 3000
    n += 1
  end
  puts "busy"
end
spawn do
  10.times { later(1) }
  puts "quick"
end`,
    { slice: 100, natives },
  );
  t.strictSame(lines, ['quick', 'busy']);
});

t.test('a sleep of no time sets no timer, and lets the threads run that are ready', async (t) => {
  const made = machine({ natives });
  start(made, '2.times { |i| spawn { 3.times { |n|\n  puts "#{i} #{n}"\n  sleep(0)\n} } }');
  while (made.host.deferred.length > 0) made.host.turn();
  t.strictSame(made.host.out.trim().split('\n'), ['0 0', '1 0', '0 1', '1 1', '0 2', '1 2']);
  t.equal(made.host.timersSet, 0);
});

t.test('endless sleeps of no time leave busy threads and the event loop their turns', async (t) => {
  const made = machine({ slice: 50, natives });
  made.host.tick = 0.01;
  start(made, 's = shared([0, 0])\nspawn { loop { sleep(0) } }\nspawn { loop do\n  s.get[0] += 1\nend }');
  const { stats } = made.vm.scheduler;
  for (let n = 0; n < 5; n++) made.host.turn();
  for (let n = 0; n < 20; n++) {
    const before = { ...stats };
    made.host.turn();
    t.equal(stats.preempted - before.preempted, 1, 'the busy thread');
    t.ok(stats.slices - before.slices > 10, `${stats.slices - before.slices} slices`);
  }
});

t.test('a thread is cancelled between sleeps of no time', async (t) => {
  const { lines } = run(
    `
task = spawn do
  begin
    loop { sleep(0) }
  ensure
    puts "cancelled"
  end
end
3.times { sleep(0) }
task.cancel`,
    { natives },
  );
  t.strictSame(lines, ['cancelled']);
});

t.test('in a turn at most one slice goes to busy threads, in rotation', async (t) => {
  const made = machine({ slice: 50, natives });
  start(
    made,
    's = shared([0, 0, 0, 0])\n4.times { |i| spawn { loop do\n  s.get[i] += 1\nend } }\nspawn { loop do\n  later(1)\nend }',
  );
  const { stats } = made.vm.scheduler;
  for (let n = 0; n < 5; n++) made.host.turn();
  for (let n = 0; n < 40; n++) {
    const before = { ...stats };
    made.host.turn();
    t.equal(stats.preempted - before.preempted, 1);
    t.ok(stats.slices - before.slices <= 2);
  }
  const spent = [...made.vm.scheduler.live].map(({ state }) => state);
  t.equal(spent.filter((state) => state === 'ready').length, 4);
});

t.test('busy threads share the time evenly', async (t) => {
  const made = machine({ slice: 50, natives });
  start(
    made,
    'counts = channel(0)\nbox = [0, 0, 0]\ns = shared(box)\n3.times { |i| spawn { loop do\n  b = s.get\n  b[i] += 1\nend } }\nshow = -> { puts s.get }\nlater(1)\nsleep(1)\nshow()\nexit(0)',
  );
  for (let n = 0; n < 63; n++) made.host.turn();
  made.host.advance(1000);
  made.host.settle(3);
  const counts = (made.host.lines()[0] ?? '').match(/\d+/g)?.map(Number) ?? [];
  t.equal(counts.length, 3);
  t.ok(Math.min(...counts) > 0 && Math.max(...counts) - Math.min(...counts) <= 60, `${counts.join(' ')}`);
});

t.test('woken threads run for the time of a slice; the others keep their order', async (t) => {
  const made = machine({ slice: 1000, natives });
  start(made, '5.times { |i| spawn { burn(2)\n puts i } }');
  for (let i = 0; i < 5; i++) {
    made.host.turn();
    t.strictSame(made.host.lines(), [String(i)]);
  }
  t.equal(made.vm.scheduler.live.size, 0);
});

t.test('threads that take no time run in one turn', async (t) => {
  const made = machine({ slice: 1000, natives });
  start(made, '5.times { |i| spawn { puts i } }');
  made.host.turn();
  t.strictSame(made.host.lines(), ['0', '1', '2', '3', '4']);
  made.host.turn();
  t.equal(made.host.deferred.length, 0, 'and nothing is left to do');
});

t.test('what arrives does not wait behind the many threads that others woke', async (t) => {
  const made = machine({ slice: 1000, natives: [...natives, serves] });
  start(
    made,
    `spawn { later(1)\n puts "answered" }
gate = channel(200)
200.times { |i| spawn { serves([i])\n gate.recv\n burn(2)\n puts "woken" } }
sleep(0)
200.times { |i| gate.send(i) }
puts "all"`,
  );
  while (!made.host.out.includes('all')) made.host.turn();
  made.host.advance(1);
  start(made, 'puts "arrived"');
  for (let n = 0; n < 4; n++) made.host.turn();
  const lines = made.host.lines();
  for (const text of ['answered', 'arrived']) t.ok(lines.includes(text), text);
  const others = lines.filter((line) => line === 'woken').length;
  t.ok(others >= 3 && others <= 8, `${others} of the others have run meanwhile`);
});

t.test(
  'what arrives for a request does not wait behind what arrives for the many threads of another one',
  async (t) => {
    const made = machine({ slice: 1000, natives: [...natives, serves] });
    start(
      made,
      `serves([1])
200.times { spawn { later(1)\n burn(2)\n puts "other" } }
spawn { serves([2])\n later(1)\n puts "answered" }`,
    );
    for (let n = 0; n < 1000 && !made.host.out.includes('answered'); n++) made.host.turn();
    const others = made.host.lines().filter((line) => line === 'other').length;
    t.ok(others >= 1 && others <= 4, `${others} of the others have run before`);
  },
);

t.test('what wakes for a request does not wait behind the many threads that another one started or woke', async (t) => {
  const made = machine({ slice: 1000, natives: [...natives, serves] });
  start(
    made,
    `spawn { serves([1])\n sleep(0.001)\n puts "slept" }
spawn { serves([2])\n sleep(0.001)\n await(spawn { 1 })\n puts "awaited" }
serves([3])
gate = channel(200)
200.times { spawn { gate.recv\n burn(2)\n puts "woken" } }
sleep(0)
200.times { |i| gate.send(i)\n spawn { burn(2)\n puts "started" } }
puts "all"`,
  );
  while (!made.host.out.includes('all')) made.host.turn();
  made.host.advance(1);
  for (let n = 0; n < 8; n++) made.host.turn();
  const lines = made.host.lines();
  for (const text of ['slept', 'awaited']) t.ok(lines.includes(text), text);
  const others = lines.filter((line) => line === 'woken' || line === 'started').length;
  t.ok(others >= 4 && others <= 12, `${others} of the others have run meanwhile`);
});

t.test('what computes for a request shares the time with another one, not with all of its threads', async (t) => {
  const made = machine({ slice: 1000, natives: [...natives, serves] });
  start(made, 'serves([1])\n300.times { spawn { while true\n  1\n end } }\nsleep(100)');
  for (let n = 0; n < 400; n++) made.host.turn();
  start(made, 'serves([2])\nn = 0\nwhile n < 10_000\n  n += 1\nend\nputs "computed"');
  let turns = 0;
  for (; !made.host.out.includes('computed') && turns < 1000; turns++) made.host.turn();
  t.ok(turns >= 15 && turns <= 25, `${turns} turns for ten slices`);
});

/** A thread that passes values to another one and back, `count` times, in the program of a fresh machine. */
const passing = (count: string, work = ''): string =>
  `there = channel(1)\nback = channel(1)\nspawn { loop { back.send(there.recv)\n${work} } }\n${count} { there.send(1)\n back.recv }\nputs "passed"\nexit(0)`;

t.test('threads that wake each other need no turn for each time', async (t) => {
  const made = machine({ slice: 1000, natives });
  start(made, passing('20.times'));
  made.host.turn();
  t.strictSame(made.host.lines(), ['passed']);
});

t.test('threads that wake each other for ever let the event loop turn, by the clock or without one', async (t) => {
  for (const work of ['burn(0.2)', '']) {
    const made = machine({ slice: 1000, natives });
    start(made, `spawn { loop { } }\n${passing('loop', work)}`);
    const { stats } = made.vm.scheduler;
    for (let n = 0; n < 20; n++) {
      const before = { ...stats };
      made.host.turn();
      t.ok(stats.slices - before.slices <= (work === '' ? 110 : 15), `${stats.slices - before.slices} slices`);
      if (n > 0) t.equal(stats.preempted - before.preempted, 1, 'the busy thread has its slice');
    }
  }
});

t.test('threads that must free their memory run before those that others woke', async (t) => {
  let slicesThen = 0;
  const tell = native('tell', '', 'Nil', '', () => {
    const { scheduler } = made.vm;
    if (slicesThen === 0) scheduler.raise([...scheduler.live][1], errorOf(Errors.MemoryError, 'out of memory'));
    slicesThen ||= scheduler.stats.slices;
    return null;
  });
  const made = machine({ slice: 1000, natives: [...natives, tell] });
  start(made, `spawn { sleep(100) }\nlater(1)\n${passing('loop', 'tell()')}`);
  while (slicesThen === 0) made.host.turn();
  t.equal(made.vm.scheduler.stats.slices, slicesThen, 'the turn ends with the slice that told it');
  made.host.turn();
  t.match(made.reports, [/^MemoryError/]);
});

t.test('the slice follows the clock', async (t) => {
  // Reading the clock takes 4 ms, so slices are too long and shrink. With a clock that does not advance they grow.
  const slow = machine({ natives });
  slow.host.tick = 4;
  start(slow, 'loop do\nend');
  for (let n = 0; n < 60; n++) slow.host.turn();
  const [fiber] = slow.vm.scheduler.live;
  t.equal(fiber.state, 'ready');
  const fast = machine({ natives });
  start(fast, 'loop do\nend');
  for (let n = 0; n < 2; n++) fast.host.turn();
  t.ok(fast.vm.scheduler.stats.preempted >= 2);
});

t.test('slow natives end a slice that was calibrated with fast code', async (t) => {
  const made = machine({ natives });
  start(made, 'n = 0\nwhile n < 2_000_000\n  n += 1\nend\nputs "measured"\n200.times { burn(5) }');
  while (!made.host.out.includes('measured')) made.host.turn();
  let longest = 0;
  while (made.vm.scheduler.live.size > 0) {
    const before = made.host.time;
    made.host.turn();
    longest = Math.max(longest, made.host.time - before);
  }
  t.ok(longest <= 5 * 17, `${longest} ms`);
});

t.test('a slice ends when natives have used its time', async (t) => {
  const made = machine({
    natives: [
      native('work', '', 'Nil', '', () => {
        made.host.time += 20;
        made.vm.scheduler.checkTime();
        return null;
      }),
    ],
  });
  const thread = (name: string): string => `spawn do\n  3.times do\n    work()\n    puts "${name}"\n  end\nend\n`;
  start(made, `${thread('a')}${thread('b')}`);
  made.host.runAll();
  const lines = made.host.lines();
  t.ok(lines.indexOf('b') < lines.lastIndexOf('a'), `the threads alternate: ${lines.join(' ')}`);
});

t.test('a slice of compiled code ends when operators have used its time', async (t) => {
  const operators = {
    // Of a new text each time: where the characters of the last few are is known.
    'text[index]': '(big + i.to_s)[150_000]',
    'text == text': 'big == same',
    'case of texts': 'case big when same then 1 end',
  };
  for (const [name, operator] of Object.entries(operators)) {
    const made = machine({ jit: 0 });
    // Each look at the clock finds that the slice has taken long enough.
    made.host.now = () => (made.host.time += 20);
    const fiber = start(
      made,
      `def f(big, same, n)\n  i = 0\n  while i < n\n    ${operator}\n    i += 1\n  end\nend\nf("a", "a", 100)\nf("😀" * 200_000, "😀" * 200_000, 100)\nf("😀" * 200_000, "😀" * 200_000, 100)`,
    );
    made.host.runAll();
    t.ok(fiber.outcome?.ok, name);
    const { slices } = made.vm.scheduler.stats;
    t.ok(slices > 150, `${name}: ${slices} slices`);
  }
});

/** Counter of a program; the clock of the test follows it. */
let counter: number[] = [0];
const watched = native('watched', 'counter: Any', 'Nil', '', (_vm, value) => void (counter = value as number[]));

t.test('a slice takes about a millisecond for iterations of any duration', async (t) => {
  for (const turn of [0.0001, 0.0005, 0.002]) {
    const made = machine({ natives: [...natives, watched] });
    counter = [0];
    made.host.now = () => counter[0] * turn;
    start(made, 'c = [0]\nwatched(c)\nloop { c[0] += 1 }');
    const { stats } = made.vm.scheduler;
    // Number of slices that the calibration may take.
    for (let n = 0; n < 20; n++) made.host.turn();
    const [slices, turns] = [stats.slices, counter[0]];
    for (let n = 0; n < 50; n++) made.host.turn();
    const ms = ((counter[0] - turns) * turn) / (stats.slices - slices);
    t.ok(ms > 0.3 && ms < 3, `${ms.toFixed(2)} ms for each slice at ${turn} ms for each turn`);
  }
});

t.test('woken threads share a millisecond before the slice of a busy thread', async (t) => {
  const made = machine({ slice: 1000, natives });
  start(made, '20.times { |i| spawn { burn(1)\n puts i } }');
  made.host.turn();
  made.host.turn();
  t.ok(made.host.lines().length <= 2, 'not all of them in one turn');
});

t.test('the result of an abandoned wait ends no other wait', async (t) => {
  let bring: (value: Value) => void = () => {};
  const stubborn = native('stubborn', '', 'Any', '', (vm) =>
    vm.wait('test', (resume: (value: Value) => void) => void (bring = resume)),
  );
  const made = machine({ natives: [...natives, stubborn] });
  start(made, 'begin\n  timeout(1) { stubborn() }\nrescue TimeoutError\n  p sleep(5)\nend');
  made.host.settle();
  made.host.advance(1000);
  made.host.settle();
  bring('late');
  made.host.settle();
  t.strictSame(made.host.lines(), []);
  made.host.runAll();
  t.strictSame(made.host.lines(), ['(Nil) nil']);
});

t.test('many sleepers use one timer of the host', async (t) => {
  const made = machine({ natives });
  start(made, '500.times { |i| spawn { sleep((i % 7) + 1)\n puts i } }');
  made.host.settle();
  t.equal(made.host.timers.size, 1);
  t.ok(made.host.timersSet < 20, `${made.host.timersSet} timers set`);
  made.host.runAll();
  t.equal(made.host.timers.size, 0);
  t.ok(made.host.timersSet < 30, `${made.host.timersSet} timers set`);
  const order = made.host.lines().map(Number);
  const expected = Array.from({ length: 500 }, (_, i) => i).sort((a, b) => (a % 7) - (b % 7) || a - b);
  t.strictSame(order, expected, 'by time, then first come first served');
});

t.test('timers fire in order, cancelled ones never, with one timer of the host', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('add' as const), ms: fc.nat(30) }),
      fc.record({ kind: fc.constant('cancel' as const), index: fc.nat(40) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(12) }),
    ),
    { maxLength: 60, size: 'max' },
  );
  fc.assert(
    fc.property(steps, (list) => {
      const host = new FakeHost();
      const timers = new Timers(host);
      const fired: number[] = [];
      const added: { at: number; handle: ReturnType<Timers['add']>; cancelled: boolean; done: boolean }[] = [];
      const expected: number[] = [];
      for (const step of list) {
        if (step.kind === 'add') {
          const id = added.length;
          added.push({
            at: host.time + step.ms,
            handle: timers.add(step.ms, () => fired.push(id)),
            cancelled: false,
            done: false,
          });
        } else if (step.kind === 'cancel' && step.index < added.length) {
          added[step.index].cancelled = true;
          timers.cancel(added[step.index].handle);
        } else if (step.kind === 'pass') {
          host.advance(step.ms);
          const due = added
            .map((timer, id) => ({ ...timer, id }))
            .filter(({ at, cancelled, done }) => !cancelled && !done && at <= host.time);
          for (const { id } of due.sort((a, b) => a.at - b.at || a.id - b.id)) {
            expected.push(id);
            added[id].done = true;
          }
        }
        const open = added.filter(({ cancelled, done }) => !cancelled && !done);
        if (host.timers.size > 1 || fired.join() !== expected.join()) return false;
        if ((open.length === 0) !== timers.endNoWait || (open.length > 0 && host.timers.size === 0)) return false;
        if (open.length > 0 && [...host.timers][0].at > Math.min(...open.map(({ at }) => at))) return false;
      }
      return true;
    }),
    settings(500),
  );
});

t.test('a host timer that comes too early is set again', async (t) => {
  const host = new FakeHost();
  const timers = new Timers(host);
  let fired = 0;
  timers.add(10, () => fired++);
  const [early] = host.timers;
  host.timers.delete(early);
  host.time = 9;
  early.callback();
  t.equal(fired, 0);
  t.equal(host.timers.size, 1);
  host.advance(1);
  t.equal(fired, 1);
});

t.test('a cancelled timer is forgotten at once, also behind one that runs for long', async (t) => {
  const timers = new Timers(new FakeHost());
  timers.add(1000, () => {});
  const held = [2000, 3000, 4000].map((ms) => {
    const callback = (): void => {};
    timers.cancel(timers.add(ms, callback));
    return new WeakRef(callback);
  });
  // Until the end of this turn the references hold their values.
  await setImmediate();
  collect();
  t.strictSame(
    held.map((callback) => callback.deref()),
    [undefined, undefined, undefined],
  );
  t.notOk(timers.endNoWait);
});

t.test('a timer set by a timer', async (t) => {
  const host = new FakeHost();
  const timers = new Timers(host);
  const log: string[] = [];
  timers.add(5, () => {
    log.push('a');
    timers.add(0, () => log.push('c'));
    timers.add(20, () => log.push('d'));
  });
  timers.add(5, () => log.push('b'));
  host.advance(5);
  t.strictSame(log, ['a', 'b', 'c']);
  t.equal(host.timers.size, 1);
  host.advance(20);
  t.strictSame(log, ['a', 'b', 'c', 'd']);
});

t.test('a started fiber waits for its turn; its watcher is called at its end', async (t) => {
  const made = machine({ natives });
  const main = start(made, '-> {\n  puts "a"\n  later(1)\n  puts "b"\n}');
  made.host.runAll();
  const closure = main.outcome?.ok === true ? main.outcome.value : null;
  let ended = '';
  made.vm.spawn('first', closure, []);
  const fiber = made.vm.spawn('second', closure, [], ({ ok }) => void (ended = String(ok)));
  t.equal(fiber.state, 'ready');
  t.strictSame(made.host.lines(), []);
  made.host.turn();
  t.strictSame(made.host.lines(), ['a', 'a'], 'one turn for both');
  t.equal(fiber.state, 'waiting');
  t.equal(fiber.waitsFor, 'test');
  made.host.runAll();
  t.strictSame(made.host.lines(), ['b', 'b']);
  t.equal(fiber.state, 'done');
  t.equal(ended, 'true');
  t.strictSame([...made.vm.scheduler.live], []);
});

t.test('many fibers that are started within one turn of the event loop run before it ends', async (t) => {
  const made = machine({ natives });
  const main = start(made, '-> {\n  puts "a"\n  later(1)\n}');
  made.host.runAll();
  const closure = main.outcome?.ok === true ? main.outcome.value : null;
  let most = 0;
  for (let i = 0; i < 1000; i++) {
    made.vm.spawn('many', closure, []);
    made.vm.scheduler.runBacklog();
    most = Math.max(most, [...made.vm.scheduler.live].filter(({ state }) => state === 'ready').length);
  }
  t.equal(most, 99);
  t.equal(made.host.lines().length, 1000);
  made.host.runAll();
  t.strictSame([...made.vm.scheduler.live], []);
});

t.test('threads that must free their memory run before many fibers that are started', async (t) => {
  const made = machine({ natives });
  const main = start(made, 'spawn { sleep(100) }\n-> { puts "a" }');
  made.host.turn();
  const closure = main.outcome?.ok === true ? main.outcome.value : null;
  made.vm.scheduler.raise([...made.vm.scheduler.live][0], errorOf(Errors.MemoryError, 'out of memory'));
  for (let i = 0; i < 100; i++) {
    made.vm.spawn('many', closure, []);
    made.vm.scheduler.runBacklog();
  }
  t.match(made.reports, [/^MemoryError/]);
  t.strictSame(made.host.lines(), []);
  made.host.runAll();
  t.equal(made.host.lines().length, 100);
});

t.test('fibers that are started for long messages run before as many are started', async (t) => {
  const made = machine({ natives });
  const main = start(made, '-> { puts "a" }');
  made.host.runAll();
  const closure = main.outcome?.ok === true ? main.outcome.value : null;
  const ran = [64, 400, 2000].map((kilobytes) => {
    for (let i = 0; i < 8; i++) {
      made.vm.spawn('message', closure, []);
      made.vm.scheduler.runBacklog(kilobytes * 1024);
    }
    const now = made.host.lines().length;
    made.host.runAll();
    t.equal(now + made.host.lines().length, 8);
    return now;
  });
  t.strictSame(ran, [0, 6, 8], 'at a megabyte');
});

t.test('callbacks after fibers run after all woken fibers and before busy ones', async (t) => {
  const made = machine({ slice: 50, natives });
  const main = start(made, '[-> { puts "quick" }, -> { n = 0; while n < 1000 do n += 1 end }]');
  made.host.runAll();
  const [quick, busy] = (main.outcome?.ok === true ? main.outcome.value : []) as Value[];
  const { scheduler } = made.vm;
  const told = (what: string) => () => scheduler.afterTurn(() => made.host.stdout(`${what}\n`));
  made.vm.spawn('busy', busy, [], told('busy has ended'));
  made.host.turn();
  made.vm.spawn('first', quick, [], told('after the first'));
  made.vm.spawn('second', quick, [], told('after the second'));
  made.host.runAll();
  const lines = made.host.lines();
  t.strictSame(lines, ['quick', 'quick', 'after the first', 'after the second', 'busy has ended']);
});

t.test('a callback that fails does not prevent the others', async (t) => {
  const made = machine({ natives });
  const main = start(made, '-> { 1 }');
  made.host.runAll();
  const closure = main.outcome?.ok === true ? main.outcome.value : null;
  const { scheduler } = made.vm;
  made.vm.spawn('bad', closure, [], () =>
    scheduler.afterTurn(() => {
      throw new Error('a fault');
    }),
  );
  made.vm.spawn('good', closure, [], () => scheduler.afterTurn(() => made.host.stdout('followed\n')));
  t.throws(() => made.host.runAll(), { message: 'a fault' });
  made.host.runAll();
  t.strictSame(made.host.lines(), ['followed']);
});

t.test('watchers', async (t) => {
  const made = machine({ natives });
  const fiber = start(made, 'later(1)\n7');
  const log: string[] = [];
  fiber.onEnd(({ ok }) => log.push(`first ${ok}`));
  const never = (): void => void log.push('never');
  fiber.onEnd(never);
  t.equal(fiber.watched, true);
  fiber.offEnd(never);
  let idle = 0;
  made.vm.scheduler.whenIdle(() => idle++);
  t.equal(idle, 0);
  made.host.runAll();
  t.strictSame(log, ['first true']);
  t.equal(idle, 1);
  fiber.onEnd(() => log.push('late'));
  t.strictSame(log, ['first true', 'late'], 'at once when it has ended');
  made.vm.scheduler.whenIdle(() => idle++);
  t.equal(idle, 2);
});

t.test('a late result of a cancelled wait is ignored', async (t) => {
  const made = machine({ natives });
  const fiber = start(made, 'begin\n  later(1)\nensure\n  puts later(2)\nend');
  made.host.turn();
  t.equal(fiber.state, 'waiting');
  made.vm.scheduler.interrupt(fiber, new Signal('cancel', null));
  // Result 1 belongs to the cancelled wait, 2 to the current one.
  made.host.runAll();
  t.strictSame(made.host.lines(), ['2']);
  t.equal(fiber.state, 'cancelled');
});

t.test('errors of threads that are not awaited are reported once, those of cancelled threads never', async (t) => {
  const { errors } = run(
    'spawn { raise "detached" }\nt = spawn { raise "awaited" }\nbegin\n  await t\nrescue => e\n  puts e\nend\nu = spawn { sleep(100) }\nu.cancel\nnil',
    { natives },
  );
  t.strictSame(errors, ['RuntimeError: detached']);
});

t.test('10,000 live threads at most, and the error can be rescued', async (t) => {
  const { lines, errors } = run(
    `
c = channel(0)
made = 0
begin
  20_000.times {
    spawn { c.recv() }
    made += 1
  }
rescue RuntimeError => e
  puts made, e
end
made.times { c.send(1) }
sleep(1)
puts await(spawn { "again" })`,
    { slice: 5000 },
  );
  t.strictSame(errors, []);
  t.strictSame(lines, [
    '9999',
    'too many threads: 10000 are running; wait for some to end before starting more',
    'again',
  ]);
});

t.test('as many threads as allowed can be started from outside', (t) => {
  const made = machine({ natives });
  made.vm.scheduler.maxFibers = 3;
  for (let n = 0; n < 3; n++) start(made, 'sleep(100)');
  try {
    start(made, 'sleep(100)');
    t.fail('a fourth one starts');
  } catch (error) {
    t.match((error as SvcError).value.message, /^too many threads: 3 are running;/);
  }
  t.equal(made.vm.scheduler.live.size, 3);
  t.end();
});

t.test('threads that must free their memory run before all others', async (t) => {
  for (const [where, body] of [
    ['new', 'puts "x"'],
    ['after a slice', 'loop { burn(0) }'],
    ['in a wait', 'sleep(100)'],
  ]) {
    const made = machine({ slice: 40, natives });
    start(
      made,
      `5.times { |i| spawn { loop { burn(2) } } }\nspawn do\n  begin\n    ${body}\n  ensure\n    puts "freed"\n  end\nend\n5.times { |i| spawn { burn(2)\n puts i } }`,
    );
    const { scheduler } = made.vm;
    made.host.turn();
    const victim = [...scheduler.live][6 - 1];
    while (where === 'after a slice' ? victim.slices === 0 : where === 'in a wait' && victim.state !== 'waiting')
      made.host.turn();
    const before = scheduler.stats.slices;
    scheduler.raise(victim, errorOf(Errors.MemoryError, 'out of memory'));
    made.host.turn();
    t.equal(scheduler.stats.slices - before, where === 'new' ? 0 : 1, `${where}: no other slice`);
    t.ok(victim.finished, `${where}: ended`);
    t.match(made.reports, [/^MemoryError/], where);
    while (scheduler.live.size > 5) made.host.turn();
    t.strictSame(
      made.host.lines().filter((line) => line !== 'freed'),
      ['0', '1', '2', '3', '4'],
      `${where}: the others follow`,
    );
  }
});

/** Milliseconds of processor time in which a thread wakes 500 times, beside threads that sleep for long. */
function wakes(sleeping: number): number {
  const made = machine();
  start(made, `${sleeping}.times { spawn { sleep(1_000_000) } }\nloop { sleep(1) }`);
  made.host.settle();
  const used = cpuTime(() => {
    for (let n = 0; n < 500; n++) {
      made.host.advance(1000);
      made.host.settle();
    }
  });
  const { live, stats } = made.vm.scheduler;
  t.equal(live.size, sleeping + 1);
  t.ok(stats.slices > sleeping + 500);
  return used;
}

t.test('waking one thread takes as long beside 5,000 that sleep as beside 50', async (t) => {
  wakes(50);
  const ratios = [1, 2, 3].map(() => wakes(5000) / wakes(50));
  t.ok(Math.min(...ratios) < 4, ratios.join(' '));
});
