import t from 'tap';
import { contentDisposition } from '../../../natives/web/files/download.js';
import { filePath } from '../../../natives/web/files/path.js';
import { contentTypeOf, servedType } from '../../../natives/web/files/mediatypes.js';
import { shortest } from '../../clock.js';
import fc from '../../property.js';

t.test('every accepted path has plain segments and a known type', async () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    '%2e',
    '%2f',
    '%5c',
    '\\',
    '%00',
    '\0',
    'a',
    'b.txt',
    '.html',
    '%',
    '%25',
    'é',
    '%C3%A9',
    '%c0%ae',
    '~',
    ':',
    '/www',
    ' ',
    '//',
  );
  const path = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`);
  fc.assert(
    fc.property(path, fc.constantFrom('', '/www'), (sent, prefix) => {
      const file = filePath(sent, prefix, false);
      if (file === null) return true;
      const segments = file.slice(1).split('/');
      const isPlain =
        file.startsWith('/') &&
        !/[\\\0]/.test(file) &&
        segments.every((segment) => segment !== '' && !segment.startsWith('.'));
      return isPlain && servedType(file) !== undefined && (prefix === '' || sent.startsWith('/www/'));
    }),
    { numRuns: 20_000 },
  );
});

t.test('the file that a path names', async (t) => {
  // prettier-ignore
  const rows: [path: string, prefix: string, file: string | null][] = [
    ['/a.txt', '', '/a.txt'], ['/a/b.txt', '', '/a/b.txt'], ['/www/a.txt', '/www', '/a.txt'], ['/wwwa.txt', '/www', null], ['/www', '/www', null], ['/www.txt', '/www', null],
    ['/%61.%74xt', '', '/a.txt'], ['/a%20b.txt', '', '/a b.txt'], ['/a+b.txt', '', '/a+b.txt'], ['/%2561.txt', '', '/%61.txt'], ['/%C3%A9.txt', '', '/é.txt'], ['/e%CC%81.txt', '', '/e\u0301.txt'],
    ['/a.b.txt', '', '/a.b.txt'], ['/a..txt', '', '/a..txt'], ['/.a.txt', '', null], ['/a/.b.txt', '', null], ['/a.txt/', '', null], ['/a.TXT', '', '/a.TXT'], ['/a.txt.', '', null], ['/a', '', null],
    ['/%', '', null], ['/%zz.txt', '', null], ['/%C3.txt', '', null], ['/constructor', '', null], ['/a.constructor', '', null], ['/a.__proto__', '', null], ['*', '', null], ['', '', null], ['host:80', '', null], ['a.txt', '', null],
  ];
  for (const [path, prefix, file] of rows) t.equal(filePath(path, prefix, false), file, path);
});

t.test('names with a special meaning on Windows', async (t) => {
  const traps = [
    '/con.txt',
    '/CON.txt',
    '/a/nul.html',
    '/aux.css',
    '/prn.txt',
    '/com1.txt',
    '/lpt9.txt',
    '/CONIN$.txt',
    '/con/a.txt',
    '/a:b.txt',
    '/c:/a.txt',
    '/ENV~1.txt',
    '/a?.txt',
    '/a*.txt',
    '/a<.txt',
    '/a|b.txt',
    '/a./b.txt',
    '/a%20/b.txt',
  ];
  for (const path of traps) {
    t.equal(filePath(path, '', true), null, path);
    t.ok(filePath(path, '', false) !== null, `${path} is a name like others elsewhere`);
  }
  for (const path of ['/icon.txt', '/console.txt', '/com10.txt', '/a b.txt', '/contact/a.txt'])
    t.equal(filePath(path, '', true), path);
});

t.test('a long path is handled quickly', async (t) => {
  const paths = [
    `${'/a'.repeat(8000)}.txt`,
    `${'/'.repeat(16_000)}.txt`,
    `/${'a.'.repeat(8000)}txt`,
    `/${'%2e'.repeat(5000)}.txt`,
    `${'/a'.repeat(8000)}/.txt`,
    `/${' '.repeat(16_000)}.txt`,
    `/${'. '.repeat(8000)}a.txt`,
  ];
  for (const path of paths)
    for (const isWindows of [true, false]) t.ok(shortest(() => filePath(path, '', isWindows)) < 500);
});

t.test('types', async (t) => {
  const all =
    'html css js json png jpg gif svg webp ico woff woff2 txt xml pdf map mjs wasm csv md jpeg avif mp3 mp4 webm ogg ttf otf eot webmanifest'.split(
      ' ',
    );
  t.equal(all.length, 30);
  for (const extension of all)
    t.match(
      servedType(`/a.${extension}`),
      /^(text|image|font|audio|video|application)\/[\w.+-]+(; charset=utf-8)?$/,
      extension,
    );
  t.equal(servedType('/a.html'), 'text/html; charset=utf-8');
  t.equal(servedType('/a.HTML'), 'text/html; charset=utf-8');
  t.equal(servedType('/A.Jpg'), 'image/jpeg');
  t.equal(contentTypeOf('a.ICO'), 'image/x-icon');
  t.equal(servedType('/a.js'), 'text/javascript; charset=utf-8');
  t.equal(servedType('/a.wasm'), 'application/wasm');
  t.equal(servedType('/a.svg'), 'image/svg+xml');
  t.notOk(all.some((extension) => servedType(`/a.${extension}`) === 'application/octet-stream'));
  for (const path of ['/a', '/a.', '/a.exe', '/a.php', '/a.svc', '/a.SVC', '/a.html/b', 'html'])
    t.equal(servedType(path), undefined, path);
  t.equal(contentTypeOf('a.zip'), 'application/zip');
  t.equal(contentTypeOf('a'), 'application/octet-stream');
  t.equal(contentTypeOf('a.constructor'), 'application/octet-stream');
});

t.test('Content-Disposition', async (t) => {
  t.equal(contentDisposition('inline', 'a b.txt'), 'inline; filename="a b.txt"');
  t.equal(contentDisposition('attachment', ''), 'attachment; filename=""');
  t.equal(
    contentDisposition('attachment', 'a"b\\c%41.txt'),
    `attachment; filename="a_b_c_41.txt"; filename*=UTF-8''a%22b%5Cc%2541.txt`,
  );
  t.equal(
    contentDisposition('attachment', 'Größe €.pdf'),
    `attachment; filename="Gr__e _.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.pdf`,
  );
  t.equal(contentDisposition('attachment', `it's (1)*.txt`), `attachment; filename="it's (1)*.txt"`);
  t.equal(
    contentDisposition('attachment', `é'()*`),
    `attachment; filename="_'()*"; filename*=UTF-8''%C3%A9%27%28%29%2A`,
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '', '\r\n'), (name, end) =>
      /^[\x20-\x7e]*$/.test(contentDisposition('attachment', name + end)),
    ),
  );
});
