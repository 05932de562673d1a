import { connect, createServer, type AddressInfo } from 'node:net';

/**
 * A port, at any address, that the system gives to nobody who asks for just any for the next minute. A connection that its listener has ended
 * keeps it in the state TIME_WAIT (RFC 9293 §3.6): whoever names it may still listen on it.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end().resume())
      .on('error', reject)
      .listen(0, '0.0.0.0', () => {
        const { port } = server.address() as AddressInfo;
        const client = connect(port, '127.0.0.1').on('error', reject).resume();
        client.on('close', () => server.close(() => resolve(port)));
      });
  });
}
