/** A proxy before a server that can stop to pass anything on, like a server that hangs or a network that is gone. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** Code of a request to cancel what a connection runs. */
const CANCEL = 80_877_102;

export interface StallingProxy {
  readonly port: number;
  /** Number of requests to cancel that have passed. */
  cancels: number;
  /** Stops the next connection that sends what matches. Null: none. */
  stalls: RegExp | null;
  /** Whether all connections stop then, with those that are made later. */
  stallsAll: boolean;
}

/** Starts a proxy before a port of 127.0.0.1 until the test ends. */
export async function stallingProxy(t: Test, port: number): Promise<StallingProxy> {
  let areAllStalled = false;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let isStalled = false;
    client.on('data', (chunk: Buffer) => {
      if (chunk.length >= 8 && chunk.readUInt32BE(4) === CANCEL) proxy.cancels++;
      if (proxy.stalls?.test(chunk.toString('latin1')) === true) {
        isStalled = true;
        areAllStalled = proxy.stallsAll;
        proxy.stalls = null;
      }
      if (!isStalled && !areAllStalled) upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (!isStalled && !areAllStalled) client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  const proxy: StallingProxy = { port: ownPort, cancels: 0, stalls: null, stallsAll: false };
  return proxy;
}
