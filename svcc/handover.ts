import type { Worker } from 'node:cluster';

/** Messages of node's `cluster` between the first process and a worker. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

const CLUSTER = 'NODE_CLUSTER';

/** Milliseconds in which the last messages of a process that has ended are read. */
const READ_MS = 100;

/**
 * Gives connections back that were passed to a worker which ended before it accepted them. Node forgets those: their
 * clients would wait for ever. For each, node's `cluster` is told that the worker refused it, and passes it to another
 * one. A node whose messages look different is left alone.
 * @param hasOthers whether another worker listens; without one, the clients' connections are closed
 */
export function returnConnections(worker: Worker, hasOthers: () => boolean): void {
  const passed = new Map<number, { close(): void }>();
  const { process } = worker;
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  process.send = (message: ClusterMessage, handle?: unknown, ...rest: unknown[]): boolean => {
    if (message.cmd === CLUSTER && message.act === 'newconn' && message.seq !== undefined)
      passed.set(message.seq, handle as { close(): void });
    return send(message, handle, ...rest);
  };
  process.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === CLUSTER && ack !== undefined) passed.delete(ack);
  });
  let isOver = false;
  // Node reports no end of the channel while a connection is on its way through it.
  process.once('exit', () => setTimeout(() => isOver || process.emit('disconnect'), READ_MS));
  // Node takes the worker off its list in the same event.
  process.once('disconnect', () => {
    isOver = true;
    setImmediate(() => {
      for (const [ack, handle] of passed) {
        if (hasOthers()) process.emit('internalMessage' as never, { cmd: CLUSTER, ack, accepted: false } as never);
        else handle.close();
      }
    });
  });
}
