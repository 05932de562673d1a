import { parse } from '../../compiler/parse.js';
import { tokenize } from '../../compiler/layout/tokenize.js';
import { formatText } from '../../svcc/fmt/format.js';
import { commentsOf } from '../../svcc/fmt/verify.js';

const POSITIONS: ReadonlySet<string> = new Set(['start', 'end', 'nameStart', 'opStart']);

/** The syntax tree of a program as a text, without positions; null if it does not parse. */
export function treeOf(text: string): string | null {
  const { module, diagnostics } = parse('program.svc', text);
  if (diagnostics.length > 0) return null;
  return JSON.stringify(module.stmts, (key, value: unknown) => {
    if (POSITIONS.has(key)) return undefined;
    if (typeof value === 'bigint') return `${value}n`;
    // Types of requests have names that contain their positions.
    return key === 'name' && typeof value === 'string' ? value.replace(/@\d+$/, '@') : value;
  });
}

function comments(text: string): string {
  return JSON.stringify(commentsOf(text, tokenize(text).tokens));
}

function printed(text: string): string {
  const formatted = formatText(text, 'program.svc');
  if (!('text' in formatted)) throw new Error(formatted.diagnostics.map(({ message }) => message).join('; '));
  return formatted.text;
}

/** The first law of the formatter that a correct program breaks; null if it keeps all. */
function brokenLaw(source: string): string | null {
  const text = source.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const result = printed(source);
  if (treeOf(result) !== treeOf(text)) return 'the tree differs';
  if (comments(result) !== comments(text)) return 'the comments differ';
  const again = printed(result);
  if (again !== result) {
    const lines = again.split('\n');
    const at = result.split('\n').findIndex((line, index) => line !== lines[index]);
    return `formatting twice changes line ${at + 1}: ${result.split('\n')[at]} → ${lines[at]}`;
  }
  return null;
}

/** Runs the laws, and reports an exception of the formatter as a broken law. */
export function verdict(source: string): string | null {
  try {
    return brokenLaw(source);
  } catch (error) {
    return String(error);
  }
}
