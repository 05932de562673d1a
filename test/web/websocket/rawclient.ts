import { connect } from 'node:net';
import { Wire, type Case } from './rfc6455-case.js';

/** The key of RFC 6455, 1.3, and the answer to it. */
export const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

/** Head of the answer to a valid handshake without extensions. */
export const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n`;

/** Opens a connection without a handshake. */
export function open(port: number): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.off('error', reject);
      resolve(new Wire(socket));
    });
    socket.once('error', reject);
  });
}

/** A valid handshake with additional lines. */
function handshake(path: string, fields = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: svc.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n${fields}\r\n`;
}

/** Plays a case against the server. */
export async function playAgainstServer(port: number, id: string, test: Case): Promise<string[]> {
  const wire = await open(port);
  await wire.send(handshake(`${test.path ?? '/echo'}?id=${id}`, test.fields));
  const head = await wire.handshakeHead();
  if (!head.startsWith('HTTP/1.1 101 ')) return [`refused: ${head}`];
  return wire.play(test, 'server');
}
