/** The routers that are compared, their routes, and the paths that are looked up. */
import { createRequire } from 'node:module';
import { Router } from '../../natives/web/routing/router.js';

/** A look-up of a GET. */
export type Find = (path: string) => unknown;
export interface Contestant {
  name: string;
  /** A router with these patterns, as its look-up of a GET. */
  build(patterns: string[]): Find;
}

export const own: Contestant = {
  name: 'svc',
  build(patterns) {
    const router = new Router<number>();
    patterns.forEach((pattern, i) => router.add('GET', pattern, i));
    return (path) => router.find('GET', path);
  },
};

interface FindMyWay {
  on(method: string, pattern: string, handler: () => void): void;
  find(method: string, path: string): unknown;
}

/** find-my-way as it is installed beside `packageFile`; null if it is not. */
export function findMyWay(packageFile: string | URL): Contestant | null {
  const require = createRequire(packageFile);
  try {
    const create = require('find-my-way') as () => FindMyWay;
    return {
      name: 'find-my-way',
      build(patterns) {
        const router = create();
        for (const pattern of patterns) router.on('GET', pattern, () => {});
        return (path) => router.find('GET', path);
      },
    };
  } catch {
    return null;
  }
}

/** A third each of static routes, routes with a parameter at the end, and with one in the middle. */
export function patternsFor(count: number): string[] {
  const kinds = [
    (i: number) => `/api/v1/area${i}/list`,
    (i: number) => `/api/v1/item${i}/:id`,
    (i: number) => `/api/v1/user${i}/:id/posts`,
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % 3](i));
}

/** Kinds of look-ups: the path of look-up number `i` among `count` routes. */
export const PATHS: Record<string, (i: number, count: number) => string> = {
  static: (i, count) => `/api/v1/area${(i * 3) % (count - (count % 3))}/list`,
  parameter: (i, count) => `/api/v1/item${((i * 3) % (count - (count % 3))) + 1}/${10_000 + i}`,
  'miss at once': (i) => `/nothing/like/this${i % 50}`,
  'miss at the end': (i, count) => `/api/v1/area${(i * 3) % (count - (count % 3))}/lost`,
};
