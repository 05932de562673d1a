import t from 'tap';
import { until } from '../../patience.js';
import { parallel } from '../threats/attack.js';
import { RawServer, type Request } from './rawserver.js';
import { ANSWERS, type Answer } from './rfc6455-answers.js';
import { expectedOf, type Wire } from './rfc6455-case.js';
import { startProgram } from './rfc6455-program.js';

/** Maximum number of concurrent connections. */
const WIDTH = 30;
/** Longer than the client's timeout. */
const STAY_MS = 1500;

interface Outcome {
  seen: string;
  came: string[];
}

async function speak(wire: Wire, key: string, { writes, then }: Answer): Promise<string[]> {
  for (const bytes of writes(key)) await wire.send(bytes);
  if (typeof then === 'object') return wire.play({ name: '', ...then }, 'client');
  if (then === 'close') wire.socket.end();
  if (then === 'stay') setTimeout(() => wire.socket.end(), STAY_MS);
  await wire.everything();
  return [`${wire.frames.length} frames`];
}

t.test('handshakes with the client', async (t) => {
  const program = await startProgram(t);
  const raw = await RawServer.start(t, program.port);
  const outcomes = new Map<Answer, Outcome>();
  const requests: Request[] = [];
  await parallel(ANSWERS, WIDTH, async (answer, index) => {
    let came: Promise<string[]> | null = null;
    const seen = await raw.connected(
      `answer-${index}`,
      async (wire, request) => {
        requests.push(request);
        await (came = speak(wire, request.key, answer));
      },
      answer.timeout,
    );
    // On a busy machine, the client may give up before the server has read its handshake.
    const frames = await until('the end of the talk', () => came);
    outcomes.set(answer, { seen: seen.replace(`127.0.0.1:${raw.port}`, 'ADDRESS'), came: frames });
  });
  for (const answer of ANSWERS) {
    const came = typeof answer.then === 'object' ? expectedOf({ name: '', ...answer.then }) : ['0 frames'];
    t.same(outcomes.get(answer), { seen: answer.seen, came }, answer.name);
  }
  t.equal(await program.stop(), '', 'nothing is logged');
  await t.test('the requests', async (t) => {
    const shown = new Set(
      requests.map(({ head, key }) =>
        head
          .replace(key, 'KEY')
          .replace(/answer-\d+/, 'answer')
          .replace(String(raw.port), 'PORT'),
      ),
    );
    t.same(
      [...shown],
      [
        'GET /answer?a=1 HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: KEY\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nHost: 127.0.0.1:PORT\r\n\r\n',
      ],
    );
    t.ok(
      requests.every(({ key }) => /^[A-Za-z0-9+/]{22}==$/.test(key)),
      'each with 16 bytes',
    );
    t.equal(new Set(requests.map(({ key }) => key)).size, requests.length, 'which are others each time');
  });
});
