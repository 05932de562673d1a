/** Random expressions and texts, and all matches by V8 and by each engine of Svc. */
import { createContext, Script } from 'node:vm';
import { LINE_END, LINE_START, PLAIN_LINE_END, TEXT_START } from '../../../../vm/bytecode/regextranslator.js';
import { finish } from '../../../../vm/values/steps.js';
import { Automaton, Run } from '../../../../vm/values/regex/automaton.js';
import { Backtracker, FOUND, PENDING } from '../../../../vm/values/regex/backtrack.js';
import { costOf, type Cost } from '../../../../vm/values/regex/cost.js';
import { parse } from '../../../../vm/values/regex/regexparse.js';
import { compileProgram, type Program } from '../../../../vm/values/regex/program.js';
import { Prepared, Search } from '../../../../vm/values/regex/search.js';
import type { RegexForm } from '../../../../vm/values/structured.js';
import { isInPair } from '../../../../vm/values/text/codepoints.js';

/** Offset, then texts of the match and its groups. */
export type Row = (string | number | undefined)[];

/** Maximum matches of a text that are compared. */
const MOST = 60;

export class Random {
  constructor(private seed: number) {}

  below(n: number): number {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.seed / 4294967296) * n);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }
}

interface Shape {
  groups: number;
  references: boolean;
  looks: boolean;
  unicode: boolean;
  lines: boolean;
}

const QUANTIFIERS = ['*', '+', '?', '{2}', '{0,2}', '{1,}', '{1,3}', '{0}', '{2,}'];

function part(random: Random, depth: number, shape: Shape): string {
  const { lines, unicode } = shape;
  switch (random.below(depth <= 0 ? 6 : 14)) {
    case 0:
    case 1:
      return random.pick(['a', 'b', 'c', 'a', 'b']);
    case 2:
      return random.pick([
        '.',
        '\\w',
        '\\s',
        '[ab]',
        '[^a]',
        '\\d',
        '\\W',
        '[b-c]',
        'ab',
        'ba',
        '\\n',
        '[^\\n]',
        '[\\w-]',
        '[^]',
        '[\\s\\S]',
      ]);
    case 3:
      return random.pick([
        lines ? LINE_START : '^',
        lines ? LINE_END : PLAIN_LINE_END,
        lines ? TEXT_START : '$',
        '\\b',
        '\\B',
        '(?![\\s\\S])',
        '(?<![\\s\\S])',
        'a',
        'b',
      ]);
    case 4:
      return random.pick([
        'é',
        'k',
        'ſ',
        'A',
        unicode ? '😀' : 'É',
        '[à-þ]',
        's',
        '\\u0041',
        '[^\\W]',
        '\\x62',
        '[\\x61-\\u0062]',
      ]);
    case 5:
      return shape.references && shape.groups > 0 && random.below(3) === 0
        ? `\\${1 + random.below(shape.groups)}`
        : random.pick(['a', 'b', '']);
    case 6:
    case 7:
      shape.groups++;
      return `(${alternatives(random, depth - 1, shape)})`;
    case 8:
      return `(?:${alternatives(random, depth - 1, shape)})`;
    case 9:
    case 10:
    case 11:
      return `(?:${part(random, depth - 1, shape)})${random.pick(QUANTIFIERS)}${random.pick(['', '', '?'])}`;
    case 12:
      shape.groups++;
      return `(${part(random, depth - 1, shape)})${random.pick(['*', '+', '?', '{0,2}', '{2,3}'])}${random.pick(['', '', '?'])}`;
    default:
      return shape.looks
        ? `${random.pick(['(?=', '(?!', '(?<=', '(?<!'])}${alternatives(random, depth - 1, shape)})`
        : sequence(random, depth - 1, shape);
  }
}

function sequence(random: Random, depth: number, shape: Shape): string {
  let out = '';
  for (let i = random.below(4) + (depth > 2 ? 1 : 0); i > 0; i--) out += part(random, depth, shape);
  return out;
}

function alternatives(random: Random, depth: number, shape: Shape): string {
  let out = sequence(random, depth, shape);
  while (random.below(3) === 0) out += `|${sequence(random, depth, shape)}`;
  return out;
}

/** A random expression that V8 accepts, with the flag g. */
export function randomExpression(random: Random): RegExp {
  for (;;) {
    const unicode = random.below(4) === 0;
    const shape: Shape = {
      groups: 0,
      references: random.below(5) === 0,
      looks: random.below(2) === 0,
      unicode,
      lines: random.below(2) === 0,
    };
    const source = alternatives(random, 3, shape);
    try {
      return new RegExp(
        source,
        `g${random.below(3) === 0 ? 'i' : ''}${shape.lines ? 'm' : ''}${random.below(3) === 0 ? 's' : ''}${unicode ? 'u' : ''}`,
      );
    } catch {
      // The combination is not a valid expression.
    }
  }
}

const LETTERS = [
  'a',
  'b',
  'a',
  'b',
  'c',
  ' ',
  '\n',
  '1',
  'é',
  'k',
  'ſ',
  'K',
  'A',
  'S',
  'É',
  'ab',
  '\r',
  '😀',
  '\ud83d',
  '\ude00',
];
const UNITS = LETTERS.slice(0, -3);

/** A random text; `length` 0: a short one. */
export function randomText(random: Random, unicode: boolean, length = 0): string {
  const letters = unicode ? LETTERS : UNITS;
  let out = '';
  if (length === 0) {
    for (let i = random.below(14); i > 0; i--) out += random.pick(letters);
    return out;
  }
  while (out.length < length) {
    let word = '';
    for (let i = 1 + random.below(5); i > 0; i--) word += random.pick(letters);
    out += word.repeat(1 + random.below(random.below(2) === 0 ? 3 : 400));
  }
  return out;
}

const script = new Script('run()');
const context = createContext({ run: null }) as { run: (() => void) | null };

/** Maximum length of texts that V8 searches without a limit, unless the expression is evil. */
const FEW = 10;

/** Maximum milliseconds of V8's search in texts that need a limit. */
const LIMIT_MS = 200;

/**
 * All matches in each text by V8; null if it takes too long or a match splits a character. Searches many texts at once,
 * because entering a context takes longer than most searches.
 */
export function byV8(re: RegExp, texts: readonly string[], most = MOST, limit = LIMIT_MS): (Row[] | null)[] {
  const found: (Row[] | null)[] = [];
  const search = (text: string): Row[] => {
    const rows: Row[] = [];
    for (const match of text.matchAll(re)) {
      rows.push([match.index, ...match]);
      if (rows.length > most) break;
    }
    return rows;
  };
  const isEvil = /[*+}]\??\)+[*+{]/.test(re.source);
  const isQuick = (text: string): boolean => text.length <= FEW && !isEvil;
  context.run = () => {
    while (found.length < texts.length) found.push(search(texts[found.length]));
  };
  while (found.length < texts.length) {
    if (isQuick(texts[found.length])) found.push(search(texts[found.length]));
    else {
      try {
        script.runInContext(context, { timeout: limit });
      } catch {
        found.push(null);
      }
    }
  }
  return found.map((rows, i) =>
    rows !== null && re.unicode && rows.some(([at]) => isInPair(texts[i], at as number)) ? null : rows,
  );
}

export function programOf(re: RegExp): Program {
  const flags = re.flags.replace('g', '');
  return finish(compileProgram(parse(re.source, re.unicode, re.multiline), flags));
}

export function costFor(program: Program): Cost {
  return finish(costOf(program));
}

type Windows = NonNullable<ConstructorParameters<typeof Prepared>[3]>;

/** Windows of a few characters, so that a short text has several. */
const SMALL_WINDOWS: Windows = [
  [],
  [{ size: 60, run: 3, steps: 1e9 }],
  [
    { size: 60, run: 3, steps: 1e9 },
    { size: 120, run: 6, steps: 1e9 },
  ],
  [{ size: 80, run: 3, steps: 1e9 }],
];

/** An expression and its compiled forms. */
export class Compiled {
  readonly program: Program;
  readonly usual: Prepared;
  readonly small: Prepared;
  readonly form: RegexForm;
  readonly automata: readonly [Automaton, Automaton] | null;

  constructor(readonly re: RegExp) {
    this.program = programOf(re);
    const cost = costFor(this.program);
    this.usual = new Prepared(this.program, cost, true);
    this.small = new Prepared(this.program, cost, true, SMALL_WINDOWS);
    const flags = re.flags.replace('g', '');
    this.form = { global: new RegExp(re.source, `${flags}g`), sticky: new RegExp(re.source, `${flags}y`) };
    this.automata =
      this.program.reverseStart < 0 ? null : [new Automaton(this.program, false), new Automaton(this.program, true)];
  }
}

function rowOf(text: string, slots: Int32Array): Row {
  const row: Row = [slots[0]];
  for (let i = 0; i < slots.length; i += 2)
    row.push(slots[i] < 0 || slots[i + 1] < 0 ? undefined : text.slice(slots[i], slots[i + 1]));
  return row;
}

function after(text: string, start: number, end: number, pairs: boolean): number {
  return end > start ? end : end + (pairs && (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
}

/** All matches by the backtracker, `budget` steps at a time. */
export function byBacktracker({ program, usual }: Compiled, text: string, budget: number, most = MOST): Row[] {
  const pairs = program.unicode;
  const search = new Backtracker(program, usual.plan, text, pairs, '');
  const rows: Row[] = [];
  for (let from = 0; from <= text.length && rows.length <= most;) {
    search.begin(from);
    let state = PENDING;
    while (state === PENDING) state = search.run(budget);
    if (state !== FOUND) break;
    rows.push(rowOf(text, search.slots));
    from = after(text, search.slots[0], search.slots[1], pairs);
  }
  return rows;
}

/** Starts and ends of all matches by the automaton; null if it cannot run the program. */
export function byAutomaton(
  { program, automata }: Compiled,
  text: string,
  budget: number,
  most = MOST,
): [number, number][] | null {
  if (automata === null) return null;
  const pairs = program.unicode;
  const [forwards, backwards] = automata.map((automaton) => new Run(automaton, text, pairs));
  const rows: [number, number][] = [];
  for (let from = 0; from <= text.length && rows.length <= most;) {
    forwards.begin(from, text.length);
    while (!forwards.forward(budget));
    if (forwards.found < 0) break;
    backwards.begin(forwards.found, from);
    while (!backwards.backward(budget));
    rows.push([backwards.found, forwards.found]);
    from = after(text, backwards.found, forwards.found, pairs);
  }
  return rows;
}

/** All matches by the search that programs use, or by one with small windows. */
export function bySearch({ program, form }: Compiled, prepared: Prepared, text: string, most = MOST): Row[] {
  const rows: Row[] = [];
  finish(
    new Search(prepared, form, text, program.unicode, '').each(({ start, groups }) => {
      rows.push([start, ...groups]);
      return rows.length <= most;
    }),
  );
  return rows;
}
