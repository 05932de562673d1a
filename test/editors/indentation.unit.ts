import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { classesOfLexer } from './classes.js';

// The indentation rules of the extension for VS Code know only the line before: they agree with nearly all lines of programs.

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['bench/programs', 'docs', 'examples', 'templates'];
/** Share of lines whose indentation the rules do not find: aligned lists of arguments, and `when` below an assigned `case`. */
const MAX_MISSED = 0.003;

const configuration = JSON.parse(
  readFileSync(join(ROOT, 'editors/vscode/language-configuration.json'), 'utf8'),
) as Configuration;
const increase = new RegExp(configuration.indentationRules.increaseIndentPattern, 'u');
const decrease = new RegExp(configuration.indentationRules.decreaseIndentPattern, 'u');

interface Configuration {
  wordPattern: string;
  folding: { markers: { start: string; end: string } };
  indentationRules: { increaseIndentPattern: string; decreaseIndentPattern: string };
  onEnterRules: { beforeText: { pattern: string }; action: { appendText: string } }[];
}

const STARTS_LATER = /^\s*(?:\.(?!\.)|&\.|\|>)/;
const CONTINUES = /(?:,|=|\+|\b(?:or|and)|\||&&|=>|:)\s*(?:#.*)?$/;
const PARAMETERS = /\|[^|]*\|$/;

interface Line {
  text: string;
  /** Whether it belongs to the statement of the line before. */
  continues: boolean;
}

/** The lines of a program that hold code, without those within texts. */
function linesOf(text: string): Line[] {
  const { classes } = classesOfLexer(text);
  const lines: Line[] = [];
  let at = 0;
  let continues = false;
  for (const line of text.split('\n')) {
    const first = at + line.search(/\S/);
    const isInText = at > 0 && ['string', 'regex'].includes(classes[at] ?? classes[at - 1] ?? '');
    if (line.trim() !== '' && classes[first] !== 'comment' && !isInText) {
      lines.push({ text: line, continues: continues || STARTS_LATER.test(line) });
      continues = CONTINUES.test(line.replace(PARAMETERS, ''));
    }
    at += line.length + 1;
  }
  return lines;
}

t.test('lines of programs', async (t) => {
  const missed: string[] = [];
  let count = 0;
  const paths = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.svc'))
      .map((path) => join(folder, path)),
  );
  for (const path of paths) {
    const lines = linesOf(readFileSync(join(ROOT, path), 'utf8'));
    for (const [index, { text, continues }] of lines.slice(1).entries()) {
      const before = lines[index];
      if (continues || before.continues) continue;
      count++;
      const found = before.text.search(/\S/) + (increase.test(before.text) ? 2 : 0) - (decrease.test(text) ? 2 : 0);
      if (found !== text.search(/\S/)) missed.push(`${path}: ${before.text.trim()} / ${text}`);
    }
  }
  t.ok(count > 5000, `${count} lines`);
  if (!t.ok(missed.length < count * MAX_MISSED, `${missed.length} missed`)) t.strictSame(missed, []);
});

t.test('the other patterns', async (t) => {
  const { wordPattern, folding, onEnterRules } = configuration;
  t.strictSame('größe.leer?(x_1!, 1_000.5)'.match(new RegExp(wordPattern, 'gu')), [
    'größe',
    'leer?',
    'x_1!',
    '1_000.5',
  ]);
  t.match('  # region Prices', new RegExp(folding.markers.start));
  t.match('  # endregion', new RegExp(folding.markers.end));
  t.notMatch('# regional', new RegExp(folding.markers.start));
  const [{ beforeText, action }] = onEnterRules;
  t.match('  ## Documents', new RegExp(beforeText.pattern));
  t.notMatch('  # Says', new RegExp(beforeText.pattern));
  t.equal(action.appendText, '## ');
});
