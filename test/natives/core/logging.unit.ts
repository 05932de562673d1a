import t from 'tap';
import { logging } from '../../../natives/logging/index.js';
import { textLine } from '../../../natives/logging/line.js';
import { LOG_METHODS } from '../../../svcc/library.js';

t.test('the loader knows all methods of log', async (t) => {
  t.same(LOG_METHODS.split(' ').sort(), logging.map(({ name }) => name).sort());
});

t.test('lines on a terminal have colours, which values cannot add to', async (t) => {
  const line = textLine(true)({
    time: Date.UTC(2000, 0, 1),
    level: 'warn',
    message: 'a\x1b[0m\nb',
    own: [['n', '"\\u001b[31m"']],
    context: [],
  });
  t.match(
    line,
    /^\x1b\[2m\d\d:\d\d:\d\d\.000\x1b\[0m \x1b\[33mWARN \x1b\[0m a\\u001b\[0m\\nb \x1b\[2mn=\x1b\[0m"\\u001b\[31m"\n$/,
  );
});
