import t from 'tap';
import { parallel } from '../threats/attack.js';
import { back } from './frames.js';
import { open, SWITCHING } from './rawclient.js';
import { expectedOf, Writer, type Case } from './rfc6455-case.js';
import { HANDSHAKES, type Handshake } from './rfc6455-handshakes.js';
import { startProgram } from './rfc6455-program.js';

/** Maximum number of concurrent connections. */
const WIDTH = 30;

const ECHO: Case = { name: '', steps: [new Writer('server').text('hello')], back: [back.text('hello')] };

async function shake(port: number, { writes, then }: Handshake): Promise<string[]> {
  const wire = await open(port);
  for (const bytes of writes) await wire.send(bytes);
  const head = await wire.handshakeHead();
  if (head.startsWith('HTTP/1.1 101 ')) return [head, ...(await wire.play({ ...ECHO, ...then }, 'server'))];
  // The server does not close a connection that may carry more requests.
  if (head.includes('keep-alive')) wire.socket.end();
  const [all, ending] = await wire.everything();
  return [...linesOf(all), ending];
}

/** An answer with sorted fields, without those that depend on time. */
function linesOf(answer: string): string[] {
  const [head, text] = answer.split(/\r\n\r\n(.*)/s);
  const [status, ...fields] = head.split('\r\n');
  return [status, ...fields.filter((field) => !field.startsWith('Date: ')).sort(), text];
}

function expected({ refused, more = '', then }: Handshake): string[] {
  if (refused === null) return [`${SWITCHING.slice(0, -2)}${more}\r\n`, ...expectedOf({ ...ECHO, ...then })];
  const {
    status,
    text,
    fields = [],
    length = text.length,
    connection = 'close',
    type = 'text/plain; charset=utf-8',
  } = refused;
  return [
    `HTTP/1.1 ${status}`,
    ...[`Connection: ${connection}`, `Content-Length: ${length}`, `Content-Type: ${type}`, ...fields].sort(),
    text,
    'end',
  ];
}

t.test('handshakes with the server', async (t) => {
  const program = await startProgram(t);
  const outcomes = new Map<Handshake, string[]>();
  await parallel(
    HANDSHAKES,
    WIDTH,
    async (handshake) => void outcomes.set(handshake, await shake(program.port, handshake)),
  );
  for (const handshake of HANDSHAKES) t.same(outcomes.get(handshake), expected(handshake), handshake.name);
  t.equal(await program.stop(), '', 'nothing is logged');
});
