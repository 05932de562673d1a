import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Completer } from '../../../svcc/repl/complete.js';
import { TestSession } from './session.js';

const session = new TestSession();
const completer = new Completer(session.evaluator);

/** How the line could read after the completion. */
function completions(line: string): string[] {
  const [words, replaced] = completer.complete(line);
  return words.map((word) => line.slice(0, line.length - replaced.length) + word);
}

t.test('preparing', async () => {
  await session.take('user = {name: "Ann", tags: ["x"], "two words" => 1, address: {city: "Rome"}}');
  await session.take('record Point(x, y) do\n def length2() = x * x + y * y\nend');
  await session.take('point = Point(1, 2)', 'enum Color(Red, Green)', 'number = 5', 'def upside() = 1');
  await session.take('enum Event(Opened(at), Tick)', 'list = [point, "text"]');
});

const CASES: Record<string, { has: string[]; lacks?: string[] }> = {
  us: { has: ['user'] },
  'x = us': { has: ['x = user'] },
  up: { has: ['upside'] },
  jso: { has: ['json_encode', 'json_parse'] },
  whi: { has: ['while'] },
  'user.': { has: ['user.name', 'user.address', 'user.keys', 'user.map'], lacks: ['user.upcase', 'user.two words'] },
  'user.na': { has: ['user.name'], lacks: ['user.address'] },
  'user.name.up': { has: ['user.name.upcase'] },
  'user&.na': { has: ['user&.name'] },
  'user.address.': { has: ['user.address.city'] },
  'user[:': { has: ['user[:name]', 'user[:address]'], lacks: ['user[:two words]'] },
  'user[:na': { has: ['user[:name]'], lacks: ['user[:address]'] },
  'user["na': { has: ['user["name"]'] },
  'user[:address][:': { has: ['user[:address][:city]'] },
  'user[:address].c': { has: ['user[:address].city'] },
  'puts(user.address.c': { has: ['puts(user.address.city'] },
  'user.tags[0].up': { has: ['user.tags[0].upcase'] },
  'point.': { has: ['point.x', 'point.y', 'point.length2'], lacks: ['point.upcase'] },
  'list[0].len': { has: ['list[0].length2'] },
  'list[-1].up': { has: ['list[-1].upcase'] },
  '"text".up': { has: ['"text".upcase'], lacks: ['"text".push'] },
  '"a".upcase.down': { has: ['"a".upcase.downcase'] },
  '[1, 2].pu': { has: ['[1, 2].push'] },
  '[1].map { it }.x': { has: [] },
  '{a: 1}.ke': { has: ['{a: 1}.keys'] },
  '5.ti': { has: ['5.times'] },
  '2.5.rou': { has: ['2.5.round'] },
  'Color.': { has: ['Color.Red', 'Color.Green'] },
  'Event.': { has: ['Event.Opened', 'Event.Tick'] },
  'Bytes.from_h': { has: ['Bytes.from_hex'] },
  'number.': { has: ['number.times', 'number.to_s'] },
  'nil.to_': { has: ['nil.to_s'] },
  '1..us': { has: ['1..user'] },
  '': { has: [] },
  ')': { has: [] },
  'unknown.': { has: [] },
  'unknown[:': { has: [] },
  'user(': { has: [] },
  ':': { has: [':help ', ':quit '] },
  ':lo': { has: [':load '], lacks: [':help '] },
  '"unclosed.': { has: [] },
  '].': { has: [] },
};

for (const [line, { has, lacks = [] }] of Object.entries(CASES))
  t.test(`'${line}'`, async (t) => {
    const found = completions(line);
    for (const word of has) t.ok(found.includes(word), word, { found: found.slice(0, 20) });
    for (const word of lacks) t.notOk(found.includes(word), `not ${word}`);
    if (has.length === 0) t.strictSame(found, []);
    t.strictSame(found, [...new Set(found)], 'each once');
  });

t.test('files', async (t) => {
  const folder = t.testdir({ sub: {} });
  for (const name of ['one.svc', 'other.svc', 'one.txt']) writeFileSync(join(folder, name), '');
  t.strictSame(completions(`:load ${folder}/o`), [`:load ${folder}/one.svc`, `:load ${folder}/other.svc`]);
  t.strictSame(completions(`:load ${folder}/s`), [`:load ${folder}/sub/`]);
  t.strictSame(completions(':load /nonexistent/x'), []);
});

t.test('completing runs no code of the program', async (t) => {
  await session.take('record Loud(a) do\n def danger() = exit(1)\nend', 'loud = Loud(1)');
  t.strictSame(completions('loud.danger.'), []);
  t.strictSame(completions('loud.danger().'), []);
});

// Not at the end of the run: with such a teardown tap ends the run before all units are read.
t.test('the end of the session', async () => session.end());
