import t from 'tap';
import { Client, SECRET, type Site, startSite } from './site.js';

/** `..` and texts that some servers have treated like it. */
const DOTS = [
  '..',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '%25252e%25252e',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '%f0%80%80%ae.',
  '\xc0\xae\xc0\xae',
  '%ef%bc%8e%ef%bc%8e',
  '%e2%80%a5',
  '....',
  '...',
  '..;',
  '..;a=b',
  '..%00',
  '..%20',
  '..%0d%0a',
  '%u002e%u002e',
  '%%32%65%%32%65',
  '.%00.',
  '~',
  '*',
];

/** `/` and texts that some servers have treated like it. */
const SLASHES = [
  '/',
  '//',
  '/./',
  '/%2e/',
  '\\',
  '%5c',
  '%5C/',
  '%2f',
  '%2F/',
  '%252f',
  '%255c',
  '%c0%af',
  '%c1%9c',
  '%ef%bc%8f',
  '%e2%88%95',
  '%00/',
  ';/',
];

const STARTS = ['/', '/sub/', '/assets/', '/assets/sub/', '/%2e/'];

const SPECIAL = [
  '/.env',
  '/%2eenv',
  '/%2Eenv',
  '/sub/../.env',
  '/sub/.env',
  '/.git/config',
  '/.git/config.txt',
  '/.hidden/page.html',
  '/%2ehidden/page.html',
  '/..env.txt',
  '/.txt',
  '/assets/.env',
  '/assets../secret.txt',
  '/assets..%2fsecret.txt',
  '/assets/..%2fsecret.txt',
  '/assets%2f..%2fsecret.txt',
  '/assets%5c..%5csecret.txt',
  '/assets;/../secret.txt',
  '//secret.txt',
  '///etc/passwd',
  '//etc/hosts.txt',
  '/./secret.txt',
  'http://svc.test/../secret.txt',
  'http://svc.test/..%2fsecret.txt',
  'http://svc.test//../secret.txt',
  '/file:///etc/passwd',
  '/%2fetc%2fpasswd',
  '/%2fetc/secret.txt',
  '/sub%2f..%2f..%2fsecret.txt',
  '/sub%2finner.txt',
  '/sub//inner.txt',
  '/C:/secret.txt',
  '/c:%5csecret.txt',
  '/index.html/../../secret.txt',
  '/index.html%2f..%2f..%2fsecret.txt',
  '/index.html/',
  '/index.html/.',
  '/index.html/..',
  '/sub/',
  '/sub',
  '/',
  '/.',
  '/..',
  '/sub/.',
  '/public-sibling/secret.txt',
  '/../public-sibling/secret.txt',
  '/%2e%2e/public-sibling/secret.txt',
  '-sibling/secret.txt',
  '/assets-sibling/secret.txt',
  '/assetsx/index.html',
];

function* patterns(): Generator<string> {
  yield* SPECIAL;
  for (const start of STARTS) {
    for (const dots of DOTS) {
      // The number of steps from there to the parent folder.
      const steps = start.split('/').length - 2 + (start.startsWith('/assets') ? 0 : 1) || 1;
      for (const slash of SLASHES) yield `${start}${(dots + slash).repeat(steps)}secret.txt`;
    }
  }
}

function start(t: Parameters<typeof startSite>[0]): Promise<Site> {
  const tree = {
    'secret.txt': SECRET,
    '.env': SECRET,
    'public-sibling': { 'secret.txt': SECRET, 'index.html': SECRET },
    public: {
      'index.html': 'page',
      '.env': SECRET,
      '..env.txt': SECRET,
      '.txt': SECRET,
      '.git': { config: SECRET, 'config.txt': SECRET },
      '.hidden': { 'page.html': SECRET },
      sub: { '.env': SECRET, 'inner.txt': 'inner' },
      'key.pem': SECRET,
      'data.sqlite': SECRET,
      'app.svc': SECRET,
      noextension: SECRET,
      'page.html.bak': SECRET,
      'page.html~': SECRET,
      'index.html.': SECRET,
      'index.html ': SECRET,
      html: SECRET,
      'a.php': SECRET,
      'b.html.svc': SECRET,
    },
  };
  return startSite(t, tree, 'app.static("public")\napp.static("/assets", "public")');
}

t.test('about 2,000 paths out of the directory are refused', async (t) => {
  const { port, server } = await start(t);
  const client = new Client(port);
  let count = 0;
  for (const target of patterns()) {
    count++;
    const { status, body } = await client.get(target);
    if ((status === 404 || status === 400) && !body.includes('SECRET')) continue;
    t.fail('a pattern got an answer', { target, status, body: body.toString() });
  }
  t.ok(count >= 2000, `${count} patterns`);
  const alive = await client.get('/assets/sub/inner.txt');
  t.same([alive.status, alive.body.toString()], [200, 'inner']);
  client.close();
  t.equal((await server.stop()).stderr, '');
});

t.test('NUL is not served', async (t) => {
  const { port } = await start(t);
  const client = new Client(port);
  for (const target of [
    '/index.html%00.js',
    '/index.html%00',
    '/%00index.html',
    '/index%00.html',
    '/sub%00/inner.txt',
    '/sub/%00/inner.txt',
    '/index.html%2500',
    '/index.html%00/x.html',
  ]) {
    const { status, body } = await client.get(target);
    t.ok(status === 404 || status === 400, `${target} -> ${status}`);
    t.notMatch(body.toString(), /page|inner/);
  }
  client.close();
});

t.test('a sibling folder whose name has the same beginning', async (t) => {
  const { port } = await start(t);
  const client = new Client(port);
  for (const target of [
    '/assets-sibling/index.html',
    '/assetsx/index.html',
    '/assetsindex.html',
    '/ASSETS/index.html',
    '/public-sibling/index.html',
    '/..-sibling/index.html',
  ]) {
    t.equal((await client.get(target)).status, 404, target);
  }
  t.equal((await client.get('/assets/index.html')).status, 200);
  client.close();
});

t.test('dotfiles and unknown types', async (t) => {
  const { port } = await start(t);
  const client = new Client(port);
  const names = [
    '.env',
    '..env.txt',
    '.txt',
    '.git/config',
    '.git/config.txt',
    '.hidden/page.html',
    '%2eenv',
    '%2ehidden/page.html',
    'sub/.env',
    'key.pem',
    'data.sqlite',
    'app.svc',
    'noextension',
    'html',
    'page.html.bak',
    'page.html~',
    'page.html%7e',
    'index.html.',
    'index.html%20',
    'index.html%2e',
    'index.html::$DATA',
    'a.php',
    'b.html.svc',
    'a.php%00.html',
    'a.php/x.html',
    'a.php;x.html',
  ];
  for (const name of names) {
    for (const target of [`/${name}`, `/assets/${name}`]) {
      const { status, body } = await client.get(target);
      t.ok((status === 404 || status === 400) && !body.includes('SECRET'), `${target} -> ${status}`);
    }
  }
  client.close();
});
