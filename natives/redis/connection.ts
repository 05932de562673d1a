/** Connections to Redis and Valkey, by ioredis. */
import type { Redis, RedisOptions } from 'ioredis';

/** Milliseconds before the first attempt to reconnect, and the longest time between two. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

/** Whether a URL names a Redis server: `redis:`, or `rediss:` with TLS. */
export function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//i.test(url);
}

/** A URL without its password, for messages. */
export function redisLabel(url: string): string {
  return url.replace(/^([a-z]+:\/\/)([^/?#@:]*):[^@/]*@/i, (_all, scheme: string, user: string) =>
    user === '' ? scheme : `${scheme}${user}@`,
  );
}

/** Milliseconds until the attempt to reconnect number `attempt`, with jitter so that processes do not come together. */
export function retryDelay(attempt: number): number {
  const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_RETRY_MS);
  return delay * (0.75 + Math.random() / 2);
}

/**
 * A client that connects at once and reconnects with back-off until it is closed. Errors of the connection are events
 * (`error`, `close`, `ready`); the caller listens to `error`, without which ioredis writes to the console.
 */
export async function connectRedis(url: string, options: RedisOptions = {}): Promise<Redis> {
  // The class itself is what the package exports; names of its exports are unknown in the bundle.
  const { default: Client } = (await import('ioredis')) as unknown as { default: typeof Redis };
  return new Client(url, { retryStrategy: retryDelay, ...options });
}
