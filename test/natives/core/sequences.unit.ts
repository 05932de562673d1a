import { join } from 'node:path';
import { runFile } from '#embed';
import { collect } from '../../collect.js';
import t from 'tap';
import { LAZY_METHODS } from '../../../compiler/resolve/dispatched.js';
import { PRELUDE_TREES } from '../../../compiler/generated/prelude.js';
import { LAZY } from '../../../vm/calls/sequence.js';
import { vm } from './support.js';

t.test('the compiler knows which iterators lazy sequences have themselves', async (t) => {
  t.ok(vm);
  const names = LAZY_METHODS.split(' ');
  for (const name of names) t.match(LAZY.methods.get(name)?.signature ?? '', /block/, name);
  const iterators = new Set(PRELUDE_TREES.map(([name]) => name.replace(/__\d(_2)?$/, '')));
  const own = [...LAZY.methods.values()].filter(({ signature, result, name }) => {
    return result === 'Lazy' && signature.includes('block') && iterators.has(name);
  });
  t.strictSame(
    own.map(({ name }) => name).filter((name) => !names.includes(name)),
    [],
  );
});

t.test('a sequence that was left early runs its ensure clauses when it is collected', async (t) => {
  const timer = setInterval(() => collect(), 20);
  const program = `
numbers = sequence do |out|
  begin
    out << 1
    out << 2
  ensure
    puts "closed"
  end
end
def take(numbers)
  for n in numbers
    return n
  end
end
puts take(numbers)
sleep 0.4
puts "end"
`;
  const { stdout } = await runFile(join(t.testdir({ 'a.svc': program }), 'a.svc'));
  clearInterval(timer);
  t.equal(stdout, '1\nclosed\nend\n');
});

t.test('parked sequences are no threads, and deep ones end with StackError', async (t) => {
  const program = `
list = (1..20_000).map { |i| sequence { |out| out << i } }
puts list.sum { |s| s.next }
def nested(n)
  sequence do |out|
    for x in nested(n + 1)
      out << x
    end
  end
end
begin
  nested(0).first
rescue StackError => e
  puts e.type
end
`;
  const { stdout, stderr } = await runFile(join(t.testdir({ 'a.svc': program }), 'a.svc'));
  t.equal(stdout, '200010000\nStackError\n', stderr);
});
