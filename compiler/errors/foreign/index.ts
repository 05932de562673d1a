import { type Problem, problem } from '../../diagnostics/problem.js';
import type { Token, TokenType } from '../../layout/token.js';
import { BLOCKS } from './blocks.js';
import { EXPRESSIONS } from './expressions.js';
import type { Form, Groups } from './form.js';

const FORMS: readonly Form[] = [...BLOCKS, ...EXPRESSIONS];

/** Maximum number of lines searched, and of characters of a line: the patterns are for lines that people write. */
const MAX_LINES = 10_000;
const MAX_WIDTH = 300;

/** Texts, regexes where a value is expected, and a comment. */
const TEXT_OR_COMMENT =
  /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|(?<=[(,[{|&!~=]\s{0,9})\/(?![\s/*=])(?:\[(?:[^\]\\]|\\.)*\]|[^/\\[]|\\.)+\/|#.*$/g;

/** A line without its comment, with the insides of its texts and regexes replaced by characters that mean nothing. */
function blanked(line: string): string {
  return line
    .replace(TEXT_OR_COMMENT, (part) =>
      part.startsWith('#') ? '' : `${part[0]}${'\u00b7'.repeat(part.length - 2)}${part[0]}`,
    )
    .trimEnd();
}

/** Where a form matches a line. */
interface Match {
  form: Form;
  column: number;
  problem: Problem;
}

/** A form that was found, and the lines whose problems it explains. */
interface Found {
  problem: Problem;
  from: number;
  to: number;
}

/**
 * Replaces problems on lines that hold a form of another language by one that names the form and what Svc has instead.
 * The text has problems already, so a form can be read as Svc nowhere near.
 */
export function explainForeign(
  all: Problem[],
  text: string,
  tokens: readonly Token[],
  lineOf: (offset: number) => number,
): Problem[] {
  if (all.length === 0) return all;
  const problems = withoutFields(all, text, lineOf);
  const lines = text.split('\n', MAX_LINES);
  const unclosed = problems.some(({ code }) => code.startsWith('unclosed'));
  const suspicious = new Set(problems.flatMap((found) => linesOf(found, lineOf)));
  const found: Found[] = [];
  const inTexts = linesInTexts(tokens, text, lineOf);
  const names = namesOf(tokens);
  let start = 0;
  let skipTo = 0;
  for (const [index, line] of lines.entries()) {
    const at = index + 1;
    if (at > skipTo && line.length <= MAX_WIDTH && !inTexts.has(at)) {
      const form = match(line, start, suspicious.has(at), names);
      if (form !== null) {
        skipTo = endOf(form, lines, index, unclosed);
        found.push({ problem: form.problem, from: at, to: skipTo });
      }
    }
    start += line.length + 1;
  }
  const isExplained = (other: Problem): boolean =>
    linesOf(other, lineOf).some((line) => found.some(({ from, to }) => from <= line && line <= to));
  return [...problems.filter((other) => !isExplained(other)), ...found.map((one) => one.problem)];
}

/** Names that a program gives to functions and to variables. */
interface Names {
  functions: ReadonlySet<string>;
  variables: ReadonlySet<string>;
}

const BEFORE_VARIABLE: ReadonlySet<TokenType | undefined> = new Set(['LPARAM', 'PIPE', 'COMMA', 'SPLAT', 'FOR']);

function namesOf(tokens: readonly Token[]): Names {
  const functions = new Set<string>();
  const variables = new Set<string>();
  for (const [i, { type, text }] of tokens.entries()) {
    if (type !== 'IDENT') continue;
    const before = tokens[i - 1]?.type;
    if (before === 'DEF') functions.add(text);
    else if (BEFORE_VARIABLE.has(before) || tokens[i + 1]?.type === 'ASGN') variables.add(text);
  }
  return { functions, variables };
}

/** Whether a line may hold a form: its word, if the program does not use it as a name, marks it on any line. */
function isSearched({ word }: Form, suspicious: boolean, names: Names): boolean {
  if (word === undefined) return suspicious;
  return !names.functions.has(word) && (suspicious || !names.variables.has(word));
}

/** Drops `@name` inside a `class`, which is reported itself, and other problems on the same line. */
function withoutFields(problems: Problem[], text: string, lineOf: (offset: number) => number): Problem[] {
  const first = problems.find(({ code }) => code === 'no-classes');
  if (first === undefined) return problems;
  const fields = problems.filter(({ start }) => start > first.start && text[start] === '@');
  const lines = new Set(fields.map(({ start }) => lineOf(start)));
  return problems.filter(({ start }) => !lines.has(lineOf(start)));
}

function linesOf({ start, labels }: Problem, lineOf: (offset: number) => number): number[] {
  return [lineOf(start), ...labels.map((label) => lineOf(label.start))];
}

/** Lines that begin inside a text of several lines. */
function linesInTexts(tokens: readonly Token[], text: string, lineOf: (offset: number) => number): Set<number> {
  const inside = new Set<number>();
  for (const { type, start, end } of tokens) {
    if ((type !== 'TEXT' && type !== 'LIT') || !text.slice(start, end).includes('\n')) continue;
    for (let line = lineOf(start) + (type === 'LIT' ? 1 : 0); line <= lineOf(end - 1); line++) inside.add(line);
  }
  return inside;
}

function match(line: string, start: number, suspicious: boolean, names: Names): Match | null {
  const code = blanked(line);
  for (const form of FORMS) {
    if (!isSearched(form, suspicious, names)) continue;
    const found = form.pattern.exec(code);
    if (found === null) continue;
    const groups = groupsOf(found, line);
    const [from, to] = found.indices?.groups?.['at'] ?? [found.index, found.index + found[0].length];
    const message = typeof form.message === 'string' ? form.message : form.message(groups);
    const hint = typeof form.hint === 'string' ? form.hint : form.hint(groups);
    return {
      form,
      column: from,
      problem: problem(form.code ?? 'foreign-form', message, start + from, start + to, [], inSvc(hint)),
    };
  }
  return null;
}

const LITERALS: Readonly<Record<string, string>> = {
  None: 'nil',
  null: 'nil',
  undefined: 'nil',
  True: 'true',
  False: 'false',
};

/** A hint that quotes the program, with the literals of other languages replaced. */
function inSvc(hint: string): string {
  return hint.replace(/\b(?:None|null|undefined|True|False)\b/g, (word) => LITERALS[word]);
}

function groupsOf(found: RegExpExecArray, line: string): Groups {
  const places = found.indices?.groups ?? {};
  return Object.fromEntries(
    Object.entries(places).map(([name, place]) => [name, place === undefined ? '' : line.slice(...place)]),
  );
}

/** The last line whose problems a form explains; `at` is where the form begins in its line. */
function endOf({ form, column }: Match, lines: readonly string[], index: number, unclosed: boolean): number {
  if (form.opens === 'always' || (form.opens === 'unclosed' && unclosed)) return Infinity;
  const { until } = form;
  if (until === undefined) return index + 1;
  if (lines[index].includes(until, column + 1)) return index + 1;
  const end = lines.findIndex((line, i) => i > index && line.includes(until));
  return end < 0 ? Infinity : end + 1;
}
