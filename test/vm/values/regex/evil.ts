function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const of =
  (text: string) =>
  (n: number): string =>
    repeated(text, n);

/** Expressions that take V8 more than linear time, and a text of n characters that shows it. */
// prettier-ignore
export const EVIL: readonly (readonly [source: string, text: (n: number) => string])[] = [
  // Quadratic, from all starts.
  ['\\s+(?![\\s\\S])', (n) => `${repeated(' ', n)}x`], ['\\s*,\\s*', of(' ')], ['[\\w.]+@[\\w.]+\\.\\w+', of('ab.')], ['\\w+:', of('a')],
  ['a*b', of('a')], ['\\w+@\\w+', of('a')], ['\\d+px', of('1')], ['"[^"]*"x', of('"')], ['<!--[\\s\\S]*?-->', of('<!--')],
  ['\\/\\*[\\s\\S]*?\\*\\/', of('/*')], ['\\[[^\\]]*\\]\\(', of('[')], ['[^,]*,$', of('a')], ['\\([^()]*\\)', of('(')],
  ['[a-z]+\\d+$', of('a')], ['\\s+$', (n) => `${repeated(' ', n)}x`], ['.*=.*', of('a')], ['(\\w+)\\s*=\\s*"([^"]*)"', of('a ')], ['(?:\\r?\\n)*x', of('\n')],
  // Powers of one attempt.
  ['^\\s*(.*?)\\s*;$', of(' ')], ['(.*)(.*)(.*)x', of('a')], ['a*a*b', of('a')], ['\\w*\\d*\\w*!', of('1')], ['<a [^>]*href="([^"]*)"[^>]*>', of('<a href=""')],
  ['^(.*),(.*),(.*)x$', of(',')], ['.*\\d+.*;', of('1')], ['\\s*#\\s*.*\\s*!', of(' # ')], ['.*.*=.*', of('a')],
  // Exponential.
  ['(a+)+c', of('a')], ['(a|aa)+$', (n) => `${repeated('a', n)}b`], ['(a|a)*b', of('a')], ['(\\w+\\s?)+!', of('ab ')], ['^(([a-z])+.)+[A-Z]([a-z])+$', of('a')],
  ['([a-zA-Z0-9]+)*;', of('a')], ['((a*)*)*b', of('a')], ['(?:.*,)*x', of(',')], ['(x+x+)+y', of('x')], ['^(?:\\w+[-.]?)+@', of('a')], ['(?:(?:(.)*){2,})*X', of('a')],
  // Exponential in the number of choices, for any text.
  [`${'a?'.repeat(28)}${'a'.repeat(28)}X`, of('a')], [`${'(?:a|a)'.repeat(28)}X`, of('a')], ['(?:|){30}X', of('a')], ['(?:a?){30}a{30}X', of('a')],
  // With lookaround.
  ['(?=(a+)+b)a', of('a')], ['\\w+(?=:)', of('a')], ['(?<!x\\w*)y', (n) => `x${repeated('ay', n)}`], ['(?=.*\\d.*\\d.*!)\\w+', of('a1')], ['a(?=[\\s\\S]*z)(?![\\s\\S]*q)', (n) => `${repeated('a', n)}z`],
  ['(?=a)(?:(?:(.)*){2,})*X', of('a')], ['(?:(?=a*b)a)+c', of('a')],
  // With back-references.
  ['(a*)*\\1b', of('a')], ['^(a+)+\\1$', (n) => `${repeated('a', n)}b`], ['(.*)\\1x', of('ab')],
  // Many matches, each with a long lookahead.
  ['a[\\s\\S]*z|a', of('a')], ['a+?(?:a*b)?', of('a')],
];
