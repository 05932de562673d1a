import type { Param } from './ast.js';
import {
  boundText,
  constraintProblem,
  constraintsEnd,
  constraintsOf,
  type Constraint,
  withoutConstraints,
} from './constraints.js';

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
/** The built-in type that annotations also know by this name, with or without a `?`; null if there is none. */
export function typeOfAlias(name: string): string | null {
  const plain = name.replace(/\?$/, '');
  if (Object.hasOwn(ALIASES, plain)) return ALIASES[plain];
  return plain !== name && CONCRETE.has(plain) ? plain : null;
}

/** Names that stand for several types. */
const GROUPS: Record<string, readonly string[]> = {
  Number: ['Integer', 'Float'],
  Num: ['Integer', 'Float'],
  Numeric: ['Integer', 'Float'],
};
const ANYTHING = new Set(['Any', 'Object', 'Value']);
/** Results of natives whose values have more specific types. */
const ABSTRACT = new Set([...ANYTHING, 'Record', 'Error', 'Type', 'Enum', 'self']);

/** Splits a text at a separator that is outside of all brackets and constraints. The `>` of `->` closes nothing. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    const end = c === '(' ? constraintsEnd(text, i) : -1;
    if (end >= 0) i = end - 1;
    else if ('[<('.includes(c)) depth++;
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
  return (
    text.startsWith('(') &&
    text
      .slice(closing(text) + 1)
      .trimStart()
      .startsWith('->')
  );
}

/** The parameters and the result of a type of functions, also of one that allows nil; null for other types. */
export function functionOf(annotation: string): { params: string[]; result: string } | null {
  const text = annotation.trim().replace(/^\((.*)\)\s*(?:\?|\|\s*nil)$/s, '$1');
  const end = isFunctionType(text) ? closing(text) : -1;
  const arrow = text.indexOf('->', end);
  if (end < 0 || arrow < 0) return null;
  return { params: splitOutside(text.slice(1, end), ','), result: text.slice(arrow + 2).trim() };
}

/** Where the bracket closes that a text begins with. */
function closing(text: string): number {
  let depth = 0;
  let at = 0;
  do {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    at++;
  } while (depth > 0 && at < text.length);
  return at - 1;
}

/** How many annotations are remembered, and up to which length. */
const REMEMBERED = { count: 1000, length: 200 };

/** The same function of an annotation, which remembers its results: a program has few annotations, and uses them often. */
function remembering<T>(of: (annotation: string) => T): (annotation: string) => T {
  const known = new Map<string, T>();
  return (annotation) => {
    const found = known.get(annotation);
    if (found !== undefined) return found;
    if (annotation.length > REMEMBERED.length) return of(annotation);
    // Parts of the text of a file would keep the whole text in memory.
    const own = Array.from(annotation).join('');
    const made = of(own);
    if (known.size >= REMEMBERED.count) known.clear();
    known.set(own, made);
    return made;
  };
}

/** Parts of an annotation such as `Vector<Int> | nil` or `Float?`, with their type arguments; nil is `Nil`. */
const parts = remembering((annotation): readonly string[] => {
  if (isFunctionType(annotation.trim())) return ['Function'];
  return splitOutside(annotation, '|').flatMap((part) => {
    if (part.endsWith('?')) return [...parts(part.slice(0, -1)), 'Nil'];
    return part.startsWith('(') && part.endsWith(')') ? parts(part.slice(1, -1)) : [part];
  });
});

function nameOf(part: string): string {
  return /^[^[<(\s]*/.exec(part)?.[0] ?? '';
}

/** The names of the types that an annotation allows, without their type arguments. */
export const alternatives = remembering((annotation): readonly string[] =>
  parts(withoutConstraints(annotation))
    .map(nameOf)
    .filter((name) => name !== '')
    .flatMap((name) => GROUPS[name] ?? [ALIASES[name] ?? name]),
);

/** The names of all types in an annotation, also in type arguments and function types, once each. */
export function namesIn(annotation: string): Set<string> {
  const outer = alternatives(annotation);
  const names = (withoutConstraints(annotation).match(/[\w\u0080-\uffff]+(?:\.[\w\u0080-\uffff]+)*/g) ?? []).flatMap(
    (name) => GROUPS[name] ?? [ALIASES[name] ?? name],
  );
  // A single letter is a type variable, as in `Vector<T>`.
  return new Set([...outer, ...names.filter((name) => name.length > 1)]);
}

/** The type arguments of an annotation with a single type, nil aside: of `Hash<String, Int>?`, `String` and `Int`. */
export function argumentsOf(annotation: string): string[] {
  const [part, ...others] = parts(annotation).filter((name) => name !== 'Nil');
  const inner = others.length > 0 ? undefined : /^[^[<(]*[[<](.*)[\]>]$/.exec(unconstrained(part ?? ''))?.[1];
  return inner === undefined ? [] : splitOutside(inner, ',');
}

/** A part of an annotation without the constraints at its end; type arguments keep theirs. */
function unconstrained(part: string): string {
  return part.slice(0, constraintsStart(part));
}

/** Where the constraints at the end of a part of an annotation start; its length if it has none. */
function constraintsStart(part: string): number {
  if (!part.endsWith(')')) return part.length;
  for (let at = part.indexOf('('); at >= 0;) {
    const end = constraintsEnd(part, at);
    if (end === part.length) return at;
    at = part.indexOf('(', Math.max(end, at + 1));
  }
  return part.length;
}

/** Whether a name is one of a built-in type, or stands for several. */
export function isTypeName(name: string): boolean {
  return name in ALIASES || name in GROUPS || isKnownType(name);
}

/** Whether a name is one of a built-in type that is also a value: `Integer`, but not `Int`. */
export function isTypeValue(name: string): boolean {
  return name === 'Number' || CONCRETE.has(name);
}

/** Whether a name is one of a built-in type that programs cannot call, and constraints can follow. */
export function takesConstraints(name: string): boolean {
  const type = ALIASES[name] ?? name;
  return type === 'String' || type === 'Integer' || type === 'Float' || type in GROUPS;
}

/** Why the constraints of an annotation, also those of type arguments, are invalid; null if they are not. */
export function invalidConstraint(annotation: string): string | null {
  for (const part of parts(annotation)) {
    const constraints = constraintsOf(part.slice(constraintsStart(part)));
    for (const name of nameOf(part) in GROUPS ? ['Number'] : alternatives(unconstrained(part))) {
      const problem = constraintProblem(name, constraints);
      if (problem !== null) return problem;
    }
    for (const argument of argumentsOf(part)) {
      const problem = invalidConstraint(argument);
      if (problem !== null) return problem;
    }
  }
  return null;
}

/** Type arguments that a type has. */
const ARGUMENTS: Record<string, { count: number; form: string } | undefined> = {
  Vector: { count: 1, form: 'Vector<Integer>' },
  Hash: { count: 2, form: 'Hash<String, Integer>' },
  Set: { count: 1, form: 'Set<Integer>' },
};

/** Why the number of type arguments in an annotation is wrong, also in those of type arguments; null if it is not. */
export function invalidArguments(annotation: string): string | null {
  for (const part of parts(annotation)) {
    const given = argumentsOf(part);
    const name = nameOf(part);
    const takes = ARGUMENTS[ALIASES[name] ?? name];
    if (takes !== undefined && given.length > 0 && given.length !== takes.count)
      return `${name} takes ${takes.count === 1 ? 'one type' : `${takes.count} types`}, as in \`${takes.form}\``;
    for (const argument of given) {
      const problem = invalidArguments(argument);
      if (problem !== null) return problem;
    }
  }
  return null;
}

/** The constraints of an annotation with a single type, nil aside. */
export function constraintsIn(annotation: string): Constraint[] {
  if (!annotation.includes('(')) return [];
  const [part, ...others] = parts(annotation).filter((name) => name !== 'Nil');
  return part === undefined || others.length > 0 ? [] : constraintsOf(part.slice(constraintsStart(part)));
}

/** The regexes in the constraints of an annotation, also in those of type arguments. */
export function regexesIn(annotation: string): Extract<Constraint, { kind: 'regex' }>[] {
  return parts(annotation).flatMap((part) => [
    ...constraintsOf(part.slice(constraintsStart(part))).filter((one) => one.kind === 'regex'),
    ...argumentsOf(part).flatMap(regexesIn),
  ]);
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

/**
 * Whether a value of type `type` fits an annotation. An Integer fits Float.
 * @param isSingle whether a value of a type has no other type
 */
export function fits(type: string, annotation: string, isSingle = isConcrete): boolean {
  const names = alternatives(annotation);
  if (names.some((name) => name === type || ANYTHING.has(name))) return true;
  if (type === 'Integer' && names.includes('Float')) return true;
  // A record may be passed where a Hash is expected: it supports access by key.
  return !names.every((name) => isSingle(name) && (isSingle(type) || name !== 'Hash'));
}

/** Whether a value of a type has no other type. */
export function isConcrete(type: string): boolean {
  return CONCRETE.has(type);
}

/** What annotations name: the numbers of declared types, and of constants that hold a regex. */
export interface Numbers {
  declared(name: string): number | null;
  regex(source: string, flags: string): number;
  /** Called for types that are a part of the library. */
  use(type: string): void;
  /** Whether a name is one of a type of the program, be it one that no value from outside can have. */
  isType(name: string): boolean;
}

/** The name of one type. A single letter is a type variable. */
const TYPE_NAME = /^\w[\w.]+$/;

/**
 * An annotation as programs hold it, for values from outside: names of built-in types, `#3` for type 3 of the program,
 * `|`, `Vector<…>`, `Set<…>` and `Hash<…,…>`, constraints such as `String(1..200,/5)`, where 5 is the number of a regex. Empty if
 * every value fits, `Any|Nil` if the value may also be missing. Other names are kept as `?Sequence`: whether they are
 * types of the library is known at run time.
 */
export function fieldType(annotation: string, numbers: Numbers): string {
  const texts = parts(annotation).flatMap((part): string[] => {
    const name = nameOf(part);
    const index = numbers.declared(name);
    if (index !== null) return [`#${index}`];
    return (GROUPS[name] ?? [ALIASES[name] ?? name]).map((type) => {
      if (!CONCRETE.has(type) && type !== 'Set')
        return TYPE_NAME.test(type) && !isKnownType(type) && !numbers.isType(type) ? `?${type}` : '';
      if (type === 'Decimal') numbers.use(type);
      const inner = argumentsOf(part).map((argument) => fieldType(argument, numbers) || 'Any');
      const hasArguments = inner.length > 0 && inner.length === ARGUMENTS[type]?.count;
      return (
        (hasArguments ? `${type}<${inner.join(',')}>` : type) +
        constraintText(constraintsOf(part.slice(constraintsStart(part))), numbers)
      );
    });
  });
  if (texts.includes('')) return texts.includes('Nil') ? 'Any|Nil' : '';
  return texts.join('|');
}

function constraintText(constraints: readonly Constraint[], numbers: Numbers): string {
  if (constraints.length === 0) return '';
  const texts = constraints.map((one) =>
    one.kind === 'regex'
      ? `/${numbers.regex(one.source, one.flags)}`
      : `${boundText(one.lo)}${one.exclusive ? '...' : '..'}${boundText(one.hi)}`,
  );
  return `(${texts.join(',')})`;
}

/** Names that annotations know without a declaration. */
export function isKnownType(name: string): boolean {
  return CONCRETE.has(name) || ANYTHING.has(name);
}

/** A type as messages name it: `a String`, `an Integer`, `nil`. */
export function article(type: string): string {
  if (type === 'Bytes') return type;
  return type === 'Nil' || type === 'nil' ? 'nil' : `${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type}`;
}
