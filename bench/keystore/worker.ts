/** The same reads with ioredis used directly: `worker.ts URL COUNT` prints milliseconds. */
import { Redis } from 'ioredis';

const THREADS = 100;
const KEYS = 1000;

const [url, words] = process.argv.slice(2);
const each = Number(words) / THREADS;
const redis = new Redis(url, { enableAutoPipelining: true });
for (let i = 0; i < KEYS; i++) await redis.set(`plain:k${i}`, JSON.stringify({ user: 'ann', visits: i }));

let sum = 0;
async function reads(t: number): Promise<void> {
  for (let i = 0; i < each; i++) {
    const text = await redis.get(`plain:k${(i * 7919 + t * 104_729) % KEYS}`);
    sum += (JSON.parse(text as string) as { visits: number }).visits;
  }
}

const start = performance.now();
await Promise.all(Array.from({ length: THREADS }, (_, t) => reads(t + 1)));
console.log(performance.now() - start);
if (sum === 0) throw new Error('the values are missing');
redis.disconnect();
