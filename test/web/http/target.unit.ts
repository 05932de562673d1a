import t from 'tap';
import { splitTarget } from '../../../natives/http/target.js';
import fc from '../../property.js';

t.test('the path of absolute, relative and malformed targets', async (t) => {
  // prettier-ignore
  const rows: [target: string, path: string, query: string][] = [
    ['/', '/', ''], ['/a/b', '/a/b', ''], ['/a?b=1', '/a', 'b=1'], ['/a?', '/a', ''], ['/?', '/', ''], ['/a?b?c', '/a', 'b?c'], ['/a%3Fb?c', '/a%3Fb', 'c'],
    ['//evil.com/x', '//evil.com/x', ''], ['///x', '///x', ''], ['//evil.com?x', '//evil.com', 'x'], ['/a//b/../c', '/a//b/../c', ''], ['/a#b?c', '/a#b', 'c'],
    ['/http://evil/x', '/http://evil/x', ''], ['/\\evil', '/\\evil', ''],
    ['http://evil/x', '/x', ''], ['http://evil', '/', ''], ['http://evil?q', '/', 'q'], ['http://evil/?q', '/', 'q'], ['HTTP://u:p@evil:80/x?q', '/x', 'q'],
    ['http:///x', '/x', ''], ['http://evil//x', '//x', ''], ['http://[::1]:3000/x', '/x', ''], ['http://evil/http://b/c', '/http://b/c', ''], ['http://evil#x', '/#x', ''],
    ['ws+x.y-z://h/p', '/p', ''],
    ['*', '*', ''], ['example.com:443', 'example.com:443', ''], ['http:evil', 'http:evil', ''], ['http:/evil', 'http:/evil', ''], ['1http://e/x', '1http://e/x', ''],
    ['://e/x', '://e/x', ''], ['', '', ''], ['?q', '', 'q'],
  ];
  for (const [target, path, query] of rows) t.same(splitTarget(target), { path, query }, JSON.stringify(target));
});

t.test('never throws, and returns only parts of the target', async () => {
  const anyTarget = fc
    .array(fc.constantFrom('http', ':', '/', '//', '?', '#', '@', '%', 'a', '*', '\\', '[', '\u0100', ' '))
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(anyTarget, (target) => {
      const { path, query } = splitTarget(target);
      return (
        !path.includes('?') &&
        target.endsWith(query) &&
        (path === '/' || target.includes(path) || target.includes(path.slice(1)))
      );
    }),
    { numRuns: 3_000 },
  );
});
