import t, { type Test } from 'tap';
import { strings } from '../../../natives/core/strings/index.js';
import { encoding } from '../../../natives/io/encoding.js';
import { tables } from '../../../natives/io/tables.js';
import { inspect, toText } from '../../../vm/values/text/text.js';
import { textSteps } from '../../../vm/values/textsteps.js';
import { finish, STEP, type Steps } from '../../../vm/values/steps.js';
import { compileRegex } from '../../../vm/values/regex/index.js';
import { Hash } from '../../../vm/values/hash.js';
import { allOf } from '../../../vm/values/methodgroup.js';
import { equal } from '../../../vm/values/equal.js';
import type { SvcError } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { Random, seedFrom } from '../../vm/support/random.js';
import { outcome } from './support.js';

const random = new Random(seedFrom('SVC_SEED', 7));

let stops = 0;

/** Finishes long work, with other work between its steps. */
const vm = {
  inPieces(_what: string, steps: Steps): Value {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      stops++;
      call('tr', 'other wörk 😀', 'a-z', 'b-za');
      call('gsub', 'other work', compileRegex('\\s+', ''), '-');
      call('scan', 'other 😀 work', compileRegex('\\w', ''));
    }
  },
};

/** Calls a native. */
function call(name: string, ...args: (Value | Value[])[]): Value {
  const fn = [...allOf(strings).filter(({ owner }) => owner === 'String'), ...encoding, ...tables].find(
    (candidate) => candidate.name === name,
  );
  return fn!.impl(vm, ...args) as Value;
}

const PARTS = [
  'a',
  'b',
  'B',
  'zz',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  'é',
  'e\u0301',
  '\u0301',
  '😀',
  '👩\u200d👩',
  '\ud83d',
  '\ude00',
  'ß',
  'Σ',
  'σας',
  'ΑΣ',
  "'",
  '.',
  '<',
  '&',
  '"',
  ',',
  '1',
  '中',
  'ﷺ',
  'İ',
];

/** A random text of about `length` characters, made of some of the parts. */
function textOf(length: number): string {
  const kinds = Array.from({ length: 2 + random.below(8) }, () => PARTS[random.below(PARTS.length)]);
  let text = '';
  while (text.length < length) text += kinds[random.below(kinds.length)];
  return text;
}

function chars(text: string): string[] {
  return Array.from(text);
}

/** Expected results of natives, computed in JavaScript. */
// prettier-ignore
const EXPECTED: Record<string, (text: string) => Value> = {
  upcase: (text) => text.toUpperCase(),
  downcase: (text) => text.toLowerCase(),
  capitalize: (text) => chars(text)[0].toUpperCase() + text.slice(chars(text)[0].length).toLowerCase(),
  swapcase: (text) => chars(text).map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(''),
  title: (text) => text.replace(/[\p{L}\p{M}\p{N}'’]+/gu, (word) => chars(word)[0].toUpperCase() + word.slice(chars(word)[0].length).toLowerCase()),
  reverse: (text) => chars(text).reverse().join(''),
  chars,
  codepoints: (text) => chars(text).map((c) => c.codePointAt(0) as number),
  bytes: (text) => [...Buffer.from(text)],
  squeeze: (text) => chars(text).filter((c, i, all) => c !== all[i - 1]).join(''),
  html_escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  base64_encode: (text) => Buffer.from(text).toString('base64'),
};

/** Natives that make bytes, which refuse halves of surrogate pairs. */
const MAKE_BYTES = new Set(['bytes', 'base64_encode']);

function errorOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as SvcError).value.message;
  }
}

const NILS: Record<string, Value[]> = { squeeze: [null] };

/** Compares without showing the texts, which are long. */
function same(t: Test, found: Value, wanted: Value, what?: string): void {
  t.ok(equal(found, wanted), what ?? 'the same');
}

t.test('natives return for long texts what JavaScript returns', async (t) => {
  for (const length of [STEP - 1, STEP, STEP + 1, 2 * STEP, 3 * STEP + 5]) {
    for (let i = 0; i < 3; i++) {
      const text = textOf(length);
      for (const [name, expected] of Object.entries(EXPECTED))
        if (text.isWellFormed() || !MAKE_BYTES.has(name))
          t.ok(equal(call(name, text, ...(NILS[name] ?? [])), expected(text)), name);
        else
          t.match(
            errorOf(() => call(name, text)),
            /lone surrogate/,
            name,
          );
      for (const form of ['nfc', 'nfd', 'nfkc', 'nfkd'])
        t.ok(call('unicode_normalize', text, form) === text.normalize(form.toUpperCase()), form);
      const whole = text.toWellFormed();
      t.equal(call('base64_decode', call('base64_encode', whole)), whole);
      t.equal(
        call('casecmp?', text, text.toLowerCase()),
        text.toUpperCase().toLowerCase() === text.toLowerCase().toUpperCase().toLowerCase(),
      );
    }
  }
  t.ok(stops > 50, `${stops} stops`);
});

t.test('sets of characters', async (t) => {
  for (let i = 0; i < 10; i++) {
    const text = textOf(2 * STEP + random.below(5));
    const letters = chars(text);
    t.equal(call('count', text, 'a-zé😀'), letters.filter((c) => /^[a-zé😀]$/u.test(c)).length);
    t.equal(call('delete', text, '^a-z 😀'), letters.filter((c) => /^[a-z 😀]$/u.test(c)).join(''));
    t.equal(
      call('tr', text, 'a-y😀', 'b-z☺'),
      letters
        .map((c) =>
          c === '😀' ? '☺' : /^[a-x]$/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 1) : c === 'y' ? 'z' : c,
        )
        .join(''),
    );
    t.equal(call('tr_s', text, 'a-zA-Z', 'x'), text.replace(/[a-zA-Z]+/g, 'x'));
  }
});

/** The match that begins last, which may overlap another one. */
function lastOf(text: string, js: RegExp): RegExpExecArray | undefined {
  const sticky = new RegExp(js.source, js.flags.replace('g', 'y'));
  for (let at = text.length; at >= 0; at--) {
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    if (match?.index === at) return match;
  }
  return undefined;
}

t.test('lines around the length of a step', async (t) => {
  for (const length of [STEP - 2, STEP - 1, STEP, STEP + 1, 3 * STEP])
    for (const [before, after] of [
      ['', ''],
      ['', '\n'],
      ['a\n', '\nb'],
      ['\n', '\n\n'],
      ['a\n', '\nb\n'.repeat(STEP)],
    ]) {
      const text = before + 'x'.repeat(length) + after;
      same(
        t,
        call('lines', text, false),
        text.match(/[^\n]*\n|[^\n]+$/g) ?? [],
        `${length} between ${before} and ${after.slice(0, 2)}`,
      );
    }
});

t.test('lines and parts', async (t) => {
  for (let i = 0; i < 10; i++) {
    const text = textOf(2 * STEP + random.below(5));
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    same(t, call('lines', text, false), lines);
    same(
      t,
      call('lines', text, true),
      lines.map((line) => line.replace(/(\r\n|\n|\r)$/, '')),
    );
    same(t, call('split', text, null, -1), text.trimStart().split(/\s+/));
    for (const pattern of ['a', '\n', '😀', 'zz', ', ', 'aa', 'aba'])
      same(t, call('split', text, pattern, -1), text.split(pattern), JSON.stringify(pattern));
    for (const source of ['\\s+', '(a)|(b)']) {
      const wanted = text
        .split(new RegExp(source, /[\ud800-\udfff]/.test(text) ? 'u' : ''))
        .filter((part) => part !== undefined);
      same(t, call('split', text, compileRegex(source, ''), -1), wanted, source);
    }
    for (const limit of [1, 2, 700, 1e6]) {
      const parts = call('split', text, 'a', limit) as string[];
      t.ok(parts.length <= limit && parts.join('a') === text);
      const words = call('split', text, null, limit) as string[];
      const all = text.trimStart().split(/\s+/);
      t.ok(words.length <= limit && equal(words.slice(0, -1), all.slice(0, words.length - 1)));
    }
  }
});

t.test('blanks at the end of a step', async (t) => {
  for (let at = STEP - 3; at <= STEP + 3; at++) {
    for (const blanks of [' ', '   ', '\n'.repeat(STEP)]) {
      const text = `${'x'.repeat(at)}${blanks}${'y'.repeat(STEP)}${blanks}`;
      same(t, call('split', text, ' ', -1), text.split(/\s+/));
      same(t, call('split', text, null, 0), text.trim().split(/\s+/));
    }
  }
});

t.test('positions of matches', async (t) => {
  for (let i = 0; i < 2; i++) {
    const text = textOf(2 * STEP + random.below(5));
    const flags = /[\ud800-\udfff]/.test(text) ? 'gu' : 'g';
    for (const source of ['\\w+', '[^a]', 'a*', 'b.', 'zz|\\n']) {
      const regex = compileRegex(source, '');
      const js = new RegExp(source.replace('.', '[^\\n]'), flags);
      const found = [...text.matchAll(js)];
      same(
        t,
        call('scan', text, regex),
        found.map(([match]) => match),
        source,
      );
      same(
        t,
        (call('match_all', text, regex) as Value[]).map(toText),
        found.map(([match]) => match),
        source,
      );
      same(
        t,
        call('gsub', text, regex, '$&'),
        text.replace(js, () => '$&'),
        source,
      );
      same(t, call('gsub', text, regex, '[\\0]'), text.replace(js, '[$&]'), source);
      const last = lastOf(text, js);
      same(
        t,
        call('rpartition', text, regex),
        last === undefined
          ? ['', '', text]
          : [text.slice(0, last.index), last[0], text.slice(last.index + last[0].length)],
      );
      t.equal(call('rindex', text, regex, null), last === undefined ? null : chars(text.slice(0, last.index)).length);
    }
    same(
      t,
      call('scan', text, compileRegex('(a)|(.)', '')),
      [...text.matchAll(new RegExp('(a)|([^\\n])', flags))].map(([, a, b]) => [a ?? null, b ?? null]),
    );
    same(t, call('gsub', text, 'a', 'bcd'), text.replaceAll('a', 'bcd'));
    same(t, call('gsub', text, 'a', Hash.from([['a', 'ä']])), text.replaceAll('a', 'ä'));
  }
});

t.test('digests', async (t) => {
  const text = `${'x'.repeat(STEP - 1)}${'😀é'.repeat(STEP)}`;
  const { createHash, createHmac } = await import('node:crypto');
  const signature = createHmac('sha256', 'key').update(text).digest('hex');
  t.equal(call('sha256', text), createHash('sha256').update(text).digest('hex'));
  t.equal(call('hmac_sign', text, 'key'), signature);
  t.equal(call('hmac_verify', text, 'key', signature), true);
  t.equal(call('hmac_verify', `${text}.`, 'key', signature), false);
  t.equal(call('secure_compare', text, text.slice(0)), true);
  t.equal(call('secure_compare', text, `${text.slice(0, -1)}è`), false);
  for (const wrong of ['*', 'A', 'AA=A', '===='])
    t.equal(
      outcome(() => call('base64_decode', 'A'.repeat(4 * STEP) + wrong)),
      'error: base64_decode(): the text is not base64',
      wrong,
    );
});

t.test('CSV with long fields and many columns', async (t) => {
  const fields = [textOf(STEP + 7), '"'.repeat(STEP + 1), '\r\n'.repeat(STEP), 'x'.repeat(3 * STEP), '', 'a,b'];
  const rows = Array.from({ length: 300 }, (_, i) => (i % 50 === 0 ? fields : [...fields].fill(`${i}`)));
  const text = call('csv_dump', rows, true, ',') as string;
  t.ok(equal(call('csv_parse', text, false, ','), rows));
  const names = Array.from({ length: STEP + 2 }, (_, i) => `c${i}`);
  const [row] = call('csv_parse', `${names.join(',')}\n${names.join(',')}\n`, true, ',') as Hash[];
  t.ok(equal(row.keys(), names) && equal(row.values(), names));
  t.equal(
    outcome(() => call('csv_parse', `${names.join(',')},c7\n`, true, ',')),
    'error: invalid CSV at line 1: two columns are called "c7"; read it with headers: false',
  );
  t.equal(
    outcome(() => call('csv_parse', `"${'\r\n'.repeat(STEP)}"x`, true, ',')),
    `error: invalid CSV at line ${STEP + 1}: text after a closing quote`,
  );
  t.equal(
    outcome(() => call('csv_parse', `a\n"${'x'.repeat(2 * STEP)}`, true, ',')),
    'error: invalid CSV at line 2: a quoted field is not closed',
  );
  t.match(
    outcome(() => call('csv_parse', `${'x'.repeat(2 * STEP)}"`, true, ',')),
    /^error: invalid CSV at line 1: a quote inside/,
  );
});

t.test('texts of large values', async (t) => {
  const numbers = Array.from({ length: 3000 }, (_, i) => i - 5);
  const hash = Hash.from(
    Array.from({ length: 2000 }, (_, i): [Value, Value] => [
      i % 3 === 0 ? i : `key ${i}`,
      i % 2 === 0 ? `"${i}"` : null,
    ]),
  );
  const cyclic: Value[] = [...numbers];
  cyclic.push(cyclic, [cyclic, hash]);
  for (const value of [
    numbers,
    hash,
    [...numbers, 'x', numbers],
    [[[[numbers]], hash]],
    [hash, hash, []],
    cyclic,
    5,
    'text',
    null,
  ]) {
    t.ok(finish(textSteps(value, true)) === inspect(value));
    t.ok(finish(textSteps(value, false)) === toText(value));
  }
});
