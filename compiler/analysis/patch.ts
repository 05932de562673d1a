import { HERE } from './scopes.js';

/** A text in which a name stands at the place where one is being written. */
export interface Patched {
  text: string;
  /** Start of the word that is being written. */
  start: number;
  /** What of the word stands before the cursor. */
  word: string;
}

const WORD_BEFORE = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[?!]?$/;
const WORD_AFTER = /^[\w\u0080-\uffff]*[?!]?(?!=)/;
const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Brackets and quotes that are open at the end of a part of a line, in the order in which they must be closed. */
function openAtEnd(part: string): string {
  const open: string[] = [];
  for (let i = 0; i < part.length; i++) {
    const c = part[i];
    const top = open.at(-1);
    if (top === '"') {
      if (c === '\\') i++;
      else if (c === '"') open.pop();
      else if (c === '#' && part[i + 1] === '{') {
        open.push('}');
        i++;
      }
    } else if (top === "'") {
      if (c === '\\') i++;
      else if (c === "'") open.pop();
    } else if (c === '#') break;
    else if (c === '"' || c === "'") open.push(c);
    else if (c in CLOSER) open.push(CLOSER[c]);
    else if (c === top) open.pop();
  }
  return open.reverse().join('');
}

/** The line around an offset: its start, and its end without the line break. */
export function lineAround(text: string, offset: number): { start: number; end: number } {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const next = text.indexOf('\n', offset);
  const end = next < 0 ? text.length : next;
  return { start, end: end > start && text[end - 1] === '\r' ? end - 1 : end };
}

/** The word before an offset. */
function wordBefore(text: string, offset: number): string {
  return WORD_BEFORE.exec(text.slice(lineAround(text, offset).start, offset))?.[0] ?? '';
}

/**
 * Texts to parse in place of one that is being written, the most likely one first: with a name at the cursor; with
 * brackets of the line closed; with nothing else in the line.
 */
export function* patches(text: string, offset: number): Generator<Patched> {
  const line = lineAround(text, offset);
  const before = text.slice(line.start, offset);
  const word = wordBefore(text, offset);
  const start = offset - word.length;
  const after = text.slice(offset, line.end);
  const rest = after.replace(WORD_AFTER, '');
  const head = text.slice(0, start);
  const tail = text.slice(line.end);
  const open = openAtEnd(before);
  const isClosed = openAtEnd(`${before}${rest}`).length < open.length || open === '';
  if (isClosed) yield { text: `${head}${HERE}${rest}${tail}`, start, word };
  // A label or an operator may follow: `f(a, name: 1`.
  yield { text: `${head}${HERE}${open}${tail}`, start, word };
  if (!isClosed) yield { text: `${head}${HERE}${rest}${tail}`, start, word };
  const chain = /(?:[A-Za-z_]\w*[?!]?\s*&?\.\s*)+$/.exec(text.slice(line.start, start))?.[0] ?? '';
  const indent = /^[ \t]*/.exec(before)?.[0] ?? '';
  const lead = `${indent}${chain}`;
  const padding = ' '.repeat(Math.max(0, start - line.start - lead.length));
  yield { text: `${text.slice(0, line.start)}${padding}${lead}${HERE}${tail}`, start, word };
}
