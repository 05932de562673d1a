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
