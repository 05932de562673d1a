import { lineStarts, positionAt } from '../../vm/bytecode/position.js';
import type * as Ast from '../ast.js';
import { tokenize } from '../layout/tokenize.js';
import { prepareSource } from '../source.js';

/** A program in a documentation comment. */
export interface DocExample {
  code: string;
  /** Line of the file on which the code starts, from 1. */
  line: number;
  /** For each line of the code: the number of characters of the comment before it. */
  indents: readonly number[];
  /** Whether its comment ends before its block. */
  isOpen: boolean;
}

const DOC_LINE = /^[ \t]*##(?:[ \t]|$)?/;
const FENCE = /^[ \t]*```[ \t]*(\w*)/;

interface OpenFence {
  line: number;
  code: string[];
  indents: number[];
  isSvc: boolean;
}

/** The examples in the `##` comments of a program: blocks between "```svc" and "```". */
export function examplesOf(text: string): DocExample[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const isText = insideTexts(text);
  const out: DocExample[] = [];
  let open: OpenFence | null = null;
  const end = (isOpen: boolean): void => {
    if (open?.isSvc === true) {
      const { code, indents, line } = open;
      out.push({ code: `${code.join('\n')}\n`, line, indents, isOpen });
    }
    open = null;
  };
  lines.forEach((line, i) => {
    const [start] = DOC_LINE.exec(line) ?? [null];
    if (start === null || isText.has(i)) return end(true);
    const content = line.slice(start.length);
    const fence = FENCE.exec(content);
    if (open === null) {
      if (fence !== null) open = { line: i + 2, code: [], indents: [], isSvc: fence[1] === 'svc' };
    } else if (fence?.[1] === '') end(false);
    else {
      open.code.push(content);
      open.indents.push(start.length);
    }
  });
  end(true);
  return out;
}

/** The lines, from 0, that start inside of a text of several lines. */
function insideTexts(text: string): Set<number> {
  const { text: clean } = prepareSource(text);
  const starts = lineStarts(clean);
  const out = new Set<number>();
  for (const { start, end, type } of tokenize(clean).tokens) {
    if (type !== 'LIT' && type !== 'TEXT') continue;
    const from = positionAt(starts, start).line;
    const to = positionAt(starts, Math.max(start, end - 1)).line;
    // A text that starts at the start of a line holds this line, too, as in heredocs.
    if (type === 'TEXT' && starts[from - 1] === start) out.add(from - 1);
    for (let line = from; line < to; line++) out.add(line);
  }
  return out;
}

/** The code with its lines at the lines and columns of the file. Lines of texts stay, since blanks would change them. */
function placed({ code, line, indents }: DocExample): string[] {
  const isText = insideTexts(code);
  const lines = code.split('\n').slice(0, -1);
  return [
    ...Array.from({ length: line - 1 }, () => ''),
    ...lines.map((text, i) => (isText.has(i) ? text : ' '.repeat(indents[i]) + text)),
  ];
}

/** The text of an example alone, at its lines and columns of the file. */
export function exampleText(example: DocExample): string {
  return `${placed(example).join('\n')}\n`;
}

/**
 * A program that loads the file of an example by `require`, with any name, and runs the example as a test. Lines and
 * columns are those of the file: the call of `test` is where the block of the comment begins.
 */
export function exampleProgram(example: DocExample, name: string): string {
  const lines = placed(example);
  const title = name.replaceAll(/[\\"#]/g, '\\$&');
  lines[0] = 'require "the documented file"; ';
  lines[example.line - 2] += `test("${title}") do`;
  return `${lines.join('\n')}\nend\n`;
}

/** A line of output that an example expects: `# => text`. */
export interface ExpectedLine {
  text: string;
  /** Line of the file. */
  line: number;
}

/** What an example is to print, from its comments. */
export function expectedOutput({ code, line }: DocExample): ExpectedLine[] {
  const { text } = prepareSource(code);
  const literals = tokenize(text).tokens.filter(({ type }) => type === 'LIT' || type === 'TEXT');
  const isCode = (at: number): boolean => !literals.some(({ start, end }) => start < at && at < end);
  let offset = 0;
  return text.split('\n').flatMap((content, i) => {
    const base = offset;
    offset += content.length + 1;
    const mark = [...content.matchAll(/#[ \t]*=>[ \t]?/g)].find(({ index }) => isCode(base + index));
    if (mark === undefined) return [];
    return [{ text: content.slice(mark.index + mark[0].length).trimEnd(), line: line + i }];
  });
}

/** The declarations of a file with their methods, in source order. */
function declared(stmts: readonly Ast.Expr[]): { name: string; start: number }[] {
  return stmts.flatMap((node) => {
    switch (node.type) {
      case 'Def':
      case 'EnumDecl':
      case 'ErrorDecl':
      case 'ConstDecl':
        return [{ name: node.name.name, start: node.start }];
      case 'RecordDecl':
      case 'InterfaceDecl': {
        const { name } = node.name;
        const methods = node.methods.map((method) => ({ name: `${name}.${method.name.name}`, start: method.start }));
        return [{ name, start: node.start }, ...methods];
      }
      case 'Assign':
        return node.target.type === 'Ident' ? [{ name: node.target.name, start: node.start }] : [];
      default:
        return [];
    }
  });
}

/** Names of examples: what their comments describe, with a number if it has several; else the line. */
export function exampleNames(text: string, { stmts }: Ast.Module, examples: readonly DocExample[]): string[] {
  const lines = text.split('\n');
  const starts = lineStarts(text);
  const byLine = new Map(declared(stmts).map(({ name, start }) => [positionAt(starts, start).line, name]));
  const seen = new Map<string, number>();
  return examples.map(({ line }) => {
    let at = line;
    while (DOC_LINE.test(lines[at - 1] ?? '')) at++;
    const name = byLine.get(at) ?? `line ${line - 1}`;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name} (${number})`;
  });
}
