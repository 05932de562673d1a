import { type Problem, problem } from './diagnostics/problem.js';

/** Maximum length of a source text in UTF-16 units; parsing that takes two or three seconds. */
export const MAX_SOURCE = 4_000_000;
const MAX_REPORTED = 10;

const LONE_SURROGATE = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';
const FORBIDDEN = new RegExp(`\\0|\\r(?!\\n)|[\\u202a-\\u202e\\u2066-\\u2069]|${LONE_SURROGATE}`, 'g');

/** A text that the lexer accepts, with the same length so that offsets stay valid, and the problems found in it. */
export interface Source {
  text: string;
  problems: Problem[];
}

/** Replaces a byte order mark and forbidden characters by others, and reports the latter. */
export function prepareSource(original: string): Source {
  if (original.length > MAX_SOURCE) {
    return { text: '', problems: [problem('file-too-large', `the file has more than ${MAX_SOURCE} characters`, 0, 0)] };
  }
  const text = original.startsWith('\ufeff') ? ` ${original.slice(1)}` : original;
  const problems: Problem[] = [];
  const clean = text.replace(FORBIDDEN, (character: string, at: number) => {
    if (
      problems.length < MAX_REPORTED &&
      !(character === '\r' && problems.some(({ code }) => code === 'lone-carriage-return'))
    ) {
      problems.push(describe(character, at));
    }
    return character === '\r' ? '\n' : ' ';
  });
  return { text: clean, problems };
}

function describe(character: string, at: number): Problem {
  const end = at + 1;
  const number = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (character === '\0')
    return problem('nul-character', 'the text holds a NUL character', at, end, [], 'in a string write `\\0`');
  if (character === '\r')
    return problem(
      'lone-carriage-return',
      'this line ends with a carriage return alone',
      at,
      end,
      [],
      'save the file with line ends LF or CRLF',
    );
  if (/[\ud800-\udfff]/.test(character))
    return problem(
      'invalid-text',
      `half of a surrogate pair (${number}) is not a character`,
      at,
      end,
      [],
      'save the file as UTF-8',
    );
  return problem(
    'bidi-control',
    `the invisible character ${number} changes the text direction and can hide code`,
    at,
    end,
    [],
    `in a string write \`\\u{${character.charCodeAt(0).toString(16)}}\``,
  );
}
