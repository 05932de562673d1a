import t, { type Test } from 'tap';
import { parallel } from '../threats/attack.js';
import { playAgainstServer } from './rawclient.js';
import { RawServer } from './rawserver.js';
import { expectedClose, expectedOf, type Case, type Group, type Side } from './rfc6455-case.js';
import { compressedGroup } from './rfc6455-compressed.js';
import { framingGroups } from './rfc6455-framing.js';
import { messageGroups } from './rfc6455-messages.js';
import { startProgram } from './rfc6455-program.js';
import { textGroups } from './rfc6455-texts.js';

/** Maximum number of concurrent connections. */
const WIDTH = 30;

const groupsOf = (side: Side): Group[] => [...framingGroups(side), ...messageGroups(side), ...textGroups(side)];

/** Received bytes, and the end of the connection as seen by the program under test. */
interface Outcome {
  came: string[];
  closed: string;
}

/** Plays all cases and checks them in groups, in the order of the table; returns their number. */
async function check(
  t: Test,
  groups: readonly Group[],
  play: (id: string, test: Case) => Promise<Outcome>,
): Promise<number> {
  const cases = groups.flatMap((group) => group.cases);
  const outcomes = new Map<Case, Outcome>();
  await parallel(cases, WIDTH, async (test, index) => void outcomes.set(test, await play(`case-${index}`, test)));
  for (const group of groups) {
    await t.test(group.name, async (t) => {
      for (const test of group.cases)
        t.same(outcomes.get(test), { came: expectedOf(test), closed: expectedClose(test) }, test.name);
    });
  }
  return cases.length;
}

/** Minimum number of cases for each side. */
const MIN_CASES = 150;

t.test('frames to the server', async (t) => {
  const program = await startProgram(t);
  const count = await check(t, [...groupsOf('server'), compressedGroup()], async (id, test) => {
    const came = await playAgainstServer(program.port, id, test);
    return { came, closed: await program.closeSeen(id) };
  });
  t.ok(count >= MIN_CASES, `${count} cases`);
  t.equal(await program.stop(), '', 'nothing is logged');
});

t.test('frames to the client', async (t) => {
  const program = await startProgram(t);
  const raw = await RawServer.start(t, program.port);
  const masks: string[] = [];
  const count = await check(t, groupsOf('client'), async (id, test) => {
    const { came, closed, masks: seen } = await raw.play(id, test);
    masks.push(...seen);
    return { came, closed };
  });
  t.ok(masks.length > 1000, `${masks.length} frames came`);
  t.notOk(masks.includes('none'), 'all of them masked');
  t.ok(new Set(masks).size > masks.length * 0.99, 'each with a mask of its own');
  t.ok(count >= MIN_CASES, `${count} cases`);
  t.equal(await program.stop(), '', 'nothing is logged');
});
