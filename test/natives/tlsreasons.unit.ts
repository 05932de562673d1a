import { createServer, type AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import t from 'tap';
import { connectionProblem } from '../../natives/io/connection.js';
import { reasonOf as databaseReason } from '../../natives/data/postgres/failures.js';
import { reasonOf } from '../../natives/reasons.js';
import { tlsReason } from '../../natives/tlsreasons.js';

/** The error of a handshake that is answered with these bytes. */
async function failedHandshake(answer: Buffer | string): Promise<NodeJS.ErrnoException> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    return await new Promise((resolve) => client.once('error', resolve));
  } finally {
    client.destroy();
    server.close();
  }
}

/** An alert of TLS that ends the handshake. */
const alert = (number: number): Buffer => Buffer.from([21, 3, 3, 0, 2, 2, number]);

t.test('failed handshakes in plain words', async (t) => {
  for (const [answer, reason] of [
    ['220 mail.example.org\r\n', 'the server does not speak TLS'],
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'the server does not speak TLS'],
    ['plain text, which is not TLS\r\n', 'the server does not speak TLS'],
    [alert(40), 'the server refused the TLS handshake'],
    [alert(42), 'the server refused the certificate of the client'],
    [alert(70), 'the server has no version of TLS that is supported here'],
    [alert(71), 'the server refused the TLS handshake'],
    [alert(112), 'the server has no certificate for this name'],
    [alert(116), 'the server asks for a certificate of the client'],
    [alert(80), /^TLS failed: [a-z0-9 ]*internal error$/],
  ] as const) {
    const error = await failedHandshake(answer);
    const found = tlsReason(error.code ?? '', error.message);
    if (typeof reason === 'string') t.equal(found, reason, error.message);
    else t.match(found, reason, error.message);
    for (const shown of [connectionProblem(error.code ?? '', error.message), databaseReason(error), reasonOf(error)])
      t.equal(shown, found);
  }
});

t.test('other errors', async (t) => {
  t.equal(tlsReason('EPROTO', 'write EPROTO'), 'the server does not speak TLS');
  for (const code of ['', 'ECONNRESET', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])
    t.equal(tlsReason(code, 'wrong version number'), null, code);
});
