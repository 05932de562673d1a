const HEX = '0-9a-fA-F';
/**
 * Ruby's anchors in V8's syntax. Only `\n` ends a line. `^` does not match after a `\n` at the end of the text; `$`
 * also matches before it. If an expression has `^`, V8's flag m is set: V8 finds its own `^` and `$` fast, but they
 * also match at other line ends, which the lookarounds exclude.
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

/** Splits an expression into tokens: escapes and classes as a whole, all other characters singly. */
const PART = /\\[\s\S]|\[(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|[\s\S]/g;

/** Whether an expression contains `^`, so that it needs the flag m. */
function hasLineStarts(source: string): boolean {
  return (source.match(PART) ?? []).some((part) => part === '^');
}

/** Translates Ruby's escapes, anchors and POSIX classes to JavaScript. */
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

/** For the flag `x`: removes whitespace and comments outside classes. */
function stripExtended(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) =>
    /^(\s|#)/.test(part) ? '' : part,
  );
}

/** Whether V8's Unicode mode is needed: for characters outside the basic plane and property escapes. */
function needsUnicode(text: string): boolean {
  return /[\ud800-\udfff]|\\[pP]\{|\\u\{/.test(text);
}

/** Rewrites an expression for Unicode mode, which rejects unnecessary escapes and unescaped brackets. */
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

/** An expression in JavaScript's syntax. */
export interface JsSyntax {
  source: string;
  flags: string;
}

/**
 * Translates an expression to JavaScript's syntax. Svc's syntax is the same plus `\A \z \Z \h` and POSIX classes; flags
 * and anchors are Ruby's.
 */
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

/**
 * Maximum length of an expression, and maximum nesting of groups: beyond that V8 takes more than linear time, or gives
 * up.
 */
const MAX_CHARACTERS = 1 << 15;
const MAX_GROUP_DEPTH = 250;

/** Nesting depth of the groups. */
function depth(source: string): number {
  let [open, most] = [0, 0];
  for (const part of source.match(PART) ?? []) {
    if (part === '(') most = Math.max(most, ++open);
    else if (part === ')') open--;
  }
  return most;
}

/** Describes why an expression is invalid; null if it is valid. */
export function regexProblem(source: string, flags: string): string | null {
  if (source.length > MAX_CHARACTERS)
    return `bad regular expression: it has ${source.length} characters, the maximum is ${MAX_CHARACTERS}`;
  if (depth(source) > MAX_GROUP_DEPTH)
    return `bad regular expression: its groups are nested deeper than ${MAX_GROUP_DEPTH} levels`;
  const js = toJavaScript(source, flags);
  try {
    new RegExp(js.source, js.flags);
    return null;
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, '').replace(/^\/.*\/\w*: /s, '');
    return `bad regular expression /${source}/: ${reason}`;
  }
}
