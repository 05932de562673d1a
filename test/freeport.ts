import { connect, createServer, type AddressInfo } from 'node:net';

/**
 * Finds a port that the system assigns to no other process for a minute. A connection that its listener has closed keeps
 * the port in the state TIME_WAIT (RFC 9293 §3.6), in which only processes that name the port may listen on it.
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
