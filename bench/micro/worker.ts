/** Measures the groups whose names contain one of the arguments, all without any, and prints their rows as JSON, a case a line. */
import { measureCase } from './measure.js';
import { groupsOf } from './groups.js';

/** Milliseconds for each function. */
const ms = Number(process.env.TIME ?? 200);
const rounds = Number(process.env.ROUNDS ?? 3);
const [root, ...words] = process.argv.slice(2);

for (const group of groupsOf(root)) {
  if (words.length > 0 && !words.some((word) => group.name.includes(word))) continue;
  // Garbage of the group before: nothing else asks for a collection.
  globalThis.gc?.();
  for (const given of group.cases())
    process.stdout.write(`${JSON.stringify(await measureCase(group.name, given, ms, rounds))}\n`);
}
// A program under measurement may keep a timer.
process.stdout.write('', () => process.exit());
