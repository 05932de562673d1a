import { classEnd } from './regexclasses.js';
import { BadRegex, Translator } from './regextranslator.js';

/** A `^` that is probably an anchor. */
const ANCHOR = /(?<![\\[])\^/;

/** Whether V8's Unicode mode is needed: for characters outside the basic plane and property escapes. */
function needsUnicode(text: string): boolean {
  return /[\ud800-\udfff]|\\[pP]\{|\\u\{/.test(text);
}

/** Rewrites an expression for Unicode mode, which rejects unnecessary escapes and unescaped brackets. */
export function strictSyntax(source: string): string {
  return source.replace(
    /\\(?:[pPu]\{[^}]*\}|([\s\S]))|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[{}\]]/g,
    (part, escaped: string | undefined) => {
      if (escaped !== undefined) return /[\w^$\\.*+?()[\]{}|/]/.test(escaped) ? part : escaped;
      if (part[0] === '\\') return part;
      if (part[0] === '[')
        return part.replace(/\\([\s\S])/g, (all, inner: string) =>
          /[\w^$\\.*+?()[\]{}|/-]/.test(inner) ? all : inner,
        );
      return part.length === 1 ? `\\${part}` : part;
    },
  );
}

/** An expression in JavaScript's syntax. */
interface JsSyntax {
  source: string;
  flags: string;
}

/**
 * Translates an expression to JavaScript's syntax. Svc's syntax is Ruby's, except for what only its engine can do; flags
 * and anchors are Ruby's.
 * @throws BadRegex for syntax that is not translated
 */
function toJavaScript(source: string, flags: string): JsSyntax {
  // Mostly right, and then one translation is enough.
  const guess = { lines: ANCHOR.test(source), regardsCase: false, ignoresCase: false };
  const first = new Translator(source, flags, guess);
  const { facts, mixed } = first;
  let text = first.translate();
  const spelled = facts.regardsCase && facts.ignoresCase;
  if (facts.lines !== guess.lines || spelled) text = new Translator(source, flags, facts).translate();
  const unicode = needsUnicode(text);
  const ignoresCase = mixed ? facts.ignoresCase && !facts.regardsCase : flags.includes('i');
  return {
    source: unicode ? strictSyntax(text) : text,
    flags: `${facts.lines ? 'm' : ''}${/[ms]/.test(flags) ? 's' : ''}${ignoresCase ? 'i' : ''}${unicode ? 'u' : ''}`,
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
  if (!source.includes('(')) return 0;
  let [open, most] = [0, 0];
  for (let at = 0; at < source.length; at++) {
    const c = source[at];
    if (c === '\\') at++;
    else if (c === '[') at = classEnd(source, at) - 1;
    else if (c === '(') most = Math.max(most, ++open);
    else if (c === ')') open--;
  }
  return most;
}

/** Describes why an expression is invalid; null if it is valid. */
export function regexProblem(source: string, flags: string): string | null {
  const compiled = compileSyntax(source, flags);
  return typeof compiled === 'string' ? compiled : null;
}

/** V8's expression for one in Svc's syntax, or a text that describes why it is invalid. */
export function compileSyntax(source: string, flags: string): RegExp | string {
  if (source.length > MAX_CHARACTERS)
    return `bad regular expression: it has ${source.length} characters, the maximum is ${MAX_CHARACTERS}`;
  if (depth(source) > MAX_GROUP_DEPTH)
    return `bad regular expression: its groups are nested deeper than ${MAX_GROUP_DEPTH} levels`;
  try {
    const js = toJavaScript(source, flags);
    return new RegExp(js.source, js.flags);
  } catch (error) {
    const { message } = error as Error;
    const reason =
      error instanceof BadRegex
        ? message
        : message.replace(/^Invalid regular expression: /, '').replace(/^\/.*\/\w*: /s, '');
    return `bad regular expression /${source}/: ${reason}`;
  }
}
