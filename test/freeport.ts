import { createServer, type AddressInfo } from 'node:net';

/** A port that nobody listens on just now, at any address. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject).listen(0, '0.0.0.0', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
