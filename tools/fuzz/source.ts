import { compile } from '../../compiler/index.js';
import { libraryNames } from '../../svcc/library.js';
import { verifyProgram } from '../../vm/bytecode/verify.js';
import { Random } from './random.js';

/** Maximum processor time for one text, in milliseconds. */
const MAX_MS = 1000;

/** Words, numbers, strings, signs and white space: joined, they yield the text again. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*[?!]?|\d+(?:\.\d+)?|[ \t]+|\n|<<~|\*\*|\/\/|&&|\|\||[=!<>]=|[^\s]/g;

/** Signs and words that have the largest effect when inserted. */
const EXTRAS = [
  'end',
  'do',
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '|',
  '->',
  '#{',
  '"',
  "'",
  '\n',
  ' ',
  ';',
  'if',
  'while',
  'rescue',
  'ensure',
  'case',
  'when',
  'def',
  'return',
  'break',
  'next',
  'retry',
  'spawn',
  'record',
  'error',
  '=',
  '+=',
  '||=',
  '=>',
  ':',
  ',',
  '.',
  '&.',
  '..',
  '/',
  '<<~X',
  '%w[',
  '*',
  '**',
  '&',
  '@',
  '\\',
  '0x',
  '1e',
  '\u{1F600}',
  '\0',
  '\r',
  '##',
  'const',
  'for',
  'in',
  'loop',
  'not',
  'and',
  '?',
  '|>',
];

function mutant(random: Random, texts: readonly (readonly string[])[]): string {
  const tokens = random.pick(texts).slice();
  for (let n = 1 + random.below(4); n > 0 && tokens.length > 0; n--) {
    const at = random.below(tokens.length);
    switch (random.below(7)) {
      case 0:
        tokens.splice(at, 1 + random.below(3));
        break;
      case 1:
        tokens.splice(at, 0, tokens[random.below(tokens.length)]);
        break;
      case 2:
        tokens[at] = random.pick(EXTRAS);
        break;
      case 3:
        tokens.splice(at, 0, random.pick(EXTRAS));
        break;
      case 4: {
        const other = random.below(tokens.length);
        [tokens[at], tokens[other]] = [tokens[other], tokens[at]];
        break;
      }
      case 5: {
        const donor = random.pick(texts);
        const from = random.below(donor.length + 1);
        tokens.splice(at, 0, ...donor.slice(from, from + 1 + random.below(12)));
        break;
      }
      default:
        tokens.length = at;
    }
  }
  return tokens.join('');
}

export interface SourceFindings {
  count: number;
  compiled: number;
  refused: number;
  /** Violations: exceptions, invalid bytecode, errors without a place, long times. */
  faults: string[];
}

/** Compiles `count` token-level mutants of texts. Whatever compiles must pass the verifier. */
export function fuzzSource(
  programs: readonly string[],
  count: number,
  seed: number,
  told: (line: string) => void = () => {},
): SourceFindings {
  const random = new Random(seed);
  const texts = programs.map((text) => text.match(TOKEN) ?? []);
  const env = { natives: libraryNames(), builtinModules: new Set(['svcauth']), load: () => null };
  const findings: SourceFindings = { count, compiled: 0, refused: 0, faults: [] };
  for (let n = 0; n < count; n++) {
    const text = mutant(random, texts);
    const fault = (what: string): void =>
      void findings.faults.push(`mutant ${n} of seed ${seed}: ${what}: ${JSON.stringify(text).slice(0, 400)}`);
    const before = process.cpuUsage();
    try {
      const { program, diagnostics } = compile('mutant.svc', text, env);
      if (program !== null) {
        verifyProgram(program);
        findings.compiled++;
      } else {
        findings.refused++;
        if (diagnostics.every(({ severity }) => severity !== 'error')) fault('refused without an error');
        for (const { start, end, message, code } of diagnostics)
          if (start < 0 || end < start || start > text.length || message === '' || code === 'internal-error')
            fault(`${code} at ${start}–${end}: ${message}`);
      }
    } catch (error) {
      fault(error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 3).join(' | ') : String(error));
    }
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > MAX_MS) fault(`${((user + system) / 1000).toFixed(0)} ms`);
    if (n % 10_000 === 9999) told(`${n + 1} mutants, ${findings.compiled} compile, ${findings.faults.length} faults`);
  }
  return findings;
}
