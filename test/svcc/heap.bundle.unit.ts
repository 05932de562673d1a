import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { svcc } from './svcc.js';

/** Appends to a vector until no memory is left, then goes on without it. */
const PROGRAM = `
rows = []
begin
  loop { rows << "row" * 100 + rows.size.to_s }
rescue MemoryError => e
  rows = nil
  puts e.message.split(":")[0]
end
`;

/** Keeps a part of the heap while another thread makes garbage, which V8 itself would collect late. */
const GARBAGE = `
kept = (0..300_000).map { |i| "#{i}" }
task = spawn do
  60.times { (0..200_000).map { |i| "#{i} text" } }
  "made"
end
puts await task
puts kept.length
`;

// V8's limit covers three semi-spaces for young objects, whose size depends on V8's version and on an option.
for (const options of ['--max-old-space-size=60', '--max-old-space-size=60 --max-semi-space-size=64']) {
  t.test(`a heap that is full is a MemoryError: ${options}`, async (t) => {
    const path = join(t.testdir({}), 'full.svc');
    writeFileSync(path, PROGRAM);
    const outcome = await svcc(['run', path], { env: { NODE_OPTIONS: options } });
    t.strictSame(outcome, { stdout: 'out of memory\n', stderr: '', exitCode: 0 });
  });
}

for (const options of ['--max-old-space-size=100', '--max-old-space-size=100 --max-semi-space-size=64'])
  t.test(`garbage in a small heap ends no thread: ${options}`, async (t) => {
    const path = join(t.testdir({}), 'garbage.svc');
    writeFileSync(path, GARBAGE);
    const outcome = await svcc(['run', path], { env: { NODE_OPTIONS: options } });
    t.strictSame(outcome, { stdout: 'made\n300001\n', stderr: '', exitCode: 0 });
  });
