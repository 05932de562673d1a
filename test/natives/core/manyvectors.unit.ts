import t from 'tap';
import { ClockedHost } from '../../vm/support/clockedhost.js';
import { machine, start } from '../../vm/support/machine.js';

/** Maximum milliseconds of one turn of the event loop. All vectors in one turn take more, also to copy. */
const BOUND = 60;
const TRIES = 8;

function longestTurn(work: string, exact: boolean): number {
  const host = new ClockedHost(exact);
  const made = machine({}, host);
  const fiber = start(made, `v = (1..8000).to_a()\nlists = (1..1000).map { |i| v }\n${work}\nputs "done"`);
  while (!fiber.finished && host.turn());
  return host.out === 'done\n' ? host.longest : Infinity;
}

for (const name of ['difference', 'intersect'])
  t.test(`${name} with a thousand vectors, none of which is long`, async (t) => {
    let longest = Infinity;
    for (let i = 0; i < TRIES && longest > BOUND; i++)
      longest = Math.min(longest, longestTurn(`x = [1, 2, -3].${name}(*lists)`, i > 0));
    t.ok(longest <= BOUND, `${longest.toFixed(1)} ms`);
  });
