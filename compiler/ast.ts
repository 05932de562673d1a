/**
 * The syntax tree. Plain data: every node has `type`, and `start`/`end` as UTF-16 offsets into the source text. `parse`
 * builds it; `resolve` and `emit` read it. Sugar that needs no scope (pipes, ternaries, postfix conditions, `unless`)
 * is already expanded.
 */

export interface Node {
  readonly start: number;
  readonly end: number;
}

export type Expr =
  | Nil
  | Bool
  | Int
  | Float
  | Decimal
  | Str
  | Interp
  | Regex
  | Ident
  | Vector
  | HashLit
  | RangeLit
  | Lambda
  | Unary
  | Await
  | Binary
  | Logical
  | If
  | While
  | For
  | Case
  | CaseIn
  | Match
  | Begin
  | Def
  | Call
  | Method
  | Member
  | Index
  | Assign
  | OpAssign
  | MultiAssign
  | HashDestructure
  | Return
  | Break
  | Next
  | Retry
  | Raise
  | RecordDecl
  | InterfaceDecl
  | EnumDecl
  | ErrorDecl
  | ConstDecl
  | UseModule
  | ExportNames
  | ErrorNode;

export interface Nil extends Node {
  type: 'Nil';
}
export interface Bool extends Node {
  type: 'Bool';
  value: boolean;
}
/** `value` is a bigint only outside ±(2^53−1). */
export interface Int extends Node {
  type: 'Int';
  value: number | bigint;
}
export interface Float extends Node {
  type: 'Float';
  value: number;
}
/** `12.50d`; `value` is its text without `_` and `d`. */
export interface Decimal extends Node {
  type: 'Decimal';
  value: string;
}
/** Escapes are already processed; symbols are strings. */
export interface Str extends Node {
  type: 'Str';
  value: string;
}
/** `"a#{b}c"`: Str parts and expressions in order. */
export interface Interp extends Node {
  type: 'Interp';
  parts: Expr[];
}
/** `parts` is a single Str unless the literal interpolates; the text between the slashes is kept raw. */
export interface Regex extends Node {
  type: 'Regex';
  parts: Expr[];
  flags: string;
}
export interface Ident extends Node {
  type: 'Ident';
  name: string;
}
export interface Vector extends Node {
  type: 'Vector';
  items: (Expr | Splat)[];
}
export interface HashLit extends Node {
  type: 'Hash';
  entries: (Pair | Splat)[];
}
/** `{a: 1}` has a Str key; `{a}` and `{a:}` repeat the name as an Ident value. */
export interface Pair extends Node {
  type: 'Pair';
  key: Expr;
  value: Expr;
}
/** `*xs` in arguments and vectors, `**h` in hashes and arguments (`double`). */
export interface Splat extends Node {
  type: 'Splat';
  value: Expr;
  double: boolean;
}
/** An endless range has `hi` null; without a start, `lo` is Nil. */
export interface RangeLit extends Node {
  type: 'Range';
  lo: Expr;
  hi: Expr | null;
  exclusive: boolean;
}
export interface Lambda extends Node {
  type: 'Lambda';
  params: Param[];
  body: Body;
}
/** `!x` and `not x` are both `not`. */
export interface Unary extends Node {
  type: 'Unary';
  op: '-' | '+' | '~' | 'not';
  operand: Expr;
}
export interface Await extends Node {
  type: 'Await';
  operand: Expr;
}
export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '//'
  | '%'
  | '**'
  | '<<'
  | '>>'
  | '|'
  | '&'
  | '^'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | '=~'
  | '!~'
  | '<=>';
/** `opStart` is the offset of the operator, where errors point. */
export interface Binary extends Node {
  type: 'Binary';
  op: BinaryOp;
  left: Expr;
  right: Expr;
  opStart: number;
}
export interface Logical extends Node {
  type: 'Logical';
  op: 'and' | 'or';
  left: Expr;
  right: Expr;
}

/** `if/elsif`, `unless` (with its condition negated), postfix forms and ternaries. */
export interface If extends Node {
  type: 'If';
  clauses: IfClause[];
  else: Expr[] | null;
}
export interface IfClause {
  cond: Expr;
  body: Expr[];
}
/** `until` has its condition negated. With `doWhile` the body runs before the first test. */
export interface While extends Node {
  type: 'While';
  cond: Expr;
  body: Expr[];
  label: string | null;
  doWhile: boolean;
}
export interface For extends Node {
  type: 'For';
  targets: Pattern[];
  iter: Expr;
  body: Expr[];
  label: string | null;
}
export interface Case extends Node {
  type: 'Case';
  subject: Expr | null;
  whens: When[];
  else: Expr[] | null;
}
export interface When extends Node {
  patterns: (Expr | Splat)[];
  body: Expr[];
}
/** `case x in …`: the first clause whose pattern fits is run; without one and without `else` it is an error. */
export interface CaseIn extends Node {
  type: 'CaseIn';
  subject: Expr;
  clauses: InClause[];
  else: Expr[] | null;
}
export interface InClause extends Node {
  pattern: MatchPattern;
  guard: Expr | null;
  body: Expr[];
}
/** `x in pattern`: whether it fits. */
export interface Match extends Node {
  type: 'Match';
  subject: Expr;
  pattern: MatchPattern;
}

/** A pattern after `in`. */
export type MatchPattern =
  ValueMatch | NameMatch | NamedMatch | AnyMatch | VectorMatch | HashMatch | RecordMatch | ErrorNode;
/** A literal, a type, a constant, or `^value`: fits what `case … when` finds equal. */
export interface ValueMatch extends Node {
  type: 'ValueMatch';
  value: Expr;
}
/** Fits anything and assigns it; null is `_`. */
export interface NameMatch extends Node {
  type: 'NameMatch';
  name: string | null;
}
/** `pattern => name` */
export interface NamedMatch extends Node {
  type: 'NamedMatch';
  pattern: MatchPattern;
  name: NameMatch;
}
/** `a | b` */
export interface AnyMatch extends Node {
  type: 'AnyMatch';
  options: MatchPattern[];
}
/** `[a, *rest, b]`; without a `*` the number of elements must be the same. */
export interface VectorMatch extends Node {
  type: 'VectorMatch';
  items: (MatchPattern | RestMatch)[];
}
export interface RestMatch extends Node {
  type: 'RestMatch';
  name: NameMatch;
}
/** `{a: pattern, b:}`: other keys are allowed, unless `rest` is 'none' (`**nil`), or there are no entries. */
export interface HashMatch extends Node {
  type: 'HashMatch';
  entries: FieldMatch[];
  rest: NameMatch | 'none' | null;
}
export interface FieldMatch extends Node {
  type: 'FieldMatch';
  key: string;
  pattern: MatchPattern;
}
/** `Type(a, name: b)`: a value of that type whose fields fit. */
export interface RecordMatch extends Node {
  type: 'RecordMatch';
  record: Expr;
  positional: MatchPattern[];
  fields: FieldMatch[];
}
export interface Begin extends Node {
  type: 'Begin';
  body: Body;
}

/** Statements with optional handlers: the contents of `begin`, `def`, lambdas and blocks. */
export interface Body extends Node {
  stmts: Expr[];
  rescues: Rescue[];
  else: Expr[] | null;
  ensure: Expr[] | null;
}
/** Without types it catches every Error. */
export interface Rescue extends Node {
  types: Expr[];
  name: Name | null;
  body: Expr[];
}
export interface Name extends Node {
  name: string;
}

/** `doc` is the text of the `##` lines directly above, joined by newlines, without the `##`. */
export interface Def extends Node {
  type: 'Def';
  name: Name;
  params: Param[];
  body: Body;
  doc: string;
  returns: string | null;
  /** Written `private def`: other files cannot call it. */
  isPrivate: boolean;
}
/**
 * `kind`: `rest` is `*name`, `options` is `**name`; `named` is `name:` or `name: default`; `plain` is any other. `pattern` is set for `(a, b)`
 * in block parameters.
 */
export interface Param extends Node {
  name: string;
  kind: 'plain' | 'named' | 'rest' | 'options';
  default: Expr | null;
  pattern: Pattern[] | null;
  annotation: string | null;
}
/** A name, a `*rest`, or a nested group in parentheses. */
export type Pattern = NamePattern | RestPattern | GroupPattern;
export interface NamePattern extends Node {
  type: 'NamePattern';
  name: string;
}
export interface RestPattern extends Node {
  type: 'RestPattern';
  name: string | null;
}
export interface GroupPattern extends Node {
  type: 'GroupPattern';
  items: Pattern[];
}

/** `params` is null if no `|…|` was written: then `it` is the parameter if the body uses that name. */
export interface Block extends Node {
  params: Param[] | null;
  body: Body;
}

export type Arg = Expr | Splat | NamedArg;
export interface NamedArg extends Node {
  type: 'NamedArg';
  name: string;
  value: Expr;
}

/** `f(a)`, `puts a`, `f.(a)`. A bare identifier that stands alone as a statement is an Ident, not a Call. */
export interface Call extends Node {
  type: 'Call';
  callee: Expr;
  args: Arg[];
  block: Block | null;
}
/**
 * `x.m(a)`, `x.m { }`, `x&.m(a)`. `nameStart` is the offset of the method's name. `index` is the first number that an
 * iterator's block receives after each element, as in `x.select.with_index(1) { … }`.
 */
export interface Method extends Node {
  type: 'Method';
  recv: Expr;
  name: string;
  nameStart: number;
  args: Arg[];
  block: Block | null;
  safe: boolean;
  index?: Expr;
}
/** `x.m` without arguments: a field, or a method without arguments. */
export interface Member extends Node {
  type: 'Member';
  recv: Expr;
  name: string;
  nameStart: number;
  safe: boolean;
}
/** `x[i]`, `x[a..b]`. */
export interface Index extends Node {
  type: 'Index';
  recv: Expr;
  args: Expr[];
  safe: boolean;
}

export type Target = Ident | Member | Index;
export interface Assign extends Node {
  type: 'Assign';
  target: Target;
  value: Expr;
}
/** `op` without its `=`: `+`, `||`, `&&`, … */
export interface OpAssign extends Node {
  type: 'OpAssign';
  op: BinaryOp | '||' | '&&';
  target: Target;
  value: Expr;
  opStart: number;
  /** Of `||` and `&&`, in a program that counts: what counts values that are replaced; the next one counts values kept. */
  counter?: number;
}
/** `a, *b = v`. Several values on the right become a Vector. */
export interface MultiAssign extends Node {
  type: 'MultiAssign';
  targets: (Target | SplatTarget | GroupTarget)[];
  value: Expr;
}
export interface SplatTarget extends Node {
  type: 'SplatTarget';
  target: Target | null;
}
export interface GroupTarget extends Node {
  type: 'GroupTarget';
  targets: (Target | SplatTarget | GroupTarget)[];
}
/** `{name: n, age} = h`. */
export interface HashDestructure extends Node {
  type: 'HashDestructure';
  /** `start` is the offset of the key. */
  entries: { key: string; start: number; name: Name }[];
  value: Expr;
}

export interface Return extends Node {
  type: 'Return';
  value: Expr | null;
}
export interface Break extends Node {
  type: 'Break';
  value: Expr | null;
  label: string | null;
}
export interface Next extends Node {
  type: 'Next';
  value: Expr | null;
  label: string | null;
}
export interface Retry extends Node {
  type: 'Retry';
}
/** `raise`, `raise "m"`, `raise Type`, `raise Type, "m"`; `raise Type("m")` has one Call argument. */
export interface Raise extends Node {
  type: 'Raise';
  args: Arg[];
}

/** `isLiteral`: a hash of types, `query: {page: Int = 1}`; a value whose name is followed by `@` and its start. */
export interface RecordDecl extends Node {
  type: 'RecordDecl';
  isLiteral: boolean;
  name: Name;
  fields: Param[];
  /** Each has the parameter `self` before its own. */
  methods: Def[];
  /** Names of the interfaces after `is`. */
  interfaces: Expr[];
  doc: string;
}
/** A field or method that an interface needs. `takes`: names of the arguments, `by:` for named ones; null if not written. */
export interface Need extends Name {
  takes: string[] | null;
}
/** What a record must have to be of the interface, and methods that it then has as well. */
export interface InterfaceDecl extends Node {
  type: 'InterfaceDecl';
  name: Name;
  needs: Need[];
  methods: Def[];
  doc: string;
}
export interface EnumDecl extends Node {
  type: 'EnumDecl';
  name: Name;
  members: Name[];
  /** If any member has fields, the record type of each, named `Enum.Member`; else null: the members are strings. */
  variants: RecordDecl[] | null;
}
export interface ErrorDecl extends Node {
  type: 'ErrorDecl';
  name: Name;
  parent: Name | null;
}
/** `const NAME = v` and `NAME = v`. */
export interface ConstDecl extends Node {
  type: 'ConstDecl';
  name: Name;
  value: Expr;
}
/** `require`, `import`, `stitch` and `use`; `alias` is `m` in `import … as m`. */
export interface UseModule extends Node {
  type: 'UseModule';
  form: 'require' | 'import' | 'stitch' | 'use';
  path: string;
  alias: Name | null;
}

/** `export a, b`: other files can use only these names of the file. */
export interface ExportNames extends Node {
  type: 'ExportNames';
  names: Name[];
}

/** Replaces a statement that could not be parsed. Occurs only in trees that come with diagnostics. */
export interface ErrorNode extends Node {
  type: 'Error';
}

/** One source file. */
export interface Module extends Node {
  stmts: Expr[];
}
