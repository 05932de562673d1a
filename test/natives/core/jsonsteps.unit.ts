import t from 'tap';
import { encodeJson } from '../../../natives/core/json/encode.js';
import { parseJson, parseSteps } from '../../../natives/core/json/jsonparse.js';
import { encodeSteps, isLarge } from '../../../natives/core/json/steps.js';
import type { Steps } from '../../../vm/values/steps.js';
import { equal } from '../../../vm/values/equal.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { Random, seedFrom } from '../../vm/support/random.js';
import { outcome } from './support.js';

/** Takes all steps, with other work in between. Returns the result and the number of stops. */
function finish(steps: Steps): { value: Value; stops: number } {
  for (let stops = 0; ; stops++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, stops };
    parseJson('{"another": ["text", 1]}');
    encodeJson([1, [2]]);
  }
}

const random = new Random(seedFrom('SVC_SEED', 5));

function element(depth: number): string {
  const kind = random.below(depth > 6 ? 4 : 8);
  if (kind < 4) return ['1', '-2.5e3', '"te\\u00e4xt"', 'null'][kind];
  const many = Array.from({ length: random.below(4) }, () => element(depth + 1));
  return kind < 6
    ? `[${many.join(' , ')}]`
    : `{ ${many.map((value, i) => `"k${i % 4}${random.below(3)}":${value}`).join(',')} }`;
}

t.test('parsing in steps and at once returns the same value', async (t) => {
  let stops = 0;
  for (let i = 0; i < 3; i++) {
    const parts = Array.from({ length: 10_000 }, () => element(2));
    const list = `[${parts.join(',')}]`;
    for (const text of [list, `{"a": {"b": ${list}}, "c": 1}`, `[[${list}], {"x": ${list}}]`]) {
      const result = finish(parseSteps(text));
      stops += result.stops;
      t.ok(equal(result.value, parseJson(text)));
      t.ok(encodeJson(result.value) === encodeJson(parseJson(text)), 'in the same order');
    }
  }
  t.ok(stops > 15, `${stops} stops`);
});

t.test('errors have the same messages', async (t) => {
  const padding = `${'1,'.repeat(60_000)}\n`;
  const wrong = [
    '[1,]',
    '[1 2]',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '{"a":1 "b":2}',
    '[',
    '{',
    '[1',
    '{"a"',
    '{"a":',
    '[nul]',
    '[1]x',
    '',
    '"a',
    '[,1]',
    '{"a":[1,]}',
    '[[[[[[1,]]]]]]',
  ];
  for (const text of [...wrong, ...wrong.map((inner) => `[${padding}${inner}]`)]) {
    t.equal(
      outcome(() => finish(parseSteps(text)).value),
      outcome(() => parseJson(text)),
      text.slice(-30),
    );
  }
  const deep = '['.repeat(600) + ']'.repeat(600);
  t.equal(
    outcome(() => finish(parseSteps(deep)).value),
    outcome(() => parseJson(deep)),
    'nested too deeply',
  );
});

t.test('encoding in steps and at once returns the same text', async (t) => {
  const rows = parseJson(`[${Array.from({ length: 25_000 }, () => element(3)).join(',')}]`);
  const nested = parseJson(`{"meta": {"n": 1.0}, "rows": [], "data": {"rows": ${encodeJson(rows)}}, "last": [[]]}`);
  for (const value of [rows, nested, [rows, nested], [[[[[rows]]]]]]) {
    const { value: text, stops } = finish(encodeSteps(value));
    t.ok(text === encodeJson(value));
    t.ok(stops > 0 || !isLarge(value));
    t.ok(finish(encodeSteps(value, true)).value === encodeJson(value, true), 'pretty');
  }
  t.notOk(isLarge([[1, 2], parseJson('{"a": [1]}')]));
  t.equal(
    outcome(() => finish(encodeSteps([...(rows as Value[]), new Float(Infinity)])).value),
    'error: cannot encode inf as JSON',
  );
});

const LONG = 200_000;

t.test('long strings, keys and blanks are parsed in pieces', async (t) => {
  const escapes = String.raw`\n\u00e4\"\\\ud83d\ude00ä€😀`;
  const blanks = ' \n\t\r'.repeat(LONG);
  const strings = [...Array(8).keys()].map((i) => `"${'x'.repeat(i)}${escapes.repeat(LONG / 20)}"`);
  const texts = [
    ...strings,
    `"${'\\\\'.repeat(LONG)}"`,
    `${blanks}[${blanks}1${blanks},${blanks}"a"${blanks}]${blanks}`,
    `{${blanks}"a"${blanks}:${blanks}[]${blanks},${blanks}"b"${blanks}:1${blanks}}`,
    ...strings.map((text) => `[${text},{${text}:${text},"b":[${text}]}]`),
  ];
  for (const text of texts) {
    const { value, stops } = finish(parseSteps(text));
    t.ok(equal(value, parseJson(text)), text.slice(0, 20));
    t.ok(stops >= Math.floor(text.length / 70_000), `${stops} stops in ${text.length} characters`);
  }
});

t.test('mistakes in long texts have a position', async (t) => {
  const before = `[${'\n'.repeat(LONG)}"${'x'.repeat(LONG)}`;
  const digits = '1'.repeat(10_001);
  for (const wrong of ['\\q"]', '\n"]', '\\u12"]', '', `",0.${digits}]`, `",${digits}]`, `",1e${digits}]`, '"} ]']) {
    const text = before + wrong;
    const found = outcome(() => finish(parseSteps(text)).value);
    t.equal(
      found,
      outcome(() => parseJson(text)),
      wrong.slice(0, 10),
    );
    t.match(found, new RegExp(`^error: invalid JSON at line ${LONG + 1}, column \\d+: `), wrong.slice(0, 10));
  }
});

t.test('nested containers that are long are not tried at each level', async (t) => {
  const row = `[1${',1'.repeat(40_000)}]`;
  const rows = Array.from({ length: 12 }, () => row).join(',');
  const time = (text: string): number => {
    const before = process.cpuUsage();
    finish(parseSteps(text));
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const flat = `[${rows}]`;
  const deep = '[{"a":'.repeat(250) + flat + '}]'.repeat(250);
  const ratios = Array.from({ length: 5 }, () => time(deep) / time(flat)).sort((a, b) => a - b);
  t.ok(ratios[2] < 6, `${ratios[2].toFixed(1)} times the time`);
});
