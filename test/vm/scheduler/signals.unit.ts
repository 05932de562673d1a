import t from 'tap';
import { native } from '../../../vm/calls/native.js';
import { Errors, ErrorValue, Signal, SvcError } from '../../../vm/values/error.js';
import { machine, run, start } from '../support/machine.js';
import { slowNatives } from '../support/slow.js';
import { prints } from './prints.js';

t.test('cancel', async (t) => {
  await t.test('of a thread that waits: ensure runs, rescue does not', async (t) =>
    prints(
      t,
      `
task = spawn do
  begin
    sleep(100)
    puts "never"
  rescue => e
    puts "rescued"
  ensure
    puts "ensured"
  end
end
sleep(1)
task.cancel
sleep(1)
puts task.done?
begin
  await task
rescue => e
  puts e
end`,
      ['ensured', 'true', 'the task was cancelled'],
    ),
  );

  await t.test('of a busy thread, at its next safepoint', async (t) =>
    prints(
      t,
      `
task = spawn do
  begin
    loop do
    end
  ensure
    puts "ensured"
  end
end
sleep(0)
task.cancel
sleep(1)
puts task.done?`,
      ['ensured', 'true'],
    ),
  );

  await t.test('of a thread that has ended, and again', async (t) =>
    prints(
      t,
      `
task = spawn { 5 }
puts await task
task.cancel
task.cancel
puts await task
other = spawn { sleep(9) }
sleep(0)
other.cancel
other.cancel
sleep(1)
puts other.done?`,
      ['5', '5', 'true'],
    ),
  );

  await t.test('waits in ensure are completed', async (t) =>
    prints(
      t,
      `
task = spawn do
  begin
    sleep(100)
  ensure
    sleep(5)
    puts later("cleaned up")
  end
end
sleep(1)
task.cancel
sleep(1)
puts task.done?
sleep(9)
puts task.done?`,
      ['false', 'cleaned up', 'true'],
    ),
  );

  await t.test("of all that wait for each other's results", async (t) =>
    prints(
      t,
      `
a = spawn { sleep(100) }
b = spawn do
  begin
    await a
  rescue => e
    puts "b: #{e}"
  end
end
sleep(1)
a.cancel
await b`,
      ['b: the task was cancelled'],
    ),
  );

  await t.test('ensure may take ten seconds', async (t) =>
    prints(
      t,
      `
task = spawn do
  begin
    sleep(100)
  ensure
    sleep(9)
    puts "tidied up"
    begin
      sleep(1000)
    ensure
      puts "inner"
    end
    puts "never"
  end
end
sleep(1)
task.cancel
sleep(20)
puts task.done?
start = clock_ms()
begin
  timeout(2) do
    begin
      sleep(5)
    ensure
      sleep(1000)
    end
  end
rescue TimeoutError => e
  puts e.message
end
puts clock_ms() - start`,
      ['tidied up', 'inner', 'true', 'timed out after 2s', '12000'],
    ),
  );

  await t.test('stops the operation that was waited for', async (t) => {
    const made = machine({ natives: slowNatives });
    const fiber = start(made, 'sleep(100)');
    made.host.turn();
    t.equal(made.host.timers.size, 1);
    made.vm.scheduler.cancel(fiber);
    made.host.runAll();
    t.equal(made.host.time, 0);
    t.equal(made.host.timers.size, 0);
    t.equal(fiber.state, 'cancelled');
  });
});

t.test('signals and errors that meet: none is lost', async (t) => {
  await t.test('a cancel after an error that has not been delivered', async (t) => {
    const made = machine({ natives: slowNatives });
    const fiber = start(made, 'begin\n  sleep(100)\nrescue => e\n  puts "rescued"\nend\nsleep(100)\nputs "went on"');
    made.host.turn();
    made.vm.scheduler.failWait(fiber, new SvcError(new ErrorValue(Errors.IOError, 'gone')));
    made.vm.scheduler.cancel(fiber);
    made.host.runAll();
    t.notOk(made.host.out.includes('went on'));
    t.equal(fiber.state, 'cancelled');
  });

  await t.test('a cancel after a deadline, both before the thread runs again', async (t) => {
    for (const busy of [true, false]) {
      const made = machine({ slice: 100, natives: slowNatives });
      const fiber = start(
        made,
        `begin\n  timeout(1) do\n    ${busy ? 'loop do\n    end' : 'sleep(50)'}\n  end\nrescue TimeoutError\n  puts "timed out"\nend\nsleep(100)\nputs "went on"`,
      );
      made.host.turn();
      made.host.advance(1000);
      made.vm.scheduler.cancel(fiber);
      made.host.runAll();
      t.notOk(made.host.out.includes('went on'), busy ? 'busy' : 'waiting');
      t.equal(fiber.state, 'cancelled');
    }
  });

  await t.test('cancelled by another thread in the turn of its deadline', async (t) => {
    prints(
      t,
      `
task = spawn do
  begin
    timeout(1) { sleep(5) }
  rescue TimeoutError
    puts "timed out"
  end
  sleep(100)
  puts "went on"
end
sleep(1)
task.cancel
sleep(1)
puts task.done?`,
      ['true'],
    );
  });

  await t.test('two deadlines that a late event loop fires at once', async (t) => {
    for (const [what, body] of [
      ['waiting', 'sleep(50)'],
      ['busy', 'loop do\n      end'],
    ]) {
      const made = machine({ slice: 100, natives: slowNatives });
      const fiber = start(
        made,
        `begin
  timeout(2) do
    begin
      timeout(1) do
        ${body}
      end
    rescue TimeoutError => e
      puts e
    end
    loop do
    end
  end
rescue TimeoutError => e
  puts e
end`,
      );
      made.host.turn();
      made.host.turn();
      made.host.advance(10_000);
      for (let n = 0; n < 200 && !fiber.finished; n++) made.host.turn();
      t.ok(fiber.finished, `${what}: the outer one ends the block`);
      t.equal(made.host.lines().at(-1), 'timed out after 2s', what);
    }
  });

  await t.test('a value that was delivered does not stop a cancel', async (t) => {
    const made = machine({ natives: slowNatives });
    const fiber = start(made, 'later(1)\nsleep(100)\nputs "went on"');
    made.host.turn();
    made.host.turn();
    made.vm.scheduler.cancel(fiber);
    made.host.runAll();
    t.equal(fiber.state, 'cancelled');
    t.equal(made.host.time, 0);
  });
});

t.test('deadlines', async (t) => {
  await t.test('a block in time returns its value', async (t) =>
    prints(t, 'puts timeout(1) { later(7) }\nputs timeout(0.5) { 8 }', ['7', '8']),
  );

  await t.test('inside a wait', async (t) =>
    prints(
      t,
      'begin\n  timeout(2) { sleep(5)\n puts "never" }\nrescue TimeoutError => e\n  puts e\nend\nbegin\n  timeout(0.25) { sleep(5) }\nrescue IOError => e\n  puts e\nend',
      ['timed out after 2s', 'timed out after 0.25s'],
    ),
  );

  await t.test('inside a busy loop', async (t) => {
    for (const slice of [1, 3, 1000]) {
      const made = machine({ slice, natives: slowNatives });
      const fiber = start(
        made,
        'begin\n  timeout(2) do\n    loop do\n    end\n  end\nrescue TimeoutError => e\n  puts e\nend',
      );
      for (let n = 0; n < 5; n++) made.host.turn();
      t.notOk(fiber.finished);
      made.host.advance(1999);
      made.host.turn();
      t.notOk(fiber.finished);
      made.host.advance(1);
      for (let n = 0; n < 40; n++) made.host.turn();
      t.strictSame(made.host.lines(), ['timed out after 2s'], `slice ${slice}`);
    }
  });

  await t.test('rescue clauses inside the block do not match it; ensure runs once', async (t) =>
    prints(
      t,
      `
n = [0, 0]
begin
  timeout(1) do
    begin
      begin
        sleep(5)
      rescue => e
        puts "inner rescue"
      ensure
        n[0] += 1
        later(1)
      end
    ensure
      n[1] += 1
    end
    puts "never"
  end
rescue TimeoutError => e
  puts e, n
end`,
      ['timed out after 1s', '[1, 1]'],
    ),
  );

  await t.test('nested: the inner one first', async (t) =>
    prints(
      t,
      'begin\n  timeout(5) do\n    begin\n      timeout(1) { sleep(9) }\n    rescue TimeoutError => e\n      puts e\n    end\n    sleep(9)\n  end\nrescue TimeoutError => e\n  puts e\nend',
      ['timed out after 1s', 'timed out after 5s'],
    ),
  );

  await t.test('nested: the outer one first', async (t) =>
    prints(
      t,
      'begin\n  timeout(1) do\n    begin\n      timeout(5) { sleep(9) }\n    rescue TimeoutError => e\n      puts "inner #{e}"\n    ensure\n      puts "between"\n    end\n  end\nrescue TimeoutError => e\n  puts e\nend\nsleep(9)',
      ['between', 'timed out after 1s'],
    ),
  );

  await t.test('at the same time', async (t) =>
    prints(
      t,
      'begin\n  timeout(1) do\n    begin\n      timeout(1) { sleep(9) }\n    rescue TimeoutError => e\n      puts "inner"\n    end\n    sleep(9)\n    puts "never"\n  end\nrescue TimeoutError => e\n  puts "outer"\nend\nsleep(20)',
      ['outer'],
    ),
  );

  await t.test('around a cleanup that waits too long', async (t) =>
    prints(
      t,
      'begin\n  timeout(3) do\n    begin\n      timeout(1) do\n        begin\n          sleep(9)\n        ensure\n          sleep(9)\n          puts "never"\n        end\n      end\n    ensure\n      puts "outer ensure"\n    end\n  end\nrescue TimeoutError => e\n  puts e\nend',
      ['outer ensure', 'timed out after 3s'],
    ),
  );

  await t.test('around a cleanup that waits too long: the inner one does not replace it', async (t) =>
    prints(
      t,
      `begin
  timeout(3) do
    begin
      timeout(1) do
        begin
          sleep(9)
        ensure
          sleep(9)
        end
      end
    rescue TimeoutError
      puts "inner"
    end
    puts "never"
  end
rescue TimeoutError => e
  puts e
end`,
      ['timed out after 3s'],
    ),
  );

  await t.test('an error in the block removes the deadline', async (t) =>
    prints(
      t,
      '100.times do\n  begin\n    timeout(50) { raise "x" }\n  rescue RuntimeError\n    nil\n  end\n  timeout(50) { later(1) }\nend\nputs "done"',
      ['done'],
    ),
  );

  await t.test('next and return remove the deadline', async (t) =>
    prints(
      t,
      'def f\n  timeout(50) { next 4 }\nend\ndef g\n  [1].each { |x| return timeout(50) { x + 1 } }\nend\nputs f(), g()',
      ['4', '2'],
    ),
  );

  await t.test('a deadline that fires when its block has just ended', async (t) => {
    const made = machine({ slice: 1, natives: slowNatives });
    const fiber = start(made, 'x = timeout(1) { 1 }\nn = 0\nwhile n < 20\n  n += 1\nend\nputs x, n');
    for (let n = 0; n < 3; n++) made.host.turn();
    made.host.advance(5000);
    made.host.runAll();
    t.equal(fiber.state, fiber.outcome?.ok === true ? 'done' : 'failed');
    t.ok(['1,20', ''].includes(made.host.lines().join()), 'either in time or not at all');
  });

  await t.test('bad numbers of seconds', async (t) => {
    for (const seconds of ['0', '-1', '"2"', 'nil'])
      t.match(run(`timeout(${seconds}) { 1 }`).errors[0], /^(Argument|Type)Error: timeout\(\)/, seconds);
  });

  await t.test('a thread started in the block is not bound by it', async (t) =>
    prints(
      t,
      'task = nil\nbegin\n  timeout(1) do\n    task = spawn { sleep(3)\n "finished" }\n    sleep(9)\n  end\nrescue TimeoutError\n  puts "timeout"\nend\nputs await task',
      ['timeout', 'finished'],
    ),
  );
});

t.test('a cancellation during the ensure of a timeout ends the thread', async (t) => {
  await t.test('while it waits', async (t) =>
    prints(
      t,
      `
task = spawn do
  begin
    timeout(1) do
      begin
        sleep(50)
      ensure
        sleep(5)
        puts "never"
      end
    end
  rescue TimeoutError
    puts "rescued"
  ensure
    puts "ensured"
  end
  puts "never"
end
sleep(3)
task.cancel
sleep(1)
puts task.done?`,
      ['ensured', 'true'],
    ),
  );

  await t.test('before the deadline is seen', async (t) => {
    for (const slice of [1, 3, 1000]) {
      const made = machine({ slice, natives: slowNatives });
      const fiber = start(
        made,
        'begin\n  timeout(1) do\n    loop do\n    end\n  end\nrescue TimeoutError\n  puts "rescued"\nensure\n  puts "ensured"\nend\nputs "never"',
      );
      for (let n = 0; n < 30; n++) made.host.turn();
      made.host.advance(1000);
      made.vm.scheduler.cancel(fiber);
      made.host.runAll();
      t.strictSame(made.host.lines(), ['ensured'], `slice ${slice}`);
      t.ok(
        fiber.outcome?.ok === false && fiber.outcome.error instanceof Signal && fiber.outcome.error.kind === 'cancel',
        'the thread ends by its cancellation',
      );
    }
  });

  await t.test('of a thread by itself, which then waits', async (t) =>
    prints(
      t,
      'box = shared(nil)\nt = spawn do\n  sleep(1)\n  begin\n    box.get.cancel\n    sleep(50)\n    puts "never"\n  ensure\n    puts "ensured"\n  end\nend\nbox.set(t)\nsleep(2)\nputs t.done?, clock_ms() < 10_000',
      ['ensured', 'true', 'true'],
    ),
  );

  await t.test('a deadline after it changes nothing', async (t) => {
    for (const slice of [1, 3, 1000]) {
      const made = machine({ slice, natives: slowNatives });
      const fiber = start(
        made,
        'begin\n  timeout(1) do\n    loop do\n    end\n  end\nrescue TimeoutError\n  puts "rescued"\nend\nputs "never"',
      );
      for (let n = 0; n < 30; n++) made.host.turn();
      made.vm.scheduler.cancel(fiber);
      made.host.advance(1000);
      made.host.runAll();
      t.strictSame(made.host.lines(), [], `slice ${slice}`);
      t.ok(
        fiber.outcome?.ok === false && fiber.outcome.error instanceof Signal && fiber.outcome.error.kind === 'cancel',
      );
    }
  });
});

t.test('the end of a thread', async (t) => {
  const undone: string[] = [];
  const made = machine({
    natives: [
      native('undo', 'what: String', 'Nil', '', (_vm, what: string) => {
        made.vm.scheduler.current?.onFailure(() => undone.push(what));
        return null;
      }),
      // A deadline that no block ends.
      native('open_deadline', '', 'Nil', '', () => {
        made.vm.scheduler.pushDeadline(100);
        return null;
      }),
    ],
  });

  await t.test('calls the functions of onFailure if it fails or is cancelled', async (t) => {
    start(
      made,
      'spawn { undo("never") }\nspawn do\n  undo("failed")\n  raise "x"\nend\ntask = spawn do\n  undo("cancelled")\n  sleep(9)\nend\nsleep(1)\ntask.cancel',
    );
    made.host.runAll();
    t.strictSame(undone, ['failed', 'cancelled']);
  });

  await t.test('ends its deadlines', async (t) => {
    start(made, 'open_deadline()');
    made.host.runAll();
    t.equal(made.host.timers.size, 0);
  });
});

t.test('other signals unwind like errors without a matching rescue', async (t) => {
  const made = machine({ natives: slowNatives });
  const fiber = start(made, 'begin\n  sleep(9)\nrescue => e\n  puts "rescued"\nensure\n  puts "ensured"\nend');
  made.host.turn();
  made.vm.scheduler.interrupt(fiber, new Signal('halt', 'payload'));
  made.host.runAll();
  t.strictSame(made.host.lines(), ['ensured']);
  t.ok(
    fiber.outcome?.ok === false && fiber.outcome.error instanceof Signal && fiber.outcome.error.payload === 'payload',
  );
  t.equal(fiber.state, 'failed');
});

t.test('exit in ensure, and exit through ensure', async (t) => {
  t.strictSame(
    run('begin\n  exit(3)\nrescue => e\n  puts "never"\nensure\n  puts "ensured"\nend\nputs "never"').errors,
    ['signal exit'],
  );
  t.strictSame(run('begin\n  raise "x"\nensure\n  exit(2)\nend').errors, ['signal exit']);
});

t.test('a deadline that is over and ends before the next safepoint', (t) => {
  const passed = native('passed', '', 'Integer', '', ({ scheduler }) => {
    const guard = scheduler.pushGuard();
    scheduler.expire(guard);
    t.notOk(scheduler.popDeadline(guard));
    return 1;
  });
  const { lines, errors } = run('x = passed()\nn = 0\nwhile n < 20\n  n += 1\nend\nputs x, n', { natives: [passed] });
  t.strictSame([lines, errors], [['1', '20'], []]);
  t.end();
});
