const HEX = '0-9a-fA-F';
const ESCAPES: Record<string, string> = { A: '(?<![\\s\\S])', z: '(?![\\s\\S])', Z: '(?=\\n?(?![\\s\\S]))', h: `[${HEX}]` };
/** Where nothing means the ends of lines, `^` and `$` can mean the text's: V8's linear engine knows no lookarounds. */
const ESCAPES_WITHOUT_LINES: Record<string, string> = { ...ESCAPES, A: '^', z: '$' };
const POSIX: Record<string, string> = {
  alpha: 'A-Za-z', digit: '0-9', alnum: 'A-Za-z0-9', upper: 'A-Z', lower: 'a-z', space: '\\s', punct: '!-\\/:-@\\[-`{-~', xdigit: HEX, word: '\\w',
};

/** Escapes and classes as wholes; every other character for itself. */
const PART = /\\[\s\S]|\[(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|[\s\S]/g;

/** Whether an expression has `^` or `$`, which match at lines, so that it needs the flag m. */
function hasLineAnchors(source: string): boolean {
  return (source.match(PART) ?? []).some((part) => part === '^' || part === '$');
}

/** Ruby's escapes and POSIX classes in JavaScript's terms. */
function translate(source: string, lines: boolean): string {
  const escapes = lines ? ESCAPES : ESCAPES_WITHOUT_LINES;
  let inClass = false;
  return source.replace(/\\([\s\S])|\[:(\w+):\]|[[\]]/g, (all, escape: string | undefined, name: string | undefined) => {
    if (escape !== undefined) return inClass ? (escape === 'h' ? HEX : all) : (escapes[escape] ?? all);
    if (name !== undefined && inClass) return POSIX[name] ?? all;
    inClass = all !== ']';
    return all;
  });
}

/** Flag `x`: blanks and comments outside classes do not count. */
function stripExtended(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) => (/^(\s|#)/.test(part) ? '' : part));
}

/** Characters outside the basic plane and property escapes need V8's Unicode mode. */
function needsUnicode(text: string): boolean {
  return /[\ud800-\udfff]|\\[pP]\{|\\u\{/.test(text);
}

/** Unicode mode refuses escapes without need, and brackets that are not escaped. */
export function strictSyntax(source: string): string {
  return source.replace(/\\([\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[{}\]]/g, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return /[\w^$\\.*+?()[\]{}|/]/.test(escaped) ? part : escaped;
    if (part[0] === '[') return part.replace(/\\([\s\S])/g, (all, inner: string) => (/[\w^$\\.*+?()[\]{}|/-]/.test(inner) ? all : inner));
    return part.length === 1 ? `\\${part}` : part;
  });
}

/** What an expression is in JavaScript's terms: its source, and its flags but for i. */
export interface JsSyntax {
  source: string;
  flags: string;
  ignoresCase: boolean;
  unicode: boolean;
}

/**
 * An expression in JavaScript's syntax. Svc's is the same plus `\A \z \Z \h` and POSIX classes; `m` lets `.` match newlines, as in Ruby, and `^ $`
 * always match at lines.
 */
export function toJavaScript(source: string, flags: string): JsSyntax {
  const plain = flags.includes('x') ? stripExtended(source) : source;
  const lines = hasLineAnchors(plain);
  const text = translate(plain, lines);
  const unicode = needsUnicode(text);
  return { source: text, flags: `${lines ? 'm' : ''}${/[ms]/.test(flags) ? 's' : ''}${unicode ? 'u' : ''}`, ignoresCase: flags.includes('i'), unicode };
}

/** Why an expression is none, or null when it is one. */
export function regexProblem(source: string, flags: string): string | null {
  const js = toJavaScript(source, flags);
  try {
    new RegExp(js.source, js.flags);
    return null;
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, '').replace(/^\/.*\/\w*: /s, '');
    return `bad regular expression /${source}/: ${reason}`;
  }
}
