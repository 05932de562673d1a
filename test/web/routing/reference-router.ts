/** A slow, simple router for comparison: it tries every route on every path and ranks those that match. */

type Token = { literal: string } | { name: string };
interface Route {
  segments: Token[][];
  rest: string | null;
}

const isNameCharacter = (char: string): boolean =>
  char === '_' || char.toLowerCase() !== char.toUpperCase() || (char >= '0' && char <= '9');

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = [];
  let literal = '';
  for (let i = 0; i < segment.length; i++) {
    if (segment[i] !== ':') {
      literal += segment[i];
      continue;
    }
    let name = '';
    while (i + 1 < segment.length && isNameCharacter(segment[i + 1])) name += segment[++i];
    if (literal !== '') tokens.push({ literal: decodeURIComponent(literal) });
    literal = '';
    tokens.push({ name });
  }
  if (literal !== '') tokens.push({ literal: decodeURIComponent(literal) });
  return tokens;
}

function routeOf(pattern: string): Route {
  const texts = pattern.slice(1).split('/');
  const last = texts[texts.length - 1];
  const rest = last.startsWith('*') ? last.slice(1) || 'splat' : null;
  return { segments: (rest === null ? texts : texts.slice(0, -1)).map(tokensOf), rest };
}

/** Texts of the parameters, each except the last as short as possible; null if the pattern does not match. */
function matchTokens(tokens: Token[], text: string): string[] | null {
  const [first, ...others] = tokens;
  if (first === undefined) return text === '' ? [] : null;
  if ('literal' in first)
    return text.startsWith(first.literal) ? matchTokens(others, text.slice(first.literal.length)) : null;
  for (let length = 1; length <= text.length; length++) {
    const values = matchTokens(others, text.slice(length));
    if (values !== null) return [text.slice(0, length), ...values];
  }
  return null;
}

function matchRoute({ segments, rest }: Route, texts: string[]): string[] | null {
  if (rest === null ? texts.length !== segments.length : texts.length <= segments.length) return null;
  const values: string[] = [];
  for (const [i, tokens] of segments.entries()) {
    const found = matchTokens(tokens, texts[i]);
    if (found === null) return null;
    values.push(...found);
  }
  return rest === null ? values : [...values, texts.slice(segments.length).join('/')];
}

/** Sort key; smaller is more specific: literal, then parts (more text, then a longer beginning), then parameter. */
function rankOf(tokens: Token[]): (number | string)[] {
  const literals = tokens.flatMap((token) => ('literal' in token ? [token.literal] : []));
  if (literals.length === tokens.length) return [0];
  if (literals.length === 0) return [2];
  // The router's view: the texts around the parameters, possibly "", with NUL for slashes that are data.
  const around = [''];
  for (const token of tokens) {
    if ('literal' in token) around[around.length - 1] = token.literal.replaceAll('/', '\0');
    else around.push('');
  }
  return [1, -around.join('').length, -around[0].length, JSON.stringify(around)];
}

function compareRanks(a: Route, b: Route): number {
  const [left, right] = [a, b].map(({ segments, rest }) =>
    [...segments.map(rankOf), ...(rest === null ? [] : [[3]])].flat(),
  );
  for (let i = 0; i < Math.min(left.length, right.length); i++)
    if (left[i] !== right[i]) return left[i] < right[i] ? -1 : 1;
  return 0;
}

const namesOf = ({ segments, rest }: Route): string[] => [
  ...segments.flat().flatMap((token) => ('name' in token ? [token.name] : [])),
  ...(rest === null ? [] : [rest]),
];

/** The index of the winning pattern with its parameters, null, or 'bad'. */
export function referenceFind(
  patterns: string[],
  path: string,
): { value: number; names: string[]; values: string[] } | null | 'bad' {
  let texts: string[];
  try {
    texts = path.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return 'bad';
  }
  if (texts.some((text) => text.includes('\0'))) return 'bad';
  const found = patterns.flatMap((pattern, value) => {
    const route = routeOf(pattern);
    const values = matchRoute(route, texts);
    return values === null ? [] : [{ route, value, values }];
  });
  if (found.length === 0) return null;
  const { route, value, values } = found.reduce((best, other) =>
    compareRanks(other.route, best.route) < 0 ? other : best,
  );
  return { value, names: namesOf(route), values };
}
