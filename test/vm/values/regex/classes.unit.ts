/** Random classes with classes in them, compared with sets of characters. */
import t from 'tap';
import { compileRegex } from '../../../../vm/values/regex/index.js';
import { byBacktracker, Compiled, Random } from './random.js';

/** Characters that classes are tried on. */
const CHARACTERS = [...'abcdxyzABZ059_- ]^&.é😀\n'];
const MEMBERS: readonly (readonly [text: string, pattern: RegExp])[] = [
  ['a', /a/],
  ['Z', /Z/],
  ['é', /é/],
  ['😀', /😀/u],
  ['\\-', /-/],
  ['\\]', /\]/],
  ['x-z', /[x-z]/],
  ['0-5', /[0-5]/],
  ['\\w', /\w/],
  ['\\W', /\W/],
  ['\\D', /\D/],
  ['\\S', /\S/],
  ['\\H', /[^0-9a-fA-F]/],
  ['[:alpha:]', /\p{L}/u],
  ['[:^alnum:]', /[^\p{L}\p{N}]/u],
  ['\\P{L}', /\P{L}/u],
];

interface Class {
  text: string;
  has: (character: string) => boolean;
}

function randomClass(random: Random, depth: number): Class {
  const negated = random.below(3) === 0;
  const operands = Array.from({ length: 1 + (random.below(3) === 0 ? 1 : 0) }, () => union(random, depth));
  return {
    text: `[${negated ? '^' : ''}${operands.map(({ text }) => text).join('&&')}]`,
    has: (character) => operands.every(({ has }) => has(character)) !== negated,
  };
}

function union(random: Random, depth: number): Class {
  const parts = Array.from({ length: 1 + random.below(3) }, (): Class => {
    if (depth > 0 && random.below(3) === 0) return randomClass(random, depth - 1);
    const [text, pattern] = random.pick(MEMBERS);
    return { text, has: (character) => pattern.test(character) };
  });
  return {
    text: parts.map(({ text }) => text).join(''),
    has: (character) => parts.some(({ has }) => has(character)),
  };
}

t.test('classes in classes hold the characters that they name', async (t) => {
  const random = new Random(7);
  for (let i = 0; i < 200; i++) {
    const { text, has } = randomClass(random, 3);
    const wanted = CHARACTERS.filter(has);
    const { re } = compileRegex(text, '');
    const form = new RegExp(re.source, re.unicode ? `${re.flags}g` : `${re.flags}gu`);
    t.strictSame(CHARACTERS.join('').match(form) ?? [], wanted, text);
    if (i % 10 > 0) continue;
    const found = byBacktracker(new Compiled(form), CHARACTERS.join(''), 1000);
    t.strictSame(
      found.map(([, character]) => character),
      wanted,
      `${text} by the backtracker`,
    );
  }
});
