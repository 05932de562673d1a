import type { Param } from './ast.js';

/** A type that is certain: the name of a built-in type or of a record, or `Nil`. null: unknown, or one of several. */
export type Known = string | null;

/** The annotation of a parameter or field. A default of `nil` marks an optional one, whatever its type. */
export function annotationOf({ annotation, default: value }: Param): string | null {
  return annotation === null || value?.type !== 'Nil' ? annotation : `${annotation} | nil`;
}

/** Names for built-in types that annotations may use in addition to the types' own. */
const ALIASES: Record<string, string> = {
  Int: 'Integer',
  Str: 'String',
  Bool: 'Boolean',
  Array: 'Vector',
  List: 'Vector',
  Map: 'Hash',
  Dict: 'Hash',
  Proc: 'Function',
  Lambda: 'Function',
  Fn: 'Function',
  nil: 'Nil',
};
/** Names that stand for several types. */
const GROUPS: Record<string, readonly string[]> = {
  Number: ['Integer', 'Float'],
  Num: ['Integer', 'Float'],
  Numeric: ['Integer', 'Float'],
};
const ANYTHING = new Set(['Any', 'Object', 'Value']);
/** Results of natives whose values have more specific types. */
const ABSTRACT = new Set([...ANYTHING, 'Record', 'Error', 'Type', 'Enum', 'self']);

/** Splits a text at a separator that is outside of all brackets. The `>` of `->` closes nothing. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if ('[<('.includes(c)) depth++;
    else if (']>)'.includes(c) && text[i - 1] !== '-') depth--;
    else if (c === separator && depth === 0) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter((part) => part !== '');
}

/** Whether a type is one of functions: `(Int, String) -> Bool`. */
function isFunctionType(text: string): boolean {
  if (!text.startsWith('(')) return false;
  let depth = 0;
  let at = 0;
  do {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    at++;
  } while (depth > 0 && at < text.length);
  return text.slice(at).trimStart().startsWith('->');
}

/** Parts of an annotation such as `Vector<Int> | nil` or `Float?`, with their type arguments; nil is `Nil`. */
function parts(annotation: string): string[] {
  if (isFunctionType(annotation.trim())) return ['Function'];
  return splitOutside(annotation, '|').flatMap((part) => {
    if (part.endsWith('?')) return [...parts(part.slice(0, -1)), 'Nil'];
    return part.startsWith('(') && part.endsWith(')') ? parts(part.slice(1, -1)) : [part];
  });
}

function nameOf(part: string): string {
  return /^[^[<(\s]*/.exec(part)?.[0] ?? '';
}

/** The names of the types that an annotation allows, without their type arguments. */
export function alternatives(annotation: string): string[] {
  return parts(annotation)
    .map(nameOf)
    .filter((name) => name !== '')
    .flatMap((name) => GROUPS[name] ?? [ALIASES[name] ?? name]);
}

/** The names of all types in an annotation, also in type arguments and function types, once each. */
export function namesIn(annotation: string): Set<string> {
  const outer = alternatives(annotation);
  const names = (annotation.match(/[\w\u0080-\uffff]+/g) ?? []).flatMap(
    (name) => GROUPS[name] ?? [ALIASES[name] ?? name],
  );
  // A single letter is a type variable, as in `Vector<T>`.
  return new Set([...outer, ...names.filter((name) => name.length > 1)]);
}

/** The type arguments of an annotation with a single type, nil aside: of `Hash<String, Int>?`, `String` and `Int`. */
export function argumentsOf(annotation: string): string[] {
  const [part, ...others] = parts(annotation).filter((name) => name !== 'Nil');
  const inner = others.length > 0 ? undefined : /^[^[<(]*[[<](.*)[\]>]$/.exec(part ?? '')?.[1];
  return inner === undefined ? [] : splitOutside(inner, ',');
}

/** The type that an annotation names, if it is a single one. */
export function single(annotation: string): Known {
  const names = alternatives(annotation);
  return names.length === 1 && !ABSTRACT.has(names[0]) ? names[0] : null;
}

/** The type of a value of an annotated type that is not nil. */
export function withoutNil(annotation: string): Known {
  const names = alternatives(annotation).filter((name) => name !== 'Nil');
  return names.length === 1 && !ABSTRACT.has(names[0]) ? names[0] : null;
}

export function allowsNil(annotation: string): boolean {
  return alternatives(annotation).includes('Nil');
}

/** Types without subtypes or other names for their handles: a value of such a type has no other type. */
const CONCRETE = new Set([
  'Nil',
  'Boolean',
  'Integer',
  'Float',
  'Decimal',
  'String',
  'Vector',
  'Hash',
  'Range',
  'Function',
  'Regex',
  'Bytes',
  'Date',
  'Duration',
]);

/** Whether a value of type `type` fits an annotation. An Integer fits Float. */
export function fits(type: string, annotation: string): boolean {
  const names = alternatives(annotation);
  if (names.some((name) => name === type || ANYTHING.has(name))) return true;
  if (type === 'Integer' && names.includes('Float')) return true;
  // A record may be passed where a Hash is expected: it supports access by key.
  return !names.every((name) => CONCRETE.has(name) && (CONCRETE.has(type) || name !== 'Hash'));
}

/** Whether a value of a type has no other type. */
export function isConcrete(type: string): boolean {
  return CONCRETE.has(type);
}

/**
 * An annotation as programs hold it, for values from outside: names of built-in types, `#3` for type 3 of the program,
 * `|`, `Vector<…>` and `Hash<…,…>`. Empty if every value fits. `declared` returns the number of a declared type.
 */
export function fieldType(annotation: string, declared: (name: string) => number | null): string {
  const texts = parts(annotation).flatMap((part): string[] => {
    const name = nameOf(part);
    const index = declared(name);
    if (index !== null) return [`#${index}`];
    return (GROUPS[name] ?? [ALIASES[name] ?? name]).map((type) => {
      if (!CONCRETE.has(type)) return '';
      const inner = argumentsOf(part).map((argument) => fieldType(argument, declared) || 'Any');
      const hasArguments = (type === 'Vector' && inner.length === 1) || (type === 'Hash' && inner.length === 2);
      return hasArguments ? `${type}<${inner.join(',')}>` : type;
    });
  });
  return texts.includes('') ? '' : texts.join('|');
}

/** Names that annotations know without a declaration. */
export function isKnownType(name: string): boolean {
  return CONCRETE.has(name) || ANYTHING.has(name);
}

/** A type as messages name it: `a String`, `an Integer`, `nil`. */
export function article(type: string): string {
  return type === 'Nil' ? 'nil' : `${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type}`;
}
