/** Connections to Redis and Valkey, by ioredis. */
import type { Redis, RedisOptions } from 'ioredis';

/** Milliseconds before the first attempt to reconnect, and maximum milliseconds between two attempts. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

/** Whether a URL names a Redis server: `redis:`, or `rediss:` with TLS. */
export function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//i.test(url);
}

/** Returns the milliseconds before attempt number `attempt` to reconnect, with jitter, so that processes spread. */
export function retryDelay(attempt: number): number {
  const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_RETRY_MS);
  return delay * (0.75 + Math.random() / 2);
}

/**
 * Makes a client that connects at once and reconnects with back-off until it is closed. It reports its state by the
 * events `error`, `close` and `ready`. The caller must listen to `error`; otherwise ioredis writes to the console.
 */
export async function connectRedis(url: string, options: RedisOptions = {}): Promise<Redis> {
  // The class itself is what the package exports; names of its exports are unknown in the bundle.
  const { default: Client } = (await import('ioredis')) as unknown as { default: typeof Redis };
  return new Client(url, { retryStrategy: retryDelay, ...options });
}
