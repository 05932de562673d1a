import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

// What V8 knows about generated code. Without feedback for an operation it drops the optimised code that reaches it.

const ROOT = resolve(import.meta.dirname, '../..');

/** Its slices end in loops, in calls of functions, methods and blocks, and before their first instruction. */
const PROGRAM = `record Sum(total) do
  def add(n) self.total = total + n end

  def twice(n)
    add(n)
    add(n)
  end
end

def inner(sum, list)
  for n in list
    sum.twice(n)
    sum.add(1)
  end
  sum.total
end

def outer(sum, list)
  count = 0
  while count < 20
    inner(sum, list)
    list.each { |n| sum.add(n) }
    count += 1
  end
  kept = list.map { |n| sum.add(n) }
  kept.length + count
end

list = (0...60).to_a
sum = Sum(0)
seen = 0
400.times { seen += outer(sum, list) }
puts seen
`;

/** Lines of V8's log in which it drops optimised code of the program, with the reason. */
async function dropped(folder: string, program: string): Promise<string[]> {
  const log = join(folder, 'v8.log');
  await promisify(execFile)(
    process.execPath,
    [
      ...['--import=tsx', '--log-deopt', `--logfile=${log}`, '--no-logfile-per-isolate'],
      ...['svcc/main.js', 'run', '--no-cache', program],
    ],
    { cwd: ROOT, env: { PATH: process.env.PATH, HOME: process.env.HOME } },
  );
  // Code without a path is generated.
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /^code-deopt,.*<(?!file:|node:|\/)[^<]*$/.test(line));
}

const isKnownV8 = process.versions.v8.startsWith('11.');

t.test(
  'the ends of slices cost no optimised code',
  { skip: isKnownV8 ? false : "V8's log of other versions has another form" },
  async (t) => {
    const folder = t.testdir({ 'program.svc': PROGRAM });
    const lines = await dropped(folder, join(folder, 'program.svc'));
    t.strictSame(
      lines.filter((line) => line.includes('Insufficient type feedback')),
      [],
    );
  },
);
