import { ESCAPED_SLASH, parsePattern, type Segment } from './pattern.js';

/** Why a path cannot be built. */
export class PathProblem extends Error {}

/** Encodes a text as a part of one path segment (RFC 3986 3.3). */
function encodePart(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(?:2B|24|26|2C|3B|3D|3A|40)/g, decodeURIComponent)
    .replaceAll("'", '%27');
}

function encodeLiteral(text: string): string {
  return text.split(ESCAPED_SLASH).map(encodePart).join('%2F');
}

/** The path that matches a pattern with values for its parameters. @throws PathProblem for a value that cannot stand there */
export function buildPath(pattern: string, valueOf: (name: string) => string): string {
  const { segments, names } = parsePattern(pattern);
  let used = 0;
  const value = (isRest: boolean): string => {
    const name = names[used++];
    const text = checkedText(name, valueOf(name));
    if (text.includes('\0')) throw new PathProblem(`${name} contains a NUL`);
    if (text === '' && !isRest) throw new PathProblem(`${name} must not be empty`);
    return text;
  };
  return segments.map((segment) => `/${checkedSegment(segment, value)}`).join('');
}

function checkedSegment(segment: Segment, value: (isRest: boolean) => string): string {
  const text = segmentText(segment, value);
  // Clients resolve such segments before they send a path, even when they are percent-encoded.
  if (segment.kind !== 'literal' && /(?:^|\/)\.\.?(?:\/|$)/.test(text))
    throw new PathProblem(`clients remove the segments "." and ".." from a path`);
  return text;
}

function segmentText(segment: Segment, value: (isRest: boolean) => string): string {
  switch (segment.kind) {
    case 'literal':
      return encodeLiteral(segment.text);
    case 'param':
      return encodePart(value(false));
    case 'rest':
      return value(true).split('/').map(encodePart).join('/');
    case 'parts': {
      const [first, ...others] = segment.literals;
      return encodeLiteral(first) + others.map((literal) => encodePart(value(false)) + encodeLiteral(literal)).join('');
    }
  }
}

/** The query of pairs, without its `?`. @throws PathProblem */
export function buildQuery(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, text]) => `${encodeQuery(name, name)}=${encodeQuery(name, text)}`).join('&');
}

function encodeQuery(name: string, text: string): string {
  return encodeURIComponent(checkedText(name, text)).replaceAll("'", '%27');
}

function checkedText(name: string, text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new PathProblem(`${name} contains half a character (a lone surrogate)`);
  return text;
}
