import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import t from 'tap';
import { defaultSettings } from '../../../natives/web/settings.js';
import { boundaryOf } from '../../../natives/web/upload.js';
import { safeFilename } from '../../../natives/web/uploadpart.js';
import { type Part, UploadReader, UploadRefusal } from '../../../natives/web/uploadreader.js';

/** Reads a body that comes in these pieces; its parts, with the content of files, or the status that refuses it. */
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

const content = fc.oneof(
  fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'-B\r\n ') }), fc.constantFrom('\r\n--', '\r\n--A', '--B', '\r\n-', '-', '\r', ''),
  fc.integer({ min: 65_000, max: 66_500 }).map((length) => 'x'.repeat(length)),
).filter((text) => !`\r\n${text}\r\n`.includes('\r\n--B'));

const form = fc.array(fc.record({ name: fc.stringMatching(/^[a-z_é ]{1,8}$/), filename: fc.option(fc.stringMatching(/^[a-zé.]{1,8}x$/)), content }), { maxLength: 6 });

type Form = typeof form extends fc.Arbitrary<infer T> ? T : never;

function encode(parts: Form): Buffer {
  const texts = parts.map(({ name, filename, content }) => `--B\r\nContent-Disposition: form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}\r\n\r\n${content}\r\n`);
  return Buffer.from(`${texts.join('')}--B--\r\n`);
}

t.test('what is sent is what comes, however it is cut into pieces', async () => {
  await fc.assert(fc.asyncProperty(form, fc.array(fc.nat(), { maxLength: 8 }), async (parts, places) => {
    const wanted = parts.map(({ name, filename, content }) => {
      const bytes = Buffer.from(content);
      return filename === null ? { name, text: bytes.toString() } : { name, filename, size: bytes.length, bytes: bytes.toString('latin1') };
    });
    const body = encode(parts);
    return JSON.stringify(await read(cut(body, places))) === JSON.stringify(wanted);
  }), { numRuns: 500 });
});

t.test('threat 52: damaged bodies are read or refused, the same however they are cut', async () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 6 }), fc.oneof(fc.string(), fc.constantFrom('\r\n', '--B', '\r\n--B\r\n', '\r\n--B--', '"', ';', ':', '\0', 'name=', 'filename*=utf-8\'\'%ff', '\\"', '\r\n\r\n'))), { minLength: 1, maxLength: 4 });
  await fc.assert(fc.asyncProperty(form, damage, fc.array(fc.nat(), { maxLength: 5 }), async (parts, changes, places) => {
    let body = encode(parts);
    for (const [at, count, text] of changes) {
      const start = at % (body.length + 1);
      body = Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(start + count)]);
    }
    const whole = await read([body]);
    const inPieces = await read(cut(body, places));
    return JSON.stringify(whole) === JSON.stringify(inPieces);
  }), { numRuns: 2000 });
});

t.test('the boundary of a content type', async (t) => {
  const rows: [type: string | undefined, boundary: string | null][] = [
    [undefined, null], ['', null], ['text/plain', null], ['multipart/form-data', null], ['multipart/form-data; boundary=', null], ['multipart/form-data; boundary=""', null],
    ['multipart/form-data; boundary=B', 'B'], ['Multipart/Form-Data;BOUNDARY=B', 'B'], ['multipart/form-data; charset=x; boundary=B; y=z', 'B'], ['multipart/form-data; boundary="a b"', 'a b'],
    ['multipart/form-data; boundary="a "', null], ['multipart/form-data; boundary=a b', null], ['multipart/form-data; xboundary=B', null], [`multipart/form-data; boundary=${'B'.repeat(70)}`, 'B'.repeat(70)],
    [`multipart/form-data; boundary=${'B'.repeat(71)}`, null], ['multipart/form-data; boundary=B{', null], ['multipart/form-data-x; boundary=B', null], ["multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", '----WebKitFormBoundary7MA4YWxkTrZu0gW'],
  ];
  for (const [type, boundary] of rows) t.equal(boundaryOf(type), boundary, String(type));
  const start = performance.now();
  boundaryOf(`multipart/form-data;${'; '.repeat(8000)}boundary=`);
  boundaryOf(`multipart/form-data;${' '.repeat(16_000)}boundary`);
  t.ok(performance.now() - start < 100, 'in linear time');
});

t.test('file names are one segment', async (t) => {
  for (const [sent, kept] of [['a.txt', 'a.txt'], ['../../a', 'a'], ['..\\a', 'a'], ['C:\\a', 'a'], ['/', ''], ['..', ''], ['.', ''], ['a/..', ''], ['.\0.', ''], ['a\r\nb', 'ab'], ['..a', '..a'], ['.env', '.env']]) t.equal(safeFilename(sent), kept, sent);
});
