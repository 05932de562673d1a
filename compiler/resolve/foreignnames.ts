import type { Ident } from '../ast.js';
import { defFor, generatorFor } from '../diagnostics/declarationhints.js';
import { first, memberHint, MEMBERS } from '../diagnostics/foreignmodules.js';

/** The name as it stands in the text, with what surrounds it on the line: `args` is what its parentheses hold. */
interface Use {
  name: string;
  before: string;
  args: string;
  rest: string;
}

/** What to write instead; empty if the name is not the word of another language here. */
type Hint = string | ((use: Use) => string);

const textOf = (hint: Hint, use: Use): string => (typeof hint === 'string' ? hint : hint(use));
/** The first hint that is not empty. */
const either =
  (one: Hint, other: Hint): Hint =>
  (use) =>
    textOf(one, use) || textOf(other, use);
const methodOf =
  (method: string): Hint =>
  ({ args }) =>
    `write \`${first(args, 'x')}.${method}\``;
const libraryCall =
  (call: string): Hint =>
  ({ args }) =>
    `write \`${call}(${first(args, 'x')})\``;

const firstAssignment = (name: string, value: string): string =>
  `a variable begins with its first assignment: write \`${name} = ${value.trim()}\``;
/** `int x = 1`. Without a value, such a word is a name that the program lacks. */
const ASSIGN: Hint = ({ rest }) => {
  const [, name, value] =
    /^[ \t]+([A-Za-z_]\w*)[ \t]*=(?![=~>])[ \t]*((?:[^,;#()[\]{}"']|"[^"]*"|'[^']*'|\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\})+)/.exec(
      rest,
    ) ?? [];
  return name === undefined ? '' : firstAssignment(name, value);
};
const DECLARED: Hint = ({ rest }) => {
  const [, name] =
    /^[ \t]+(?!(?:end|do|if|unless|and|or|then|while|until|in)\b)([A-Za-z_]\w*)[ \t]*(?:[;,#]|$)/.exec(rest) ?? [];
  return name === undefined ? '' : firstAssignment(name, 'nil');
};
const LAMBDA = 'write `->(x) { x * 2 }`';
const DEF: Hint = ({ rest }) => {
  const [, star, name, params] = /^[ \t]*(\*?)[ \t]*(\w+)(?:[ \t]*\(([^()]*)\))?/.exec(rest) ?? [];
  if (name === undefined) return LAMBDA;
  return star === '' ? defFor(name, params) : generatorFor(name);
};
/** Also after `is`, which asks for a type. */
const NIL: Hint = ({ before }) => {
  const value = /(?:\bnot\s+)?[\w.\])]+(?=\s+is\s+$)/.exec(before)?.[0];
  if (value === undefined) return 'write `nil`';
  return `write \`${value.replace(/^not\s+/, '')} ${value.startsWith('not ') ? '!=' : '=='} nil\``;
};
const PUTS: Hint = 'write `puts`';
const STDERR: Hint = 'write `stderr.puts` or `warn`';
const HANDLERS = 'write `begin`, the statements, `rescue => e`, what to do, `ensure`, the rest, `end`';
const LEAVE = 'leave one function with `return`, several with `raise` in the inner and `rescue` in the outer one';
const CASE = 'write `case x`, a line `when 1` for each case, and `end`';
const FIELDS = 'name the fields in the head: `record Dog(name, age)`';
const ITSELF = 'leave it out: in the methods of a record, names of fields and methods need no receiver';
const PARAMETERS = 'name the parameters of the block: `{ |a, b| … }`';
const SEQUENCE: Hint = ({ args }) => {
  const [from, to] = args.includes(',') ? args.split(',').map((part) => part.trim()) : ['0', args];
  return `write a range: \`${from}...${to === '' ? 'n' : to}\``;
};
const APPLIED =
  (method: string): Hint =>
  ({ args }) =>
    `write \`${/^[^,]*,\s*(\w+)$/.exec(args)?.[1] ?? 'xs'}.${method} { |x| … }\``;
const ROUTE: Hint = ({ name, rest }) => {
  const path = /^[ \t(]*(["']\/[^"']*["'])/.exec(rest)?.[1];
  return path === undefined ? '' : `write \`app = web_app()\`, then \`app.${name}(${path}) do |req| … end\``;
};
const REQUEST = 'a handler receives the request as its parameter';
/** What web services of other languages begin with. */
const FRAMEWORKS = [
  'express',
  'fastify',
  'Express',
  'FastAPI',
  'Fastify',
  'Flask',
  'Hono',
  'Koa',
  'Sinatra',
  'Starlette',
];
const WAIT = 'write `spawn { sleep(1); … }`';
/** Modules whose names a program hardly gives to a variable: they are answered even if the member is not known. */
const MODULES = /^(?:[A-Z]\w*|console|json|process|os|sys)$/;

const member: Hint = ({ name, rest }) => {
  const hint = memberHint(name, rest);
  if (hint !== null) return hint;
  const call = /^\s*\.\s*(\w+\??(?:\([^()]*\))?)/.exec(rest)?.[1];
  if (name === 'Math' && call !== undefined) return `write \`${call.endsWith(')') ? call : `${call}(x)`}\``;
  return MODULES.test(name) ? 'look in the reference of the library for a function' : '';
};

/** What to say of words that Svc has in other places. */
const MESSAGES: Readonly<Record<string, string>> = {
  self: '`self` exists only in the methods of a record',
  private: '`private` stands only before `def`',
  export: '`export` takes only names of the file',
  record: 'a record has its fields in parentheses',
  enum: 'an enum has its members in parentheses',
  interface: '`interface` is followed by a name with a capital, alone on its line',
};

const HINTS: Readonly<Record<string, Hint>> = {
  record: ({ rest }) => {
    const [, name] = /^[ \t]+([A-Z]\w*)/.exec(rest) ?? [];
    return name === undefined ? '' : `write \`record ${name}(field, other) do\`, its methods, and \`end\``;
  },
  enum: ({ rest }) => {
    const [, name] = /^[ \t]+([A-Z]\w*)/.exec(rest) ?? [];
    return name === undefined ? '' : `write \`enum ${name}(first, second)\``;
  },
  _2: PARAMETERS,
  _3: PARAMETERS,
  None: NIL,
  null: NIL,
  undefined: NIL,
  NULL: 'write `nil`',
  True: 'write `true`',
  TRUE: 'write `true`',
  False: 'write `false`',
  FALSE: 'write `false`',
  NaN: 'operations without a result raise an error; `is_nan(x)` tests a Float',
  Infinity: 'use nil for no limit, or a range without an end: `1..`',
  len: methodOf('length'),
  str: methodOf('to_s'),
  int: either(ASSIGN, libraryCall('to_int')),
  float: libraryCall('to_float'),
  bool: 'write `x ? true : false`',
  list: (use) => textOf(methodOf(/^["']/.test(use.args) ? 'chars' : 'to_a'), use),
  tuple: methodOf('to_a'),
  dict: 'write `{}`',
  range: SEQUENCE,
  enumerate: ({ args }) => `write \`${first(args, 'xs')}.each_with_index { |x, i| … }\``,
  sorted: methodOf('sort'),
  reversed: methodOf('reverse'),
  map: APPLIED('map'),
  filter: APPLIED('select'),
  reduce: APPLIED('reduce'),
  any: methodOf('any? { |y| … }'),
  all: methodOf('all? { |y| … }'),
  isinstance: ({ args }) => {
    const [, value = 'x', type = 'int'] = /^\s*([\w.]+)\s*,\s*(\w+)/.exec(args) ?? [];
    return `write \`${value} is ${Object.hasOwn(TYPES_ELSEWHERE, type) ? TYPES_ELSEWHERE[type] : type}\``;
  },
  ord: methodOf('ord'),
  chr: methodOf('chr'),
  repr: methodOf('inspect'),
  open: 'write `file_read(path)` or `file_write(path, text)`: files are read and written as a whole',
  pass: 'leave it out: a body may be empty',
  del: ({ rest }) => {
    const [, h, key] = /^\s*([\w.]+)\[(.*)\]/.exec(rest) ?? [];
    return h === undefined ? 'variables end with their function' : `write \`${h}.delete(${key})\``;
  },
  global: 'pass the value as an argument and return the new one: functions cannot assign variables of the file',
  nonlocal: 'leave it out: blocks assign the variables around them, a `def` cannot',
  lambda: LAMBDA,
  proc: LAMBDA,
  Proc: LAMBDA,
  function: DEF,
  func: DEF,
  fn: DEF,
  fun: DEF,
  let: either(ASSIGN, DECLARED),
  var: either(ASSIGN, DECLARED),
  val: ASSIGN,
  my: ASSIGN,
  local: ASSIGN,
  auto: ASSIGN,
  const: ASSIGN,
  string: ASSIGN,
  double: ASSIGN,
  ...Object.fromEntries(Object.keys(MEMBERS).map((name) => [name, member])),
  ...Object.fromEntries(FRAMEWORKS.map((name) => [name, 'write `app = web_app()`'])),
  get: ROUTE,
  post: ROUTE,
  put: ROUTE,
  patch: ROUTE,
  params: ({ rest }) =>
    rest.startsWith('[') ? `write \`req.params${/^\[[^[\]]*\]/.exec(rest)?.[0] ?? ''}\`: ${REQUEST}` : '',
  request: ({ rest }) => (/^\.\w/.test(rest) ? `write \`req${/^\.\w+/.exec(rest)?.[0]}\`: ${REQUEST}` : ''),
  cookies: ({ rest }) =>
    rest.startsWith('[') ? `write \`req.cookies${/^\[[^[\]]*\]/.exec(rest)?.[0] ?? ''}\`: ${REQUEST}` : '',
  status: ({ rest }) => (/^[ \t(]+\d{3}\b/.test(rest) ? 'write `response(body, status)`, or `halt(status, body)`' : ''),
  jsonify: libraryCall('json_response'),
  render_template: 'write `render("name", values)`, or `template(text, values)`',
  BigDecimal: libraryCall('Decimal'),
  Fiber: 'write `spawn { … }`, or `sequence { |out| out << 1 }` for values that are made one after another',
  system: libraryCall('shell'),
  eval: 'keep functions in a hash, and call one by its name: `actions[name].()`',
  at_exit: 'put the statements between `begin` and `ensure`: what follows `ensure` runs at the end',
  go: ({ rest }) => {
    const call = /^[ \t]+(\w[\w.]*\([^()]*\))/.exec(rest)?.[1];
    return call === undefined ? '' : `write \`spawn { ${call} }\``;
  },
  System: PUTS,
  fmt: PUTS,
  println: PUTS,
  echo: PUTS,
  alert: PUTS,
  printf: ({ args }) => `write \`print format(${args === '' ? '…' : args})\``,
  parseInt: libraryCall('to_int'),
  parseFloat: libraryCall('to_float'),
  isNaN: libraryCall('is_nan'),
  setTimeout: WAIT,
  setInterval: 'write `spawn { loop do sleep(1); … end }`',
  typeof: libraryCall('type'),
  delete: ({ rest }) => {
    const [, h, field, key] = /^[ \t]+(\w+(?:\.\w+)*?)(?:\.(\w+)|\[([^[\]]*)\])[ \t]*(?:;|$)/.exec(rest) ?? [];
    return `write \`${h ?? 'h'}.delete(${key ?? `"${field ?? 'key'}"`})\``;
  },
  debugger: 'print with `p`: it returns what it prints',
  throw: ({ rest }) => (/^[ \t(]*:\w/.test(rest) ? LEAVE : 'write `raise`, as in `raise "message"`'),
  try: HANDLERS,
  catch: ({ args }) => (args.startsWith(':') ? LEAVE : HANDLERS),
  except: 'write `rescue`, as in `rescue ValueError => e`',
  finally: 'write `ensure`',
  switch: CASE,
  foreach: 'write `for x in xs`, the body on the next lines, and `end`',
  goto: 'use a function, or `break` and `next` with a label',
  redo: 'put the body into a loop of its own',
  yield: 'name the block as the last parameter, and call it: `def twice(block) block.(1) end`',
  'block_given?': 'name the block as the last parameter, with the default nil: `def maybe(block = nil)`',
  this: ITSELF,
  self: ({ rest }) => (/^\.class\b/.test(rest) ? 'write `type(x)` for the type of `x`' : ITSELF),
  super: 'records have no parents: call the function by its name',
  include: 'leave it out: there are no mixins; `require "lib/name"` loads the functions of a file',
  extend: 'there are no mixins: write functions',
  attr_accessor: FIELDS,
  attr_reader: FIELDS,
  attr_writer: FIELDS,
  private: 'leave it out: a file with `export a, b` offers only the names that it lists',
  public: 'leave it out',
  static: 'leave it out',
  interface: 'write `interface Named`, lines such as `needs name`, and `end`; for data write `record Dog(name, age)`',
  Struct: 'write `record Point(x, y)`',
  set: libraryCall('Set'),
  require_relative: ({ rest }) => `write \`require ${/^\s*(["'].*?["'])/.exec(rest)?.[1] ?? '"lib/name"'}\``,
  gets: 'write `input()`, which returns a line without its newline, or nil',
  ARGV: ({ rest }) => `write \`argv()${/^\[[^[\]]*\]/.exec(rest)?.[0] ?? ''}\``,
  ENV: ({ rest }) => `write \`env(${/^\s*\[(.*?)\]/.exec(rest)?.[1] ?? '"NAME"'})\``,
  STDERR,
  STDOUT: PUTS,
  STDIN: 'write `input()`',
  __FILE__: 'a program cannot ask for the name of its file: paths are relative to the working directory',
  math: (use) => textOf(member, { ...use, name: 'Math' }),
  __dir__: 'a program cannot ask for its folder: paths are relative to the working directory',
  __method__: 'write the name of the function as a text',
  fetch: libraryCall('http_get'),
  module: 'a file offers all its functions, types and constants; `export a, b` on a line of its own limits them',
  exports: 'a file offers all its functions, types and constants; `export a, b` on a line of its own limits them',
  __name__: 'a file that is run starts at its first line',
  'defined?': 'assign nil first, and test for nil',
  export:
    'write `export name` on a line of its own; without `export`, a file offers all its functions, types and constants',
  async: 'leave it out: every function may wait, and other threads run meanwhile',
  Promise: 'write `spawn`, and `await` for its result',
};

/** Words that begin a block: what follows them is misread, and so is not reported. */
const OPENERS: ReadonlySet<string> = new Set([
  'function',
  'func',
  'fn',
  'fun',
  'switch',
  'try',
  'interface',
  'foreach',
]);

/** Names of types in other languages, in lower case. */
export const TYPES_ELSEWHERE: Readonly<Record<string, string>> = {
  number: 'Float',
  double: 'Float',
  float: 'Float',
  int: 'Integer',
  str: 'String',
  string: 'String',
  symbol: 'String',
  bool: 'Boolean',
  boolean: 'Boolean',
  list: 'Vector',
  tuple: 'Vector',
  array: 'Vector',
  dict: 'Hash',
  map: 'Hash',
  object: 'Hash',
  none: 'Nil',
  null: 'Nil',
  void: 'Nil',
  callable: 'Function',
  proc: 'Function',
};

/** A `do` that opens a block of a call, not the body of a loop. */
const BEHIND_DO = /^(?!.*\b(?:while|until|for|loop)\b).*[\w)\]"'?!][ \t]+do[ \t]+$/;
const END_OF_LINE = /^[ \t\r]*(?:#.*)?$/;
const SAFE_ACCESS = /^\s*\.\s*[A-Za-z_]/;

/** An undefined name that is a word of another language. */
interface ForeignName {
  message: string;
  hint: string;
  /** Later names of the file are not worth reporting. */
  opens: boolean;
}

/**
 * What to say about an undefined name; null if no other language is known for it. `before` and `rest` are the texts
 * around it.
 */
function foreignName(name: string, before: string, rest: string): ForeignName | null {
  if (Object.hasOwn(TYPES_ELSEWHERE, name) && /\(.*\w:[ \t]*$/.test(before) && /^\s*[,)=]/.test(rest))
    return {
      message: `Svc has no type \`${name}\``,
      hint: `the name of a type begins with a capital: write \`${TYPES_ELSEWHERE[name]}\``,
      opens: false,
    };
  if (name.endsWith('?') && SAFE_ACCESS.test(rest) && !Object.hasOwn(HINTS, name))
    return {
      message: 'Svc has no `?.`',
      hint: `write \`${name.slice(0, -1)}&.${/\w+/.exec(rest)?.[0]}\``,
      opens: false,
    };
  if (!Object.hasOwn(HINTS, name)) {
    if (!/^[A-Z]\w*$/.test(name) || !/^\.new\b/.test(rest)) return null;
    return {
      message: 'Svc has no `.new`',
      hint: `declare \`record ${name}(…)\`, and call it: \`${name}(…)\``,
      opens: false,
    };
  }
  const args = /^\(([^()]*)\)/.exec(rest)?.[1]?.trim() ?? '';
  const hint = textOf(HINTS[name], { name, before, args, rest });
  const message = MESSAGES[name] ?? `Svc has no \`${name}\``;
  return hint === '' ? null : { message, hint, opens: OPENERS.has(name) };
}

/** `xs.each do x`, with statements on the next lines: `after` is the text there. */
function blockParameter(name: string, before: string, rest: string, after: string): ForeignName | null {
  if (!BEHIND_DO.test(before) || !END_OF_LINE.test(rest) || /^\s*end\b/.test(after)) return null;
  return { message: 'the parameters of a block stand between `|`', hint: `write \`do |${name}|\``, opens: false };
}

/**
 * Words of other languages among the undefined names of a file: each once, and one a line. Other undefined names raise
 * NameError when they are reached.
 */
export class ForeignWords {
  private readonly names = new Set<string>();
  /** End of the line of the last word. */
  private lineEnd = -1;
  /** The last word began a block. */
  private opened = false;

  /** What to report about the undefined name at `start`, or null. */
  find({ name, start, end }: Ident, text: string): { message: string; hint: string } | null {
    if (this.opened || this.names.has(name) || start < this.lineEnd) return null;
    const newline = text.indexOf('\n', end);
    const lineEnd = newline < 0 ? text.length : newline;
    const before = text.slice(Math.max(text.lastIndexOf('\n', start) + 1, start - 100), start);
    const rest = text.slice(end, Math.min(lineEnd, end + 100));
    const after = text.slice(lineEnd, lineEnd + 100);
    const found = foreignName(name, before, rest) ?? blockParameter(name, before, rest, after);
    if (found === null) return null;
    this.names.add(name);
    this.opened = found.opens;
    this.lineEnd = lineEnd;
    return found;
  }
}
