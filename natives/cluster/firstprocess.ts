/** How a worker reaches the first process of `svcc run --workers`. */
import { Socket } from 'node:net';
import type { Channel } from './channel.js';
import { channelOver } from './stream.js';

/** Environment variable of workers; its value says whether the worker announces the address. */
export const WORKER_VARIABLE = 'SVC_WORKER';

/** File descriptor of a worker's stream to the first process. It stays open while a worker drains; node's IPC ends. */
export const CHANNEL_DESCRIPTOR = 4;

let channel: Channel | null = null;

/**
 * The channel to the first process, or null if this process is no worker. Its services are those of
 * `svcc/services.ts`. Node ends the workers when the first process ends.
 */
export function firstProcess(): Channel | null {
  if (process.env[WORKER_VARIABLE] === undefined || process.send === undefined) return null;
  return (channel ??= connect());
}

function connect(): Channel {
  const stream = new Socket({ fd: CHANNEL_DESCRIPTOR, readable: true, writable: true });
  // The stream must not keep the process alive. Threads that wait for an answer do.
  stream.unref();
  return channelOver(stream, process.ppid, () => {});
}
