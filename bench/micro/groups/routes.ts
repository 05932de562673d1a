import { join } from 'node:path';
import { do_not_optimize } from 'mitata';
import { findMyWay, own, PATHS, patternsFor } from '../../router/routers.js';
import type { Bench, Case, Group } from '../measure.js';

const ROUTES = [1, 100, 1000];
/** Different paths that are looked up in turn. */
const LOOKUPS = 500;

/** The only route of the smallest router, and what is asked of it: the kinds of `PATHS` need three routes. */
const SINGLE: Record<string, { pattern: string; path: (i: number) => string }> = {
  static: { pattern: '/api/v1/area0/list', path: () => '/api/v1/area0/list' },
  parameter: { pattern: '/api/v1/item0/:id', path: (i) => `/api/v1/item0/${10_000 + i}` },
  'miss at once': { pattern: '/api/v1/area0/list', path: (i) => `/nothing/like/this${i % 50}` },
  'miss at the end': { pattern: '/api/v1/area0/list', path: () => '/api/v1/area0/lost' },
};

/** Look-ups of paths that a router has met before, one after the other. */
export function routes(root: string): Group {
  const other = findMyWay(join(root, 'bench/web/package.json'));
  const contestants = other === null ? [own] : [own, other];
  return {
    name: 'routes',
    about: 'One look-up in a router with 1, 100 or 1,000 routes.',
    *cases(): Generator<Case> {
      for (const [kind, pathFor] of Object.entries(PATHS)) {
        for (const count of ROUTES) {
          const patterns = count === 1 ? [SINGLE[kind].pattern] : patternsFor(count);
          const paths = Array.from({ length: LOOKUPS }, (_, i) =>
            count === 1 ? SINGLE[kind].path(i) : pathFor(i, count),
          );
          const benches = contestants.map(({ name, build }): [string, Bench] => {
            const find = build(patterns);
            return [
              name,
              () => {
                let found = 0;
                for (let i = 0; i < LOOKUPS; i++) if (find(paths[i]) !== null) found++;
                do_not_optimize(found);
              },
            ];
          });
          const title = `${kind}, ${count.toLocaleString('en')} route${count === 1 ? '' : 's'}`;
          yield { title, benches: Object.fromEntries(benches), operations: LOOKUPS };
        }
      }
    },
  };
}
