import t from 'tap';
import { run } from '../support/machine.js';
import { prints, SLICES } from './prints.js';

const DEADLOCK = /^RuntimeError: deadlock: all threads wait for each other/;

t.test('channels', async (t) => {
  await t.test('without a buffer sender and receiver meet', async (t) =>
    prints(
      t,
      'c = channel(0)\nspawn do\n  3.times { |i| c.send(i) }\n  c.close\nend\nwhile true\n  x = c.recv()\n  break if x == nil\n  puts x\nend\nputs c.closed?',
      ['0', '1', '2', 'true'],
    ),
  );

  await t.test('a full buffer makes the sender wait, in order', async (t) =>
    prints(
      t,
      'c = channel(2)\nlog = shared("")\n5.times { |i| spawn { c.send(i)\n log.update { |l| l + "s#{i} " } } }\nsleep(1)\nputs log.get, c.length\n5.times { puts c.recv() }\nsleep(1)\nputs log.get',
      ['s0 s1 ', '2', '0', '1', '2', '3', '4', 's0 s1 s2 s3 s4 '],
    ),
  );

  await t.test('receivers are served in their order', async (t) =>
    prints(
      t,
      'c = channel(0)\nts = (1..3).map { |i| spawn { "#{i}:#{c.recv()}" } }\nsleep(1)\n["a", "b", "c"].each { |x| c.send(x) }\nputs await ts',
      ['[1:a, 2:b, 3:c]'],
    ),
  );

  await t.test('send returns the channel', async (t) =>
    prints(t, 'c = channel(3)\nc.send(1).send(2)\nputs c.recv(), c.recv(), c.length', ['1', '2', '0']),
  );

  await t.test('values in a closed channel can be received', async (t) =>
    prints(
      t,
      'c = channel(3)\nc.send(1)\nc.send(nil)\nc.close\np c.recv(), c.recv(), c.recv(), c.recv()\nbegin\n  c.send(2)\nrescue => e\n  puts e\nend\nc.close',
      ['(Integer) 1', '(Nil) nil', '(Nil) nil', '(Nil) nil', 'the channel is closed'],
    ),
  );

  await t.test('close wakes all who wait', async (t) =>
    prints(
      t,
      'c = channel(0)\nrs = (1..2).map { spawn { c.recv() } }\nsleep(1)\nc.close\np await(rs)\nd = channel(0)\nss = (1..2).map { |i| spawn do\n  begin\n    d.send(i)\n  rescue => e\n    "#{i}: #{e}"\n  end\nend }\nsleep(1)\nd.close\np await(ss)',
      ['(Vector) [nil, nil]', '(Vector) ["1: the channel is closed", "2: the channel is closed"]'],
    ),
  );

  await t.test('recv with a timeout', async (t) =>
    prints(
      t,
      'c = channel(0)\nbegin\n  c.recv(2)\nrescue TimeoutError => e\n  puts e\nend\nspawn { sleep(1)\n c.send("in time") }\nputs c.recv(timeout: 2)\nspawn { c.send("later") }\nputs c.recv()',
      ['timed out after 2s', 'in time', 'later'],
    ),
  );

  await t.test('the error shows the timeout as written', async (t) =>
    prints(
      t,
      'c = channel(0)\nbegin\n  c.recv(1.0)\nrescue TimeoutError => e\n  puts e\nend\nbegin\n  timeout(1.0) { sleep(2) }\nrescue TimeoutError => e\n  puts e\nend',
      ['timed out after 1.0s', 'timed out after 1.0s'],
    ),
  );

  await t.test('a cancelled receiver takes nothing', async (t) =>
    prints(
      t,
      'c = channel(0)\nr = spawn { c.recv() }\nsleep(1)\nr.cancel\nsleep(1)\nspawn { c.send("kept") }\nputs c.recv()',
      ['kept'],
    ),
  );

  await t.test('a cancelled sender leaves nothing', async (t) =>
    prints(
      t,
      'c = channel(0)\ns = spawn { c.send("dropped") }\nsleep(1)\ns.cancel\nsleep(1)\nspawn { c.send("sent") }\nputs c.recv()',
      ['sent'],
    ),
  );

  await t.test('a timed out receiver takes nothing', async (t) =>
    prints(
      t,
      'c = channel(0)\nbegin\n  timeout(1) { c.recv() }\nrescue TimeoutError\n  nil\nend\nspawn { c.send("kept") }\nputs c.recv()',
      ['kept'],
    ),
  );

  await t.test('bad sizes', async (t) => {
    t.match(run('channel(-1)').errors, [/^ArgumentError: channel\(\)/]);
    t.match(run('channel("1")').errors, [/^TypeError: channel\(\)/]);
  });

  await t.test('a thousand values through three stages', async (t) =>
    prints(
      t,
      'a = channel(3)\nb = channel(0)\nspawn { 1000.times { |i| a.send(i) }\n a.close }\nspawn do\n  while (x = a.recv()) != nil\n    b.send(x * 2)\n  end\n  b.close\nend\nsum = 0\nwhile (x = b.recv()) != nil\n  sum += x\nend\nputs sum',
      ['999000'],
    ),
  );
});

t.test('shared values', async (t) => {
  await t.test('one update at a time, also if its block waits', async (t) =>
    prints(
      t,
      's = shared(0)\nts = (1..30).map { |i| spawn { s.update { |v|\n  sleep(0.1)\n  later(v) + 1 } } }\nputs await(ts).sort == (1..30).to_a, s.get',
      ['true', '30'],
    ),
  );

  await t.test('an error in the block keeps the value and releases the lock', async (t) =>
    prints(
      t,
      's = shared(1)\nbegin\n  s.update { |v| raise "no" }\nrescue => e\n  puts e\nend\nbegin\n  s.update { |v|\n    sleep(1)\n    raise "later" }\nrescue => e\n  puts e\nend\nputs s.update { |v| v + 1 }, s.get',
      ['no', 'later', '2', '2'],
    ),
  );

  await t.test('a cancelled holder passes the lock on', async (t) =>
    prints(
      t,
      's = shared(1)\na = spawn { s.update { |v|\n  sleep(100)\n  9 } }\nsleep(1)\nb = spawn { s.update { |v| v + 1 } }\nsleep(1)\na.cancel\nputs await(b), s.get',
      ['2', '2'],
    ),
  );

  await t.test('a cancelled waiter is passed over', async (t) =>
    prints(
      t,
      's = shared(1)\nspawn { s.update { |v|\n  sleep(3)\n  v + 1 } }\nsleep(1)\nb = spawn { s.update { |v| 100 } }\nc = spawn { s.update { |v| v * 10 } }\nsleep(1)\nb.cancel\nputs await(c)',
      ['20'],
    ),
  );

  await t.test('a waiter that is cancelled when it receives the lock passes it on', async (t) =>
    prints(
      t,
      `
s = shared(1)
a = spawn { s.update { |v|
  sleep(2)
  v + 1 } }
sleep(1)
b = spawn { s.update { |v| 100 } }
sleep(1)
b.cancel
puts s.update { |v| v * 10 }`,
      ['20'],
    ),
  );

  await t.test('a waiter whose deadline fires when it receives the lock passes it on', async (t) =>
    prints(
      t,
      `
s = shared(1)
a = spawn { s.update { |v|
  sleep(2)
  v + 1 } }
b = spawn do
  begin
    timeout(2) { s.update { |v| 100 } }
  rescue TimeoutError
    0
  end
end
await a
await b
puts s.update { |v| 7 }`,
      ['7'],
    ),
  );

  await t.test('an update in an update of the same value is a deadlock, which is reported', async (t) => {
    for (const slice of SLICES)
      t.match(
        run('s = shared(1)\ns.update { |v| s.update { |w| 2 } }', { slice }).errors,
        [/^RuntimeError: deadlock: update within the block/],
        `slice ${slice}`,
      );
  });

  await t.test('set and get do not wait', async (t) =>
    prints(
      t,
      's = shared()\np s.get\nputs s.set(3), s.get\nh = shared({n: 1})\nspawn { h.update { |v| {n: v.n + 1} } }\nsleep(1)\nputs h.get',
      ['(Nil) nil', '3', '3', '{n: 2}'],
    ),
  );
});

t.test('tasks', async (t) => {
  await t.test('a value can be awaited twice', async (t) =>
    prints(t, 't = spawn { later(5) }\nputs await t, t.value, t.await, await(3)\nputs await([t, 1, spawn { 2 }])', [
      '5',
      '5',
      '5',
      '3',
      '[5, 1, 2]',
    ]),
  );

  await t.test('an error is raised where a task is awaited', async (t) =>
    prints(
      t,
      't = spawn { later(1)\n raise KeyError, "none" }\n2.times do\n  begin\n    await t\n  rescue KeyError => e\n    puts e\n  end\nend',
      ['none', 'none'],
    ),
  );

  await t.test('a thread cannot wait for itself', async (t) =>
    prints(
      t,
      'box = channel(1)\nt = spawn do\n  me = box.recv()\n  begin\n    await me\n  rescue => e\n    e.message\n  end\nend\nbox.send(t)\nputs await t',
      ['a thread cannot wait for itself'],
    ),
  );

  await t.test('a spawned block has copies of its variables; shared parts stay shared among the copies', async (t) =>
    prints(
      t,
      'v = [1]\npair = [v, v]\nf = -> { v }\nc = channel(1)\nt = spawn do\n  pair[0] << 2\n  v << 3\n  c.send(1)\n  [pair, v, f()]\nend\nputs await(t), pair, v, c.length',
      ['[[[1, 2, 3], [1, 2, 3]], [1, 2, 3], [1]]', '[[1], [1]]', '[1]', '1'],
    ),
  );

  await t.test('copies are taken when spawn runs', async (t) =>
    prints(t, 'ts = []\nx = 0\n3.times do\n  x += 1\n  ts << spawn { x * 10 }\nend\nx = 100\nputs await ts', [
      '[10, 20, 30]',
    ]),
  );

  await t.test('exit in a task is reported at once, also if the task is referenced', async (t) => {
    for (const text of ['t = spawn { exit(3) }\nsleep(1)', 'spawn { exit(3) }\nsleep(1)'])
      t.strictSame(run(text).errors, ['signal exit'], text);
  });

  await t.test('await of a long vector', async (t) => prints(t, 'puts await([1] * 100000).length', ['100000']));

  await t.test('await of more tasks than the maximum depth of calls', async (t) => {
    const ran = run(
      'ts = []\n3.times do\n  part = (1..5000).map { |i| spawn { i } }\n  await part.last\n  sleep(1)\n  part.each { |x| ts << x }\nend\nputs await(ts).sum',
    );
    t.strictSame(ran.errors, []);
    t.strictSame(ran.lines, ['37507500']);
  });

  await t.test('parallel_map keeps the order', async (t) =>
    prints(t, 'puts parallel_map([3, 1, 2]) { |x|\n  sleep(x)\n  x * x }', ['[9, 1, 4]']),
  );
});

t.test('deadlocks', async (t) => {
  await t.test('the oldest thread gets an error that names its wait', async (t) => {
    t.match(run('channel(0).recv()').errors, [
      /^RuntimeError: deadlock: all threads wait for each other \(this one for a channel\)/,
    ]);
    t.match(run('c = channel(0)\nt = spawn { c.recv() }\nawait t').errors[0], /\(this one for a task\)/);
  });

  await t.test('the error can be rescued', async (t) =>
    prints(
      t,
      'c = channel(0)\nbegin\n  c.recv()\nrescue RuntimeError => e\n  puts "saved"\nend\nspawn { c.send(4) }\nputs c.recv()',
      ['saved', '4'],
    ),
  );

  await t.test('a sleeping thread prevents a deadlock', async (t) =>
    prints(t, 'c = channel(0)\nspawn { sleep(1000)\n c.send("at last") }\nputs c.recv()', ['at last']),
  );

  await t.test('a thread that waits for something outside the VM prevents a deadlock', async (t) =>
    prints(t, 'c = channel(0)\nspawn { c.send(later(3)) }\nputs c.recv()', ['3']),
  );

  await t.test('threads that wait in a circle', async (t) => {
    for (const slice of SLICES) {
      const ran = run(
        'a = channel(0)\nb = channel(0)\nt = spawn { a.recv()\n b.send(1) }\nbegin\n  b.recv()\nrescue => e\n  puts "main"\nend\na.send(1)\nputs "freed"\nputs b.recv()\nawait t',
        { slice },
      );
      t.strictSame(ran.lines, ['main', 'freed', '1'], `slice ${slice}`);
      t.strictSame(ran.errors, [], `slice ${slice}`);
    }
  });

  await t.test('a thread that waits after the main program has ended is in a deadlock', async (t) => {
    const ran = run('c = channel(0)\nspawn { c.recv() }\nputs "end"');
    t.strictSame(ran.lines, ['end']);
    t.match(ran.errors, [DEADLOCK], 'the deadlock is reported');
  });
});

t.test('a thread that is cancelled at any safepoint of update releases the value', async (t) => {
  let cancelled = 0;
  for (const jit of [null, 0, 2]) {
    for (let turns = 0; turns < 30; turns++) {
      // The two threads alternate at safepoints.
      const text = `s = shared(1)\ntask = spawn { s.update { |v| v + 1 } }\ni = 0\nwhile i < ${turns}\n  i += 1\nend\ntask.cancel\nsleep(1)\nputs s.update { |v| v + 10 }`;
      const { lines, errors } = run(text, { jit, slice: 1 });
      t.ok(
        errors.length === 0 && (lines[0] === '11' || lines[0] === '12'),
        `JIT ${jit}, after ${turns} turns: ${[...lines, ...errors].join()}`,
      );
      if (lines[0] === '11') cancelled++;
    }
  }
  t.ok(cancelled > 6 && cancelled < 80, `${cancelled} cancelled`);
});
