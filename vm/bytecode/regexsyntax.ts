const HEX = '0-9a-fA-F';
/**
 * Ruby's anchors in V8's terms. Only `\n` ends a line; `^` does not match behind the last one of a text, `$` matches before it as well. In an expression with
 * `^` V8's flag m is on: its own `^` and `$` are quick to find and more than enough, what stands behind them leaves out other ends of lines.
 */
export const LINE_START = '^(?<![^\\n]|\\n(?![^]))';
export const LINE_END = '$(?![^\\n])';
export const TEXT_START = '^(?<![^])';
export const TEXT_END = '$(?![^])';
/** `$` without the flag m. */
export const PLAIN_LINE_END = '(?=\\n|$)';
const ESCAPES: Record<string, string> = { A: TEXT_START, z: TEXT_END, Z: `(?=\\n?${TEXT_END})`, h: `[${HEX}]` };
const ESCAPES_WITHOUT_LINES: Record<string, string> = { A: '^', z: '$', Z: '(?=\\n?$)', h: `[${HEX}]` };
const POSIX: Record<string, string> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: HEX,
  word: '\\w',
};

/** Escapes and classes as wholes; every other character for itself. */
const PART = /\\[\s\S]|\[(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|[\s\S]/g;

/** Whether an expression has `^`, so that it needs the flag m. */
function hasLineStarts(source: string): boolean {
  return (source.match(PART) ?? []).some((part) => part === '^');
}

/** Ruby's escapes, anchors and POSIX classes in JavaScript's terms. */
function translate(source: string, lines: boolean, dotAll: boolean): string {
  const escapes = lines ? ESCAPES : ESCAPES_WITHOUT_LINES;
  let inClass = false;
  return source.replace(
    /\\([\s\S])|\[:(\w+):\]|[[\]^.]|\$(?![*+?]|\{\d)/g,
    (all, escape: string | undefined, name: string | undefined) => {
      if (escape !== undefined) return inClass ? (escape === 'h' ? HEX : all) : (escapes[escape] ?? all);
      if (name !== undefined && inClass) return POSIX[name] ?? all;
      if (all === '[') inClass = true;
      else if (all === ']') inClass = false;
      else if (!inClass)
        return all === '^' ? LINE_START : all === '$' ? (lines ? LINE_END : PLAIN_LINE_END) : dotAll ? all : '[^\\n]';
      return all;
    },
  );
}

/** Flag `x`: blanks and comments outside classes do not count. */
function stripExtended(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) =>
    /^(\s|#)/.test(part) ? '' : part,
  );
}

/** Characters outside the basic plane and property escapes need V8's Unicode mode. */
function needsUnicode(text: string): boolean {
  return /[\ud800-\udfff]|\\[pP]\{|\\u\{/.test(text);
}

/** Unicode mode refuses escapes without need, and brackets that are not escaped. */
export function strictSyntax(source: string): string {
  return source.replace(
    /\\([\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[{}\]]/g,
    (part, escaped: string | undefined) => {
      if (escaped !== undefined) return /[\w^$\\.*+?()[\]{}|/]/.test(escaped) ? part : escaped;
      if (part[0] === '[')
        return part.replace(/\\([\s\S])/g, (all, inner: string) =>
          /[\w^$\\.*+?()[\]{}|/-]/.test(inner) ? all : inner,
        );
      return part.length === 1 ? `\\${part}` : part;
    },
  );
}

/** An expression in JavaScript's terms. */
export interface JsSyntax {
  source: string;
  flags: string;
}

/** An expression in JavaScript's syntax. Svc's is the same plus `\A \z \Z \h` and POSIX classes; flags and anchors are Ruby's. */
export function toJavaScript(source: string, flags: string): JsSyntax {
  const plain = flags.includes('x') ? stripExtended(source) : source;
  const lines = hasLineStarts(plain);
  const dotAll = /[ms]/.test(flags);
  const text = translate(plain, lines, dotAll);
  return {
    source: text,
    flags: `${lines ? 'm' : ''}${dotAll ? 's' : ''}${flags.includes('i') ? 'i' : ''}${needsUnicode(text) ? 'u' : ''}`,
  };
}

/** Longest expression, and how deep groups may be nested: V8 takes longer than linear for larger ones, or gives up. */
const MOST_CHARACTERS = 1 << 15;
const MOST_NESTED = 250;

/** How deep groups are nested. */
function depth(source: string): number {
  let [open, most] = [0, 0];
  for (const part of source.match(PART) ?? []) {
    if (part === '(') most = Math.max(most, ++open);
    else if (part === ')') open--;
  }
  return most;
}

/** Why an expression is none, or null when it is one. */
export function regexProblem(source: string, flags: string): string | null {
  if (source.length > MOST_CHARACTERS)
    return `bad regular expression: it has ${source.length} characters, the most are ${MOST_CHARACTERS}`;
  if (depth(source) > MOST_NESTED)
    return `bad regular expression: its groups are nested deeper than ${MOST_NESTED} levels`;
  const js = toJavaScript(source, flags);
  try {
    new RegExp(js.source, js.flags);
    return null;
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, '').replace(/^\/.*\/\w*: /s, '');
    return `bad regular expression /${source}/: ${reason}`;
  }
}
