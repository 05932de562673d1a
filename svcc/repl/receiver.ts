/** A part of a chain such as `user.name[0].upcase()`. */
export type Link =
  | { kind: 'name'; name: string }
  | { kind: 'literal'; type: 'String' | 'Integer' | 'Float' | 'Vector' | 'Hash' }
  | { kind: 'member'; name: string }
  | { kind: 'call' }
  | { kind: 'index'; text: string };

const OPENER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Position of the bracket or quote that the character at `at` closes; −1 if there is none. */
function openingOf(text: string, at: number): number {
  const closer = text[at];
  if (closer === '"' || closer === "'") return text.lastIndexOf(closer, at - 1);
  const opener = OPENER[closer];
  let depth = 0;
  for (let i = at; i >= 0; i--) {
    const c = text[i];
    if ((c === '"' || c === "'") && i < at) {
      i = text.lastIndexOf(c, i - 1);
      if (i < 0) return -1;
    } else if (c === closer) depth++;
    else if (c === opener && --depth === 0) return i;
  }
  return -1;
}

/** Position where the name or number that ends before `end` begins. */
function wordStart(text: string, end: number): number {
  let start = end;
  if (/[?!]/.test(text[start - 1] ?? '')) start--;
  while (start > 0 && /\w/.test(text[start - 1])) start--;
  return start;
}

/** The chain at the end of a text, from its first link; null if it is none. */
export function chainBefore(text: string): Link[] | null {
  const links: Link[] = [];
  let end = text.length;
  for (;;) {
    const last = text[end - 1] ?? '';
    if (/["')\]}]/.test(last)) {
      const start = openingOf(text, end - 1);
      if (start < 0) return null;
      const isPostfix = /[\w?!)\]]/.test(text[start - 1] ?? '');
      const link = bracketed(text.slice(start, end), isPostfix);
      if (link === null) return null;
      links.unshift(link);
      if (!isPostfix) return links;
      end = start;
      continue;
    }
    const start = wordStart(text, end);
    if (start === end) return null;
    const word = text.slice(start, end);
    const dot = /&?\.$/.exec(text.slice(0, start))?.[0] ?? '';
    if (/^\d/.test(word)) return [number(text, start, word), ...links];
    if (dot === '' || text[start - dot.length - 1] === '.') return [{ kind: 'name', name: word }, ...links];
    links.unshift({ kind: 'member', name: word });
    end = start - dot.length;
  }
}

/** `1` or the `5` of `2.5`. */
function number(text: string, start: number, word: string): Link {
  return { kind: 'literal', type: /\d\.$/.test(text.slice(0, start)) || word.includes('.') ? 'Float' : 'Integer' };
}

function bracketed(text: string, isPostfix: boolean): Link | null {
  switch (text[0]) {
    case '"':
    case "'":
      return isPostfix ? null : { kind: 'literal', type: 'String' };
    case '[':
      return isPostfix ? { kind: 'index', text: text.slice(1, -1) } : { kind: 'literal', type: 'Vector' };
    case '(':
      return isPostfix ? { kind: 'call' } : null;
    default:
      return isPostfix ? null : { kind: 'literal', type: 'Hash' };
  }
}
