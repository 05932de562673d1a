import type { Expr, FieldMatch, MatchPattern, NameMatch, RestMatch } from './ast.js';

type Part = MatchPattern | RestMatch | FieldMatch;
type Options = readonly MatchPattern[];

/**
 * Calls `value` for each expression in a pattern and `name` for each variable that it assigns, in source order, and
 * `alternatives`, if given, instead of entering alternatives.
 */
export function eachPart(
  pattern: Part,
  value: (node: Expr) => void,
  name: (node: NameMatch) => void,
  alternatives?: (options: Options) => void,
): void {
  const inner = (part: Part): void => eachPart(part, value, name, alternatives);
  switch (pattern.type) {
    case 'ValueMatch':
      value(pattern.value);
      break;
    case 'NameMatch':
      if (pattern.name !== null) name(pattern);
      break;
    case 'NamedMatch':
      inner(pattern.pattern);
      inner(pattern.name);
      break;
    case 'AnyMatch':
      if (alternatives === undefined) pattern.options.forEach(inner);
      else alternatives(pattern.options);
      break;
    case 'VectorMatch':
      pattern.items.forEach(inner);
      break;
    case 'RestMatch':
      inner(pattern.name);
      break;
    case 'HashMatch':
      pattern.entries.forEach(inner);
      if (pattern.rest !== null && pattern.rest !== 'none') inner(pattern.rest);
      break;
    case 'FieldMatch':
      inner(pattern.pattern);
      break;
    case 'RecordMatch':
      value(pattern.record);
      pattern.positional.forEach(inner);
      pattern.fields.forEach(inner);
      break;
    case 'Error':
      break;
  }
}

/** The first variable that a pattern assigns twice for one value; null if there is none. Names with `_` may repeat. */
export function repeatedName(pattern: MatchPattern): NameMatch | null {
  let repeated: NameMatch | null = null;
  const visit = (part: MatchPattern, seen: Set<string>): void =>
    eachPart(
      part,
      () => {},
      (node) => {
        const name = node.name as string;
        if (seen.has(name) && !name.startsWith('_')) repeated ??= node;
        seen.add(name);
      },
      (options) => {
        const before = new Set(seen);
        options.forEach((option, i) => visit(option, i === 0 ? seen : new Set(before)));
      },
    );
  visit(pattern, new Set());
  return repeated;
}
