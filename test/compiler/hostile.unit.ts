import t from 'tap';
import { cpuTime } from '../clock.js';
import { parse } from '../../compiler/parse.js';
import { renderDiagnostic } from '../../compiler/diagnostics/render.js';
import { MAX_NESTING } from '../../compiler/layout/layout.js';
import { MAX_SOURCE } from '../../compiler/source.js';

/** Length of texts for mistakes that need many characters. */
const VERY_LONG = 500_000;
/** Maximum milliseconds of processor time for one text: far more than a slow machine needs. */
const MAX_TIME = 3000;

/** Parses and renders; throws where the front end does. */
function codes(text: string): string[] {
  const start = performance.now();
  const { diagnostics, module } = parse('t.svc', text);
  // On a busy machine more time may pass. Reading the processor time takes longer than parsing most texts.
  if (performance.now() - start > MAX_TIME) {
    const took = cpuTime(() => parse('t.svc', text));
    if (took > MAX_TIME) throw new Error(`took ${took} ms`);
  }
  for (const diagnostic of diagnostics) {
    if (diagnostic.code === 'internal-error') throw new Error(diagnostic.message);
    if (diagnostic.start < 0 || diagnostic.end > text.length || diagnostic.end < diagnostic.start)
      throw new Error(`place of ${diagnostic.code}`);
    renderDiagnostic(diagnostic, text);
  }
  if (module.end !== text.length) throw new Error('extent of the module');
  return diagnostics.map(({ code }) => code);
}

/** Texts that open something: repeated, they nest. */
const OPENERS = [
  '(',
  '[',
  'f(',
  'a[',
  '"#{',
  'if ',
  'if a then ',
  'unless a then ',
  'not ',
  '- ',
  '!',
  'await ',
  '-> { ',
  'x ? (',
  'f { ',
  'f do ',
  'begin ',
  'def f; ',
  'case ',
  'while a do ',
  'loop do ',
  '{a: ',
  'x ? ',
  'a ** ',
  'a = ',
  'return ',
  '->(a = ',
];

t.test('nesting that is much too deep is one error', async (t) => {
  for (const opener of OPENERS) {
    for (const depth of [10_000, 100_000]) {
      const found = codes(`x = 1\n${opener.repeat(depth)}`);
      t.equal(found.includes('nesting-too-deep'), true, `${depth} times \`${opener}\` reports ${found.join()}`);
    }
  }
});

t.test('nesting up to the limit is accepted', async (t) => {
  const depth = MAX_NESTING;
  t.strictSame(codes('('.repeat(depth) + 'x' + ')'.repeat(depth)), []);
  t.strictSame(codes('('.repeat(depth + 1) + 'x' + ')'.repeat(depth + 1)), ['nesting-too-deep']);
  t.strictSame(codes('if a\n'.repeat(depth) + 'end\n'.repeat(depth)), []);
  t.strictSame(codes('if a\n'.repeat(depth + 1) + 'end\n'.repeat(depth + 1)), ['nesting-too-deep']);
  t.strictSame(codes('not '.repeat(depth) + 'x'), []);
  t.strictSame(codes('not '.repeat(depth + 1) + 'x'), ['nesting-too-deep']);
  t.strictSame(codes(`${'(- '.repeat(depth / 2)}x${')'.repeat(depth / 2)}`), [], 'operators around a bracket count');
  t.strictSame(codes(`${'(- '.repeat(depth / 2 + 1)}x${')'.repeat(depth / 2 + 1)}`), ['nesting-too-deep']);
  t.strictSame(codes(`${'-a + !b ** 2\n'.repeat(depth * 2)}`), [], 'statements do not add up');
  t.strictSame(codes(`x = [${'-a, '.repeat(depth * 2)}]`), [], 'elements do not add up');
  t.strictSame(codes(`x = ${'-a * '.repeat(depth * 2)}b`), [], 'operands do not add up');
});

t.test('statements before the failure are kept', async (t) => {
  const { module } = parse('t.svc', `x = 1\n${'('.repeat(VERY_LONG)}`);
  t.strictSame(
    module.stmts.map(({ type }) => type),
    ['Assign', 'Error'],
  );
});

t.test('small and strange texts', async (t) => {
  t.strictSame(codes(''), []);
  t.strictSame(codes('\ufeff'), []);
  t.strictSame(codes('\ufeffputs 1\n'), []);
  t.strictSame(codes('# only\n# comments'), []);
  t.strictSame(codes('\n\n;;\n \t\r\n'), []);
  t.strictSame(codes('x = 1\r\ny = "a\r\nb"\r\n'), []);
  t.strictSame(codes('x = 1\ry = 2\r'), ['lone-carriage-return']);
  t.strictSame(codes('\0'), ['nul-character']);
  t.strictSame(codes('x = "\ud800"'), ['invalid-text']);
  t.strictSame(codes('x = "\udc00\ud83d\ude00"'), ['invalid-text']);
  t.strictSame(codes('x = "\u202e"'), ['bidi-control']);
  t.strictSame(codes('x = "\u200f\u05d0"'), [], 'a direction mark that hides nothing');
  t.strictSame(codes('a'.repeat(MAX_SOURCE + 1)), ['file-too-large']);
});

/** Length of most texts. */
const LONG = 50_000;

/** Texts that must be parsed or refused in time. */
// prettier-ignore
const TEXTS: Record<string, string> = {
  blanks: ' '.repeat(LONG), newlines: '\n'.repeat(LONG), comment: `#${'a'.repeat(LONG)}`, name: 'a'.repeat(VERY_LONG), digits: '1'.repeat(LONG),
  'NULs': '\0'.repeat(LONG), 'carriage returns': 'a\r'.repeat(LONG / 2), surrogates: '\ud800'.repeat(LONG), emoji: '😀'.repeat(LONG / 2),
  string: `"${'a'.repeat(VERY_LONG)}"`, 'open string': `"${'a'.repeat(VERY_LONG)}`, quotes: '"'.repeat(VERY_LONG + 1), apostrophes: "'".repeat(LONG + 1),
  triples: '"""'.repeat(LONG / 3), 'open triple': `"""${'a\n'.repeat(LONG / 2)}`, backslashes: `"${'\\'.repeat(LONG)}`, escapes: `"${'\\\\'.repeat(LONG / 2)}"`,
  'open strings': 'puts "abc\n'.repeat(LONG / 10), interpolations: `"${'#{1}'.repeat(LONG / 8)}"`, 'open interpolations': '"a#{"'.repeat(LONG / 5),
  slashes: `x = ${'/'.repeat(LONG)}`, 'open regex': `x = /${'['.repeat(LONG)}`, 'regex of brackets': `x = /${'[a'.repeat(LONG / 2)}#{b}/`,
  heredocs: `f(${'<<~A,'.repeat(LONG / 5)})\n`, 'open heredocs': '<<~A\n'.repeat(LONG / 5), 'word lists': '%w['.repeat(LONG / 3),
  sum: `a${'+a'.repeat(VERY_LONG / 2)}`, 'open sum': 'a+'.repeat(LONG / 2), vector: `[${'1,'.repeat(LONG / 2)}`, members: `a${'.m'.repeat(LONG / 2)}`,
  indexes: `a${'[0]'.repeat(LONG / 3)}`, calls: `f${'()'.repeat(LONG / 2)}`, blocks: `f${' {}'.repeat(LONG / 3)}`, words: 'a '.repeat(LONG / 2),
  'closing braces': '}'.repeat(LONG), ends: 'end\n'.repeat(LONG / 4), elses: 'else\n'.repeat(LONG / 5), defs: 'def f\n'.repeat(LONG / 6),
  'rescues on a line': 'x rescue '.repeat(VERY_LONG / 9), 'functions on a line': 'def f() 1 end; '.repeat(VERY_LONG / 15), 'records on a line': 'record A(); '.repeat(LONG / 12),
  loops: 'do x while y; '.repeat(LONG / 14), conditions: `x${' if x'.repeat(LONG / 5)}`, commas: ','.repeat(LONG), colons: ':'.repeat(LONG), bars: '|'.repeat(LONG),
  dots: '.'.repeat(LONG), stars: '*'.repeat(LONG), ampersands: '&'.repeat(LONG), arrows: '->'.repeat(LONG / 2), 'strange signs': '@'.repeat(VERY_LONG),
  semicolons: `f(${';'.repeat(VERY_LONG)}`, errors: 'x = = 1\n'.repeat(LONG / 8), 'doc comments': `${'## a\n'.repeat(LONG / 5)}def f\nend`, annotation: `def f(a: ${'A|'.repeat(LONG / 2)}A)\nend`,
  annotations: `def f(${'a: A['.repeat(LONG / 5)}`, 'joined lines': '\\\n'.repeat(LONG / 2), mixed: '([{'.repeat(LONG / 3), statements: 'x = 1\n'.repeat(LONG / 6),
};

t.test('long texts of one kind', async (t) => {
  for (const [name, text] of Object.entries(TEXTS)) {
    t.doesNotThrow(() => codes(text), name);
  }
});

t.test('more escapes than one regular expression can match', async (t) => {
  const many = 1_000_000;
  for (const text of [
    `"${'\\\\'.repeat(many)}"`,
    `'${'\\\\'.repeat(many)}'`,
    `"${'#a'.repeat(many)}"`,
    `'''${"''a".repeat(many)}'''`,
    `"""${'""a'.repeat(many)}"""`,
    `"#{a}${'#a'.repeat(many)}"`,
    `/${'\\\\'.repeat(many)}/`,
    `<<~A\n${'#a '.repeat(many)}#{a}\nA\n`,
  ]) {
    t.strictSame(codes(`x = ${text}`), [], text.slice(0, 20));
  }
  t.strictSame(codes(`x = ${'1_'.repeat(many)}1`), ['bad-number']);
  const { module } = parse('t.svc', `x = "${'\\u0041#'.repeat(5000)}"`);
  const [assign] = module.stmts;
  t.strictSame(assign?.type === 'Assign' && assign.value.type === 'Str' && assign.value.value, 'A#'.repeat(5000));
});

/** Generates the same random numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  'def ',
  'end\n',
  'if ',
  'else\n',
  'elsif ',
  'while ',
  'for ',
  ' in ',
  'do |',
  '|',
  ' do\n',
  'case ',
  'when ',
  'then ',
  'begin\n',
  'rescue ',
  'ensure\n',
  'return ',
  'break ',
  'raise ',
  'puts ',
  'x',
  'y.z',
  'F',
  '1',
  '1.5',
  '1..',
  '"a"',
  '"#{',
  '}',
  '"',
  "'",
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  'a:',
  ':s',
  '=',
  '==',
  '=>',
  '+',
  '-',
  '*',
  '**',
  '/',
  '//',
  '%',
  '%w[',
  '?',
  '!',
  '&',
  '&.',
  '.',
  '|>',
  '->',
  '<<~A',
  '\nA\n',
  '\n',
  ';',
  ' ',
  ' ',
  '#c\n',
  '##d\n',
  'record ',
  'enum ',
  'error ',
  'const ',
  'require ',
  'loop ',
  'await ',
  'not ',
  'and ',
  'or ',
  'until ',
  'unless ',
  '"""',
  '\\',
  '\0',
  '😀',
  '@',
];

t.test('random texts', async (t) => {
  const next = random(87);
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + next(40) }, () => PIECES[next(PIECES.length)]).join('');
    try {
      codes(text);
    } catch (error) {
      t.fail(`${JSON.stringify(text)}: ${error}`);
    }
  }
});
