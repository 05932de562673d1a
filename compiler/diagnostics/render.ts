import { lineStarts, positionAt } from '../../vm/bytecode/position.js';
import type { Diagnostic } from './diagnostic.js';

/** Maximum number of characters of a source line that are shown. */
const MAX_WIDTH = 120;

type Paint = (text: string) => string;
interface Style {
  strong: Paint;
  severity: Paint;
  mark: Paint;
  dim: Paint;
}

const plain: Paint = (text) => text;
const ansi =
  (code: string): Paint =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;
const PLAIN: Style = { strong: plain, severity: plain, mark: plain, dim: plain };
const colored = (severity: Diagnostic['severity']): Style => {
  const color = severity === 'error' ? '31' : '33';
  return { strong: ansi('1'), severity: ansi(`1;${color}`), mark: ansi(color), dim: ansi('2') };
};

/**
 * Formats a diagnostic: place and message, the source line with a caret, related places, the hint. No newline at the
 * end.
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  text: string,
  style: { color: boolean } = { color: false },
): string {
  const { file, severity, message, start, end, labels, hint } = diagnostic;
  const paint = style.color ? colored(severity) : PLAIN;
  const starts = lineStarts(text);
  const { line, column } = positionAt(starts, start);
  const gutter =
    Math.max(
      ...[start, ...labels.map((label) => label.start)].map((at) => String(positionAt(starts, at).line).length),
    ) + 2;
  const frame = (from: number, to: number, sign: string, note: string, mark: Paint): string[] =>
    excerpt(text, starts, from, to, sign, note, gutter, paint, mark);
  return [
    `${paint.strong(`${file}:${line}:${column}:`)} ${paint.severity(`${severity}:`)} ${paint.strong(message)}`,
    ...frame(start, end, '^', '', paint.mark),
    ...labels.flatMap((label) => frame(label.start, label.end, '-', label.text, paint.dim)),
    ...(hint === '' ? [] : [`${' '.repeat(gutter)}hint: ${hint}`]),
  ].join('\n');
}

/** The line that contains `from`, with its number, and the marks below it. */
function excerpt(
  text: string,
  starts: number[],
  from: number,
  to: number,
  sign: string,
  note: string,
  gutter: number,
  paint: Style,
  mark: Paint,
): string[] {
  const { line, column } = positionAt(starts, from);
  const lineStart = starts[line - 1];
  const lineEnd = (starts[line] ?? text.length + 1) - 1;
  const source = text.slice(lineStart, lineEnd).replace(/\r$/, '');
  const { shown, offset } = window(source, column - 1);
  const width = Math.max(1, Math.min(to, lineEnd) - from);
  const indent = blanksLike(shown.slice(0, column - 1 - offset));
  const marks = sign.repeat(Math.min(width, Math.max(1, shown.length - (column - 1 - offset))));
  const bar = paint.dim('|');
  return [
    `${paint.dim(String(line).padStart(gutter))} ${bar} ${printable(shown)}`,
    `${' '.repeat(gutter)} ${bar} ${indent}${mark(marks)}${note === '' ? '' : ` ${note}`}`,
  ];
}

/** The part of a long line around `column`. */
function window(source: string, column: number): { shown: string; offset: number } {
  if (source.length <= MAX_WIDTH) return { shown: source, offset: 0 };
  const offset = Math.max(0, Math.min(column - MAX_WIDTH / 2, source.length - MAX_WIDTH));
  return { shown: source.slice(offset, offset + MAX_WIDTH), offset };
}

/** White space as wide as `text` when printed: tabs stay tabs. */
function blanksLike(text: string): string {
  return printable(text).replace(/[^\t]/g, ' ');
}

/** Replaces each character that would disturb a terminal by one visible character. */
function printable(text: string): string {
  return text.replace(
    /[\0-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]/gu,
    '\ufffd',
  );
}

/** A diagnostic in the form that editors use: line and column, both from 1. */
export interface JsonDiagnostic {
  file: string;
  code: string;
  severity: Diagnostic['severity'];
  message: string;
  hint: string;
  range: JsonRange;
  related: { range: JsonRange; message: string }[];
}

interface JsonRange {
  start: { line: number; column: number };
  end: { line: number; column: number };
}

export function diagnosticToJson(
  { file, code, severity, message, hint, start, end, labels }: Diagnostic,
  text: string,
): JsonDiagnostic {
  const starts = lineStarts(text);
  const range = (from: number, to: number): JsonRange => ({
    start: positionAt(starts, from),
    end: positionAt(starts, to),
  });
  return {
    file,
    code,
    severity,
    message,
    hint,
    range: range(start, end),
    related: labels.map((label) => ({ range: range(label.start, label.end), message: label.text })),
  };
}
