import { do_not_optimize } from 'mitata';
import { encodeJson, parseJson } from '../../../natives/core/json/index.js';
import type { Case, Group } from '../measure.js';

const USER = { id: 7, name: 'Alice', email: 'alice@example.com', active: true, tags: ['a', 'b', 'c'] };
const ROWS = Array.from({ length: 100 }, (_, i) => ({ ...USER, id: i, name: `Name ${i}`, score: i + 0.5 }));
const NUMBERS = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 100_003);

const VALUES: Record<string, unknown> = { 'small object': USER, '100 rows': ROWS, '10,000 numbers': NUMBERS };

/** JSON texts both ways, beside JavaScript's own functions. */
export const json: Group = {
  name: 'json',
  about: 'One whole text, read or written at once.',
  *cases(): Generator<Case> {
    for (const [name, value] of Object.entries(VALUES)) {
      const text = JSON.stringify(value);
      const own = parseJson(text);
      yield {
        title: `parse, ${name} (${text.length.toLocaleString('en')} characters)`,
        benches: {
          'JSON.parse': () => do_not_optimize(JSON.parse(text)),
          svc: () => do_not_optimize(parseJson(text)),
        },
      };
      yield {
        title: `encode, ${name}`,
        benches: {
          'JSON.stringify': () => do_not_optimize(JSON.stringify(value)),
          svc: () => do_not_optimize(encodeJson(own)),
        },
      };
    }
  },
};
