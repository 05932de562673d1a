import t, { type Test } from 'tap';
import type { VM } from '../../vm/vm.js';
import { watchMemory } from '../../vm/watch/memory.js';
import { native } from '../../vm/calls/native.js';
import { checkRoom, heapLimit, isRoomFor } from '../../vm/values/heaproom.js';
import { machine, type Machine, start } from './support/machine.js';
import { serves } from './support/serves.js';

const MB = 1024 * 1024;
const LIMIT = 1000 * MB;

/** Replaces the real heap: threads state what they keep and what becomes garbage. */
class Heap {
  kept = 0;
  garbage = 0;
  collections = 0;
  /** Whether collections free nothing, because all values are referenced. */
  stuck = false;

  collect(): void {
    this.collections++;
    if (!this.stuck) this.garbage = 0;
  }
}

/** A VM with such a heap. `keep(mb)` and `waste(mb)` allocate from it; each call counts as one slice. */
function made(): Machine & { heap: Heap } {
  const heap = new Heap();
  const made = machine({
    slice: 5,
    natives: [
      serves,
      native('keep', 'mb: Integer', 'Nil', '', (_vm: VM, mb: number) => void (heap.kept += mb * MB)),
      native('waste', 'mb: Integer', 'Nil', '', (_vm: VM, mb: number) => void (heap.garbage += mb * MB)),
      native('free', 'mb: Integer', 'Nil', '', (_vm: VM, mb: number) => void (heap.kept -= mb * MB)),
    ],
  });
  made.host.heap = () => ({ used: heap.kept + heap.garbage, limit: LIMIT });
  made.host.collect = () => heap.collect();
  // The heap is checked whenever the clock is read.
  made.host.tick = 25;
  watchMemory(made.vm);
  return { ...made, heap };
}

const LOOPS = '\ndef spin(n)\n  n.times { |i| i + 1 }\nend\n';

function run(text: string, set: (heap: Heap) => void = () => {}): { lines: string[]; reports: string[]; heap: Heap } {
  const machine = made();
  set(machine.heap);
  start(machine, LOOPS + text);
  machine.host.runAll();
  return { lines: machine.host.lines(), reports: machine.reports, heap: machine.heap };
}

function isUntouched(t: Test, text: string, collections: number): void {
  const { lines, reports, heap } = run(text);
  t.strictSame(reports, []);
  t.strictSame(lines, ['end']);
  t.equal(heap.collections, collections, 'collections');
}

t.test('below the limit nothing happens', async (t) =>
  isUntouched(t, '60.times do\n  keep(11)\n  spin(10)\nend\nputs "end"', 0),
);

t.test('garbage is collected without an error', async (t) => isUntouched(t, 'waste(790)\nspin(100)\nputs "end"', 1));

t.test('garbage that fills the heap again at once is collected again', async (t) =>
  isUntouched(t, 'keep(400)\n10.times { waste(450)\n spin(100) }\nputs "end"', 10),
);

t.test('a thread ends if memory is full again in a fraction of the time that the last collection took', async (t) => {
  const machine = made();
  machine.host.collect = () => {
    machine.heap.collect();
    machine.host.time += 7000;
  };
  start(machine, `${LOOPS}keep(400)\nbegin\n  loop { waste(50)\n spin(10) }\nrescue MemoryError => e\n  puts e\nend`);
  machine.host.runAll();
  t.equal(machine.heap.collections, 1);
  t.match(machine.host.lines()[0], /^out of memory: values take 8\d\d MB of 1000 MB/);
});

t.test('who receives values bit by bit is refused because of what is kept, never because of garbage', async (t) => {
  const { heap } = made();
  t.equal(heapLimit(), LIMIT);
  heap.kept = 600 * MB;
  for (let time = 1; time <= 3; time++) {
    heap.garbage = 150 * MB;
    t.ok(isRoomFor(100 * MB));
    t.equal(heap.collections, time);
  }
  heap.garbage = 150 * MB;
  try {
    checkRoom(100 * MB, 'a value');
    t.fail('one value is refused soon after a collection');
  } catch (error) {
    t.match(error, { value: { message: 'out of memory: a value' } });
  }
  heap.kept = 750 * MB;
  t.notOk(isRoomFor(100 * MB));
});

t.test('a thread that keeps too much ends with MemoryError', async (t) => {
  const { lines, reports } = run(
    'begin\n  loop do\n    keep(20)\n    spin(10)\n  end\nrescue MemoryError => e\n  free(700)\n  puts e\nend\nspin(100)\nputs "end"',
  );
  t.match(lines[0], /^out of memory: values take 7\d\d MB of 1000 MB, and this thread has allocated most$/);
  t.strictSame(lines.slice(1), ['end']);
  t.strictSame(reports, []);
});

t.test('the thread that allocates most ends', async (t) => {
  const { lines, reports } = run(
    'keep(480)\nmodest = spawn { 20.times { keep(1)\n spin(20) }\n puts "modest" }\ngreedy = spawn do\n  loop { keep(15)\n spin(20) }\nend\nbegin\n  await greedy\nrescue MemoryError\n  free(300)\n  puts "greedy"\nend\nawait modest\nputs "end"',
  );
  t.strictSame(reports, []);
  t.strictSame([...lines].sort(), ['end', 'greedy', 'modest']);
});

t.test('a thread that waits does not end', async (t) => {
  const { lines, reports } = run(
    'waiter = spawn { keep(400)\n sleep(100)\n "waited" }\nsleep(1)\nbegin\n  loop { keep(10)\n spin(20) }\nrescue MemoryError\n  free(600)\nend\nputs await waiter',
  );
  t.strictSame(reports, []);
  t.strictSame(lines, ['waited']);
});

t.test('the error of a thread that is not awaited is logged; other threads continue', async (t) => {
  const { lines, reports } = run(
    'keep(400)\nspawn { loop { keep(15)\n spin(20) } }\n100.times { sleep(0.1) }\nputs "end"',
  );
  t.equal(reports.length, 1);
  t.match(reports[0], /^MemoryError: out of memory/);
  t.strictSame(lines, ['end']);
});

t.test('threads end one after the other', async (t) => {
  const { lines, reports } = run(
    '6.times do |i|\n  task = spawn { loop { keep(25)\n spin(20) } }\n  begin\n    await task\n  rescue MemoryError\n    free(600)\n    puts i\n  end\nend\nputs "end"',
  );
  t.strictSame(reports, []);
  t.strictSame(lines, ['0', '1', '2', '3', '4', '5', 'end']);
});

/** 400 threads that keep 2 MB each; `each` is what they do first. Prints the last error, and how many have failed. */
const holders = (each = ''): string =>
  `tasks = (1..400).map { |i| spawn { ${each}keep(2)\n begin\n  sleep(100)\n ensure\n  free(2)\n end } }
failed = 0
text = nil
tasks.each { |task|
  begin
    await task
  rescue MemoryError => e
    failed += 1
    text = e.message
  end
}
puts failed
puts text`;

t.test('of many threads that keep little each, some of the request that has allocated most end', async (t) => {
  const { lines, reports } = run(
    `other = spawn { serves([1])\n keep(3)\n sleep(200)\n "other" }\nserves([2])\n${holders()}\nputs await other`,
    (heap) => (heap.kept = 450 * MB),
  );
  t.strictSame(reports, []);
  const [failed, text, other] = lines;
  t.ok(Number(failed) >= 50 && Number(failed) < 350, `${failed} have failed`);
  t.match(
    text,
    /^out of memory: values take \d+ MB of 1000 MB, and this thread and others of the same request or job have allocated most$/,
  );
  t.equal(other, 'other');
});

t.test('of many requests that keep little each, some end', async (t) => {
  const { lines, reports } = run(holders('serves([i])\n'), (heap) => (heap.kept = 450 * MB));
  t.strictSame(reports, []);
  const [failed, text] = lines;
  t.ok(Number(failed) >= 50 && Number(failed) < 350, `${failed} have failed`);
  t.match(text, /^out of memory: values take \d+ MB of 1000 MB, and many threads have allocated a little$/);
});

t.test('requests do not fail because the values of a program take much', async (t) => {
  const { lines, reports } = run(
    '20.times { |i| spawn { serves([i])\n waste(1)\n spin(20)\n keep(1)\n sleep(1)\n free(1)\n puts "answered" } }',
    (heap) => (heap.kept = 720 * MB),
  );
  t.strictSame(reports, []);
  t.equal(lines.length, 20);
});

t.test('nobody else ends while a thread that was told frees its memory, unless there is none left', async (t) => {
  const machine = made();
  start(machine, '2.times { spawn { sleep(100) } }\nsleep(100)');
  machine.host.turn();
  const [main, first, second] = machine.vm.scheduler.live;
  const look = (kept: number): string => {
    machine.heap.kept = kept * MB;
    machine.vm.scheduler.onSlice(main);
    return [first, second].map(({ thrown }) => (thrown === null ? 'runs' : 'told')).join();
  };
  [first.allocated, second.allocated] = [260 * MB, 200 * MB];
  t.equal(look(840), 'told,runs');
  t.equal(look(840), 'told,runs');
  t.equal(look(890), 'told,runs');
  t.equal(look(910), 'told,told');
});

t.test('more threads end at once each time that memory is short again soon', async (t) => {
  const machine = made();
  machine.host.tick = 0.5;
  start(
    machine,
    `${LOOPS}tasks = (1..200).map { spawn { mine = 0\nbegin\n  loop { keep(1)\n mine += 1\n spin(5) }\nensure\n  free(mine)\nend } }\ntasks.each { |task| begin\n  await task\nrescue MemoryError\nend }\nputs "end"`,
  );
  machine.host.runAll();
  t.strictSame(machine.reports, []);
  t.strictSame(machine.host.lines(), ['end']);
  t.ok(machine.heap.collections <= 6, `${machine.heap.collections} collections`);
});

t.test('a second shortage ends a thread that has rescued the first, without a rescue', async (t) => {
  const { lines, reports } = run(
    'begin\n  3.times do |i|\n    begin\n      loop { keep(5)\n spin(20) }\n    rescue MemoryError\n      free(300)\n      puts i\n    end\n  end\nensure\n  free(300)\n  puts "ensure"\nend\nputs "end"',
  );
  t.strictSame(lines, ['0', 'ensure']);
  t.match(reports, [/^MemoryError: out of memory/]);
});

t.test('a shortage long after the first can be rescued', async (t) => {
  const { lines, reports } = run(
    '2.times do |i|\n  begin\n    loop { keep(5)\n spin(20) }\n  rescue MemoryError\n    free(300)\n    puts i\n  end\n  sleep(70)\nend\nputs "end"',
  );
  t.strictSame(reports, []);
  t.strictSame(lines, ['0', '1', 'end']);
});
