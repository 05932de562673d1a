import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { defaultSettings } from '../../../natives/web/config/settings.js';
import { boundaryOf } from '../../../natives/web/request/upload/upload.js';
import { readHead } from '../../../natives/web/request/upload/head.js';
import { safeFilename } from '../../../natives/web/request/upload/part.js';
import { type Part, UploadReader, UploadRefusal } from '../../../natives/web/request/upload/reader.js';
import { shortest } from '../../clock.js';
import fc from '../../property.js';

/** Reads a body that arrives in pieces; returns its parts with the contents of files, or the status that refuses it. */
async function read(pieces: readonly Buffer[]): Promise<unknown> {
  const req = Object.assign(new PassThrough(), { complete: true });
  const reader = new UploadReader(req as unknown as IncomingMessage, defaultSettings(), 'B');
  const result = reader.read();
  for (const piece of pieces) req.write(piece);
  req.end();
  try {
    const parts = await result;
    return await Promise.all(parts.map(shown));
  } catch (reason) {
    if (reason instanceof UploadRefusal) return reason.status;
    throw reason;
  } finally {
    await reader.temps.remove();
  }
}

async function shown(part: Part): Promise<unknown> {
  if ('text' in part) return part;
  const { size, body, path } = part.file;
  const bytes = path === null ? Buffer.from(body as string) : await readFile(path);
  return { name: part.name, filename: part.filename, size, bytes: bytes.toString('latin1') };
}

function cut(body: Buffer, places: number[]): Buffer[] {
  const ends = [...places.map((place) => place % (body.length + 1)), body.length].sort((a, b) => a - b);
  return ends.map((end, i) => body.subarray(i === 0 ? 0 : ends[i - 1], end)).filter((piece) => piece.length > 0);
}

const content = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'-B\r\n ') }),
    fc.constantFrom('\r\n--', '\r\n--A', '--B', '\r\n-', '-', '\r', ''),
    fc.integer({ min: 65_000, max: 66_500 }).map((length) => 'x'.repeat(length)),
  )
  .filter((text) => !`\r\n${text}\r\n`.includes('\r\n--B'));

const form = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-z_é ]{1,8}$/),
    filename: fc.option(fc.stringMatching(/^[a-zé.]{1,8}x$/)),
    content,
  }),
  { maxLength: 6 },
);

type Form = typeof form extends fc.Arbitrary<infer T> ? T : never;

function encode(parts: Form): Buffer {
  const texts = parts.map(
    ({ name, filename, content }) =>
      `--B\r\nContent-Disposition: form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}\r\n\r\n${content}\r\n`,
  );
  return Buffer.from(`${texts.join('')}--B--\r\n`);
}

t.test('the parts are read as sent, at whatever places the body is cut into pieces', async () => {
  const around = fc.constantFrom(
    ['', ''],
    ['', '\r\n'],
    ['preamble\r\n', 'epilogue'],
    ['\r\n', `\r\n${'e'.repeat(70_000)}`],
  );
  await fc.assert(
    fc.asyncProperty(form, around, fc.array(fc.nat(), { maxLength: 8 }), async (parts, [before, after], places) => {
      const wanted = parts.map(({ name, filename, content }) => {
        const bytes = Buffer.from(content);
        return filename === null
          ? { name, text: bytes.toString() }
          : { name, filename, size: bytes.length, bytes: bytes.toString('latin1') };
      });
      const body = Buffer.concat([Buffer.from(before), encode(parts), Buffer.from(after)]);
      return JSON.stringify(await read(cut(body, places))) === JSON.stringify(wanted);
    }),
    { numRuns: 500 },
  );
});

const BITS = [
  '\r\n',
  '--B',
  '\r\n--B\r\n',
  '\r\n--B--',
  '"',
  ';',
  ':',
  '\0',
  'name=',
  "filename*=utf-8''%ff",
  '\\"',
  '\r\n\r\n',
  '-',
  'x',
  '\xff',
];

/** A generator of numbers from 0 to 1, the same ones in each run. */
function seeded(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

t.test('damaged bodies are read or refused, with the same result for all cuts', async (t) => {
  const random = seeded(52);
  const upTo = (limit: number): number => Math.floor(random() * limit);
  let refused = 0;
  for (let i = 0; i < 3000; i++) {
    let body = encode([
      { name: 'a', filename: null, content: '1' },
      { name: 'f', filename: 'x', content: 'yyy' },
      { name: 'b', filename: null, content: '' },
    ]);
    for (let n = 1 + upTo(3); n > 0; n--) {
      const at = upTo(body.length + 1);
      body = Buffer.concat([
        body.subarray(0, at),
        Buffer.from(BITS[upTo(BITS.length)], 'latin1'),
        body.subarray(at + upTo(6)),
      ]);
    }
    const whole = await read([body]);
    const inPieces = await read(cut(body, [upTo(1000), upTo(1000)]));
    if (whole === 400) refused++;
    t.same(whole, inPieces, body.toString('latin1'));
  }
  t.ok(refused > 300 && refused < 2700, `${refused} of 3000 are refused`);
});

const part = (head: string, boundary = '--B\r\n'): Buffer =>
  Buffer.from(`${boundary}${head}\r\n\r\n1\r\n--B--\r\n`, 'latin1');
const DISPOSITION = 'Content-Disposition: form-data; name="a"';

t.test('boundaries followed by blanks', async (t) => {
  for (const boundary of [
    '--B\r\n',
    '--B \r\n',
    '--B\t \r\n',
    `--B${' '.repeat(256)}\r\n`,
    ' preamble\r\n--B  \r\n',
    '\r\n--B \r\n',
  ]) {
    for (const close of ['--B--', '--B--\r\n', '--B-- \t\r\n', '--B--epilogue']) {
      const body = Buffer.from(`${boundary}${DISPOSITION}\r\n\r\n1\r\n--B \r\n${DISPOSITION}\r\n\r\n2\r\n${close}`);
      for (const pieces of [[body], cut(body, [...body.keys()])])
        t.same(
          await read(pieces),
          [
            { name: 'a', text: '1' },
            { name: 'a', text: '2' },
          ],
          JSON.stringify(boundary + close),
        );
    }
  }
  for (const boundary of [
    '--Bx\r\n',
    '--B x\r\n',
    '--B-\r\n',
    '--B\r',
    '--B\n',
    '--B\0\r\n',
    `--B${' '.repeat(257)}\r\n`,
  ])
    t.equal(await read([part(DISPOSITION, boundary)]), 400, JSON.stringify(boundary));
  t.same(
    await read([Buffer.from(`--B\r\n${DISPOSITION}\r\n\r\n--B--`)]),
    [{ name: 'a', text: '' }],
    'a part that ends with its head',
  );
});

t.test('a head of a part that is too long or malformed is refused', async (t) => {
  const long = (size: number): string => `${DISPOSITION}\r\nX: ${'x'.repeat(size - DISPOSITION.length - 5)}`;
  const lines = (count: number): string => `${DISPOSITION}${'\r\nX: x'.repeat(count - 1)}`;
  for (const head of [
    long(8190),
    lines(16),
    'CONTENT-DISPOSITION:form-data;name=a',
    'Content-Disposition: form-data;\r\n\tname=a',
  ]) {
    for (const pieces of [
      [part(head)],
      cut(
        part(head),
        [...Array(100).keys()].map((i) => i * 90),
      ),
    ])
      t.same(await read(pieces), [{ name: 'a', text: '1' }], head.slice(0, 80));
  }
  for (const head of [
    long(8192),
    long(70_000),
    lines(17),
    '',
    'x',
    `${DISPOSITION}\r\n: x`,
    `${DISPOSITION}\r\nX y: x`,
    `${DISPOSITION}\r\nX: a\rb`,
    `${DISPOSITION}\r\nX: a\nb`,
    `X: y\r\n--B\r\n${DISPOSITION}`,
  ]) {
    for (const pieces of [
      [part(head)],
      cut(
        part(head),
        [...Array(100).keys()].map((i) => i * 90),
      ),
    ])
      t.equal(await read(pieces), 400, head.slice(0, 80));
  }
});

t.test('the head of a part', async (t) => {
  // prettier-ignore
  const rows: [disposition: string, name: string | null, filename?: string | null][] = [
    ['form-data; name="a"', 'a', null], ['Form-Data;NAME=a', 'a', null], ['form-data; name="a"; filename="b"', 'a', 'b'], ['form-data; filename="b"; name="a"', 'a', 'b'], ['form-data ; name = "a" ; filename = b', 'a', 'b'],
    ['form-data; name=""', '', null], ['form-data; name="a;b=\\"c\\\\"', 'a;b="c\\', null], ['form-data; name="a"; filename="C:\\dir\\b"', 'a', 'C:\\dir\\b'], ['form-data; name="%22a%0D"', '%22a%0D', null],
    ['form-data; name="\xc3\xa9"', 'é', null], ['form-data; name="\xff"', '\ufffd', null], ["form-data; name=a; filename=x; filename*=UTF-8'en'%c3%a9%20b", 'a', 'é b'], ["form-data; name=a; filename=x; filename*=latin1''%e9", 'a', 'x'],
    ["form-data; name=a; filename*=utf-8''%zz", 'a', null], ['form-data; name="a"; name="b"', 'a', null], ['form-data; name="__proto__"', '__proto__', null],
    ['', null], ['form-data', null], ['form-data; filename="b"', null], ['attachment; name="a"', null], ['form-datax; name="a"', null], ['form-data; name="a', null], ['form-data; name', null], ['form-data; =a', null],
  ];
  for (const [disposition, name, filename] of rows) {
    const head = readHead({ 'content-disposition': [disposition] });
    t.equal(head === null ? null : head.name, name, disposition);
    if (filename !== undefined) t.equal(head?.filename, filename, disposition);
  }
  const typeOf = (type?: string): string | undefined =>
    readHead({ 'content-disposition': ['form-data; name=a'], 'content-type': type === undefined ? undefined : [type] })
      ?.contentType;
  t.same(
    [
      typeOf(),
      typeOf('Text/HTML; charset=x'),
      typeOf('image/svg+xml'),
      typeOf(''),
      typeOf('x'),
      typeOf('a/b/c'),
      typeOf('a/\xff'),
    ],
    ['text/plain', 'text/html', 'image/svg+xml', ...Array<string>(4).fill('application/octet-stream')],
  );
  const read = (): void => {
    for (const text of [
      '; a="'.repeat(1600),
      ';'.repeat(8000),
      '; a=\\"'.repeat(1200),
      `; a="${'\\'.repeat(8000)}`,
      ' '.repeat(8000),
    ])
      readHead({ 'content-disposition': [`form-data${text}`] });
  };
  t.ok(shortest(read) < 1000, 'in linear time');
});

t.test('the boundary of a content type', async (t) => {
  // prettier-ignore
  const rows: [type: string | undefined, boundary: string | null][] = [
    [undefined, null], ['', null], ['text/plain', null], ['multipart/form-data', null], ['multipart/form-data; boundary=', null], ['multipart/form-data; boundary=""', null],
    ['multipart/form-data; boundary=B', 'B'], ['Multipart/Form-Data;BOUNDARY=B', 'B'], ['multipart/form-data; charset=x; boundary=B; y=z', 'B'], ['multipart/form-data; boundary="a b"', 'a b'],
    ['multipart/form-data; boundary="a "', null], ['multipart/form-data; boundary=a b', null], ['multipart/form-data; xboundary=B', null], [`multipart/form-data; boundary=${'B'.repeat(70)}`, 'B'.repeat(70)],
    [`multipart/form-data; boundary=${'B'.repeat(71)}`, null], ['multipart/form-data; boundary=B{', null], ['multipart/form-data-x; boundary=B', null], ["multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", '----WebKitFormBoundary7MA4YWxkTrZu0gW'],
  ];
  for (const [type, boundary] of rows) t.equal(boundaryOf(type), boundary, String(type));
  t.ok(shortest(() => boundaryOf(`multipart/form-data;${'; '.repeat(8000)}boundary=`)) < 1000, 'in linear time');
  t.ok(shortest(() => boundaryOf(`multipart/form-data;${' '.repeat(16_000)}boundary`)) < 1000, 'in linear time');
});

t.test('file names are one segment', async (t) => {
  for (const [sent, kept] of [
    ['a.txt', 'a.txt'],
    ['../../a', 'a'],
    ['..\\a', 'a'],
    ['C:\\a', 'a'],
    ['/', ''],
    ['..', ''],
    ['.', ''],
    ['a/..', ''],
    ['.\0.', ''],
    ['a\r\nb', 'ab'],
    ['..a', '..a'],
    ['.env', '.env'],
  ])
    t.equal(safeFilename(sent), kept, sent);
});
