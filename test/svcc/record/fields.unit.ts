import t from 'tap';
import { Redaction } from '../../../natives/logging/redaction.js';
import { mapBody, mapJson, mapQuery } from '../../../svcc/record/bodyfields.js';
import { Mask } from '../../../svcc/record/mask.js';

const upper = (name: string): string | null => (name === 'a' ? 'NEW "x"' : null);

t.test('values of JSON are replaced in its text', (t) => {
  const cases: [string, string][] = [
    ['{"a": 1, "b": 1.50}', '{"a": "NEW \\"x\\"", "b": 1.50}'],
    ['{"b": {"a" : "x\\"}"}, "c": ["a", "a"]}', '{"b": {"a" : "NEW \\"x\\""}, "c": ["a", "a"]}'],
    ['[{"a":{"x":["}",{"a":2}]}},{"a":[1,[2]]}]', '[{"a":"NEW \\"x\\""},{"a":"NEW \\"x\\""}]'],
    ['{"a": null, "a": true}', '{"a": null, "a": "NEW \\"x\\""}'],
    ['{"\\u0061": 12345678901234567890}', '{"\\u0061": "NEW \\"x\\""}'],
    // Not valid, or cut off.
    ['{"a": "secr', '{"a": "NEW \\"x\\""'],
    ['{"a": {"b": 1', '{"a": "NEW \\"x\\""'],
    ['{"a":', '{"a":'],
    ['"a" "\\', '"a" "\\'],
    ['', ''],
  ];
  for (const [text, expected] of cases) t.equal(mapJson(text, upper), expected, text);
  t.end();
});

t.test('long texts take little time, whatever they hold', (t) => {
  for (const piece of ['"', '\\"', '{"a":', '["a"', '"a":"\\\\"']) {
    const text = piece.repeat(200_000);
    const before = process.cpuUsage();
    mapJson(text, upper);
    const { user } = process.cpuUsage(before);
    t.ok(user < 2_000_000, `${piece}: ${user} µs`);
  }
  t.end();
});

t.test('forms and queries', (t) => {
  t.equal(mapQuery('b=1&%61=2&a&a=&=3', upper), 'b=1&%61=NEW%20%22x%22&a&a=NEW%20%22x%22&=3');
  const form = 'application/x-www-form-urlencoded; charset=utf-8';
  t.equal(String(mapBody(Buffer.from('a=1&b=%e4'), form, upper)), 'a=NEW%20%22x%22&b=%e4');
  t.equal(String(mapBody(Buffer.from('{"a":1}'), 'application/problem+json', upper)), '{"a":"NEW \\"x\\""}');
  t.equal(String(mapBody(Buffer.from('{"a":1}'), 'text/plain', upper)), '{"a":1}');
  t.end();
});

t.test('fields of multipart forms; files stay', (t) => {
  const type = 'multipart/form-data; boundary=xx';
  const part = (head: string, data: string): string => `--xx\r\n${head}\r\n\r\n${data}\r\n`;
  const before = [
    part('Content-Disposition: form-data; name="a"', 'secret'),
    part('content-disposition: form-data; name="b"', 'open'),
    part('content-disposition: form-data; name="a"; filename="f.bin"\r\ncontent-type: image/png', '\x00\xff--x\r\n'),
  ].join('');
  const after = mapBody(Buffer.from(`${before}--xx--\r\n`, 'latin1'), type, upper);
  t.equal(
    after?.toString('latin1'),
    `${before.replace('Content-Disposition', 'content-disposition').replace('secret', 'NEW "x"')}--xx--\r\n`,
  );
  t.equal(mapBody(Buffer.from('--xx\r\n'), type, upper), null, 'a form that ends early');
  t.equal(mapBody(Buffer.from(''), 'multipart/form-data', upper), null, 'a form without a boundary');
  t.end();
});

t.test('secrets are masked by their names', (t) => {
  const redaction = new Redaction();
  redaction.add('salary');
  const mask = new Mask(redaction);
  t.strictSame(
    mask.fields([
      ...['Authorization', 'Bearer x', 'X-Api-Key', 'k', 'Accept', 'a/b'],
      ...['Cookie', 'session=a=b; theme=dark; odd', 'Set-Cookie', 'sid=1; Path=/', 'Location', '/x?token=1&page=2'],
    ]),
    [
      ...['Authorization', '[redacted]', 'X-Api-Key', '[redacted]', 'Accept', 'a/b'],
      ...['Cookie', 'session=[redacted]; theme=[redacted]; odd', 'Set-Cookie', 'sid=[redacted]; Path=/'],
      ...['Location', '/x?token=[redacted]&page=2'],
    ],
  );
  t.equal(
    mask.target('/p?a=1&user%5Bpassword%5D=x&salary=3'),
    '/p?a=1&user%5Bpassword%5D=[redacted]&salary=[redacted]',
  );
  t.equal(
    mask.target('/p?password1=x&salaries=4&salary_2024=5'),
    '/p?password1=[redacted]&salaries=4&salary_2024=[redacted]',
  );
  t.strictSame(
    mask.masked.map(({ kind, name }) => `${kind} ${name}`),
    [
      ...['header Authorization', 'header X-Api-Key', 'cookie session', 'cookie theme', 'cookie sid'],
      ...['field token', 'field user[password]', 'field salary'],
      ...['field password1', 'field salary_2024'],
    ],
  );
  t.end();
});

t.test('deciding on names takes little time, whatever they hold', (t) => {
  const redaction = new Redaction();
  for (const piece of ['a_', 'aB', 'A', '[a]', '.', 'ss9']) {
    const before = process.cpuUsage();
    for (let i = 0; i < 2000; i++) redaction.isSecret(`${i}${piece.repeat(30)}`);
    redaction.isSecret(piece.repeat(300_000));
    const { user } = process.cpuUsage(before);
    t.ok(user < 2_000_000, `${piece}: ${user} µs`);
  }
  t.end();
});
