import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ROOT, Svcc } from '../../svcc/svcc.js';
import { parseExchanges } from '../../web/support/exchange.js';
import { play } from '../../web/support/play.js';

t.test('login.svc', async (t) => {
  // The tokens in login.http are signed with this secret.
  const server = new Svcc(['run', '--port', '0', 'examples/login.svc'], { env: { TOKEN_SECRET: 'test-secret' } });
  t.teardown(() => server.child.kill('SIGKILL'));
  const exchanges = parseExchanges(await readFile(join(ROOT, 'test/web/examples/login.http'), 'utf8'));
  for (const { actual, expected } of await play(await server.port(), exchanges)) t.equal(actual, expected);
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});
