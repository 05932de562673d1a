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

// V8's limit covers three semi-spaces for young objects, whose size depends on V8's version and on an option.
for (const options of ['--max-old-space-size=60', '--max-old-space-size=60 --max-semi-space-size=64'])
  t.test(`a heap that is full is a MemoryError: ${options}`, async (t) => {
    const path = join(t.testdir({}), 'full.svc');
    writeFileSync(path, PROGRAM);
    const outcome = await svcc(['run', path], { env: { NODE_OPTIONS: options } });
    t.strictSame(outcome, { stdout: 'out of memory\n', stderr: '', exitCode: 0 });
  });
