/**
 * Load for an echo server: every connection sends a frame, counts the bytes of the echo without parsing them, and sends
 * again. Frames are built once and nothing is unmasked, so that the client has far less work than a server.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ';

function lengthBytes(size: number, masked: boolean): Buffer {
  const mark = masked ? 0x80 : 0;
  if (size < 126) return Buffer.from([mark | size]);
  const bytes = Buffer.from([mark | 126, 0, 0]);
  bytes.writeUInt16BE(size, 1);
  return bytes;
}

/**
 * A masked text frame of `size` letters (fewer than 65,536), and the size of its echo, which is not masked (RFC 6455,
 * 5.2).
 */
function frameOf(size: number): { frame: Buffer; echo: number } {
  const mask = randomBytes(4);
  const payload = Buffer.alloc(size, 'a').map((byte, i) => byte ^ mask[i % 4]);
  return {
    frame: Buffer.concat([Buffer.from([0x81]), lengthBytes(size, true), mask, payload]),
    echo: 1 + lengthBytes(size, false).length + size,
  };
}

/** An open WebSocket as a plain connection. */
export function open(port: number): Promise<Socket> {
  return new Promise((done, failed) => {
    const socket = connect(
      port,
      '127.0.0.1',
      () => void socket.write(`${HANDSHAKE}${randomBytes(16).toString('base64')}\r\n\r\n`),
    );
    socket.setNoDelay(true);
    socket.once('error', failed);
    let answer = '';
    const read = (data: Buffer): void => {
      answer += data.toString('latin1');
      if (!answer.endsWith('\r\n\r\n')) return;
      socket.off('data', read);
      if (answer.startsWith('HTTP/1.1 101')) done(socket);
      else failed(new Error(answer.split('\r\n')[0]));
    };
    socket.on('data', read);
  });
}

/** Echoes on all connections for a time. Returns the number of messages that came back. */
export function echo(sockets: readonly Socket[], size: number, seconds: number): Promise<number> {
  const { frame, echo: expected } = frameOf(size);
  let messages = 0;
  let over = false;
  const ends = sockets.map(
    (socket) =>
      new Promise<void>((done) => {
        let left = expected;
        const read = (data: Buffer): void => {
          left -= data.length;
          if (left > 0) return;
          if (left < 0) throw new Error('the server sent more than it was sent');
          messages++;
          left = expected;
          if (!over) return void socket.write(frame);
          socket.off('data', read);
          done();
        };
        socket.on('data', read);
        socket.write(frame);
      }),
  );
  return new Promise((done) =>
    setTimeout(() => {
      over = true;
      const counted = messages;
      void Promise.all(ends).then(() => done(counted));
    }, seconds * 1000),
  );
}
