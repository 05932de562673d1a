import type { Expr, FieldMatch, MatchPattern, NameMatch, RestMatch } from './ast.js';

type Part = MatchPattern | RestMatch | FieldMatch;

/** Calls `value` for each expression in a pattern and `name` for each variable that it assigns, in source order. */
export function eachPart(pattern: Part, value: (node: Expr) => void, name: (node: NameMatch) => void): void {
  const inner = (part: Part): void => eachPart(part, value, name);
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
      pattern.options.forEach(inner);
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
