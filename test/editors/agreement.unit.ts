import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { isInShare, RUNS_ALL } from '../share.js';
import { mask } from '../../compiler/templates/mask.js';
import { loadGrammar, partsOf } from '../../tools/textmate/registry.js';
import { classesOfGrammar, classesOfLexer, disagreements } from './classes.js';
import { allGrammars } from './grammars.js';

// The grammar for editors finds the same strings, regexes, comments, keywords, numbers and symbols as the compiler's lexer, in every
// program of the repository.

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['bench', 'compiler', 'docs', 'editors', 'examples', 'spec-tests', 'templates', 'test', 'tools'];

/** Programs in which a line cannot be coloured rightly, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  'spec-tests/language/lexical/word_vector_versus_modulo.svc':
    'in `n %w[0]` only the compiler knows that `n` is a variable',
};

/** The parts of a program in which the compiler's lexer reports problems are repaired by it: not compared. */
const MIN_PROGRAMS = RUNS_ALL ? 1800 : 500;
const MIN_TEMPLATES = 30;

function filesOf(ending: string): string[] {
  return FOLDERS.filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith(ending) && !path.includes('node_modules'))
        .map((path) => join(folder, path)),
    )
    .sort();
}

/** The place of an offset, with its line. */
function describe(path: string, text: string, at: number, found: string): string {
  const line = text.slice(0, at).split('\n').length;
  return `${path}:${line}: ${found} | ${text.split('\n')[line - 1].slice(0, 100)}`;
}

const grammars = await allGrammars();

t.test('programs', async (t) => {
  const grammar = await loadGrammar('source.svc', grammars);
  const wrong: string[] = [];
  let compared = 0;
  for (const path of filesOf('.svc').filter((path) => isInShare(path))) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const { classes, hasProblems } = classesOfLexer(text);
    if (hasProblems) continue;
    compared++;
    const found = classesOfGrammar(text, partsOf(grammar, text));
    const [at] = disagreements(text, classes, found);
    if (path in EXCEPTIONS) t.ok(at !== undefined, `${path} is still an exception`);
    else if (at !== undefined)
      wrong.push(describe(path, text, at, `the lexer finds ${classes[at]}, the grammar ${found[at]}`));
  }
  t.strictSame(wrong, []);
  t.ok(compared > MIN_PROGRAMS, `${compared} programs`);
});

t.test('code in templates', async (t) => {
  const grammar = await loadGrammar('text.html.svc', grammars);
  const wrong: string[] = [];
  const paths = filesOf('.html.erb');
  for (const path of paths) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const masked = mask(text);
    const { classes } = classesOfLexer(masked.text);
    const isCode = (at: number): boolean => masked.tags.some(({ from, to }) => from <= at && at < to);
    const found = classesOfGrammar(text, partsOf(grammar, text));
    const at = disagreements(text, classes, found).find(isCode);
    if (at !== undefined)
      wrong.push(describe(path, text, at, `the lexer finds ${classes[at]}, the grammar ${found[at]}`));
  }
  t.strictSame(wrong, []);
  t.ok(paths.length > MIN_TEMPLATES, `${paths.length} templates`);
});
