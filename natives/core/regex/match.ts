import { nearest } from '../../../vm/bytecode/nearest.js';
import { pointIndex } from '../../../vm/values/text/codepoints.js';
import type { Regex } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodGroup, type Int } from '../declare.js';
import { withFirst, withSpan, type Found, type Pattern } from './engine.js';

/** The type of match results. */
const MATCH_TYPE = new HandleType('Match');

/** A match of a pattern in a text. Prints as the matched text. */
export class MatchValue extends Handle {
  readonly type = MATCH_TYPE;

  constructor(
    readonly text: string,
    readonly pattern: Pattern,
    readonly found: Found,
  ) {
    super();
  }

  override describe(): string {
    return this.found.groups[0] as string;
  }

  override items(): Value[] {
    return this.found.groups.map(orNil);
  }

  override elementAt(index: Value): Value {
    return this.group(index);
  }

  /** The text of the group with this name. */
  override named(name: string): Value | undefined {
    const names = this.found.names ?? {};
    return Object.hasOwn(names, name) ? orNil(names[name]) : undefined;
  }

  override equals(other: object): boolean {
    return (
      other instanceof MatchValue &&
      other.text === this.text &&
      other.found.start === this.found.start &&
      other.found.end === this.found.end
    );
  }

  /** A group by number or name; nil when it took no part. @throws IndexError for an unknown name */
  group(key: Value): Value {
    if (typeof key === 'number') return orNil(this.found.groups[key < 0 ? key + this.found.groups.length : key]);
    if (typeof key === 'bigint') return null;
    if (typeof key !== 'string') return fail(Errors.TypeError, 'a group is named by Integer or String');
    const names = this.found.names ?? {};
    if (Object.hasOwn(names, key)) return orNil(names[key]);
    const near = nearest(key, Object.keys(names));
    return fail(Errors.IndexError, `no group '${key}'${near === null ? '' : `, did you mean '${near}'?`}`);
  }

  /** Code-point offset of the start (0) or end (1) of a group. */
  offset(vm: NativeContext, group: Int, side: 0 | 1): Value | undefined {
    const n = Number(group);
    const { start, end, groups } = this.found;
    if (n < 0 || n >= groups.length) fail(Errors.IndexError, `no group ${n}`);
    const offset = (span: readonly [number, number] | null): Value =>
      span === null ? null : pointIndex(this.text, span[side]);
    return n === 0 ? offset([start, end]) : withSpan(vm, this.pattern as Regex, this.text, start, n, offset);
  }
}

function orNil(group: string | undefined): Value {
  return group ?? null;
}

/** The first match of `pattern` in `text`, as a value; nil when there is none. */
export function matchValue(vm: NativeContext, text: string, pattern: Pattern): Value | undefined {
  return withFirst(vm, 'match', text, pattern, 0, (found) =>
    found === null ? null : new MatchValue(text, pattern, found),
  );
}

/** Named groups as a hash. */
function named({ found }: MatchValue): Hash {
  return Hash.from(Object.entries(found.names ?? {}).map(([name, group]) => [name, orNil(group)] as const));
}

// prettier-ignore
export const matchMethods = methodGroup('Match', () => [
  ['[]', 'group: Integer|String', 'String?', 'Text of a group by number (0 is the whole match) or name; nil when it took no part.', (_: unknown, match: MatchValue, group: Value) => match.group(group)],
  ['pre pre_match', '', 'String', 'The text before the match.', (_: unknown, { text, found }: MatchValue) => text.slice(0, found.start)],
  ['post post_match', '', 'String', 'The text after the match.', (_: unknown, { text, found }: MatchValue) => text.slice(found.end)],
  ['captures', '', 'Vector', 'Texts of all groups, without the whole match.', (_: unknown, match: MatchValue) => match.items().slice(1)],
  ['named named_captures', '', 'Hash', 'Texts of the named groups by name.', (_: unknown, match: MatchValue) => named(match)],
  ['names', '', 'Vector', 'Names of the named groups.', (_: unknown, match: MatchValue) => named(match).keys()],
  ['begin', 'group: Integer = 0', 'Integer?', 'Index of the first character of a group, by default of the whole match.', (vm: NativeContext, match: MatchValue, group: Int) => match.offset(vm, group, 0)],
  ['end', 'group: Integer = 0', 'Integer?', 'Index after the last character of a group, by default of the whole match.', (vm: NativeContext, match: MatchValue, group: Int) => match.offset(vm, group, 1)],
  ['to_s', '', 'String', 'The text that matched.', (_: unknown, match: MatchValue) => match.describe()],
  ['to_a', '', 'Vector', 'The whole match and all groups.', (_: unknown, match: MatchValue) => match.items()],
  ['length size', '', 'Integer', 'Number of groups, including the whole match.', (_: unknown, match: MatchValue) => match.items().length],
]);
MATCH_TYPE.add(matchMethods);
