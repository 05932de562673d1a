/** Measures the groups whose names contain one of the arguments, all without any, and prints their rows as JSON, a case a line. */
import { measureCase } from './measure.js';
import { groupsOf } from './groups.js';

/** Milliseconds for each function. */
const ms = Number(process.env.TIME ?? 250);
const [root, ...words] = process.argv.slice(2);

for (const group of groupsOf(root)) {
  if (words.length > 0 && !words.some((word) => group.name.includes(word))) continue;
  for (const given of group.cases())
    process.stdout.write(`${JSON.stringify(await measureCase(group.name, given, ms))}\n`);
}
// A program under measurement may keep a timer.
process.stdout.write('', () => process.exit());
