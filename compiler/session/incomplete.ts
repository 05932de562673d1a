import { problemsOf } from '../parse.js';

/** Errors that say that something has no end; the text that follows may hold it. */
const OPEN = new Set([
  'unterminated-string',
  'unterminated-heredoc',
  'unterminated-words',
  'unterminated-interpolation',
]);
/** Errors that are reported where the text ends too early. */
const AT_END = new Set(['unclosed-block', 'unclosed-bracket', 'syntax-error']);
/** Whether all errors of a text could be those of an unfinished one. */
export function isIncomplete(text: string): boolean {
  const isAtEnd = (start: number): boolean => text.slice(start).replace(/#.*/g, '').trim() === '';
  return problemsOf(text).every(({ code, start }) => OPEN.has(code) || (AT_END.has(code) && isAtEnd(start)));
}
