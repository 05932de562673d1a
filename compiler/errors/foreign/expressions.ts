import type { Form, Groups } from './form.js';

const LAMBDA = '`->(x) { x + 1 }`';
/** `x -> …` and `(x, y) -> …` after `=`, `(` or `,`; not `f ->(x) { … }`, a call of f, nor a type `() -> Int`. */
const ARROW_LAMBDA = String.raw`(?:\b(?<call>[\w.]+)\(|(?<![=!<>])=\s*|[(,]\s*)(?<at>(?<params>\(\s*[a-z_]\w*\s*(?:,\s*[a-z_]\w*\s*)*\)|(?<=[=(]\s*)\(\s*\)|\b[a-z_]\w*(?=\s+->\s*[^\s({]))\s*->)`;
const COMMENT = 'a comment begins with `#`';

/** The elements of `xs` for which `test` holds; all if it is empty. */
function selected(xs: string, names: string, test: string): string {
  const pairs = xs.replace(/\.items\(\)$/, '');
  return test === '' ? pairs : `${pairs}.select { |${names}| ${test} }`;
}

/** `{k: v for k, v in xs}` in Svc. */
function hashComprehension({ key, value, names, xs, test }: Groups): string {
  return `write \`${selected(xs, names, test)}.to_h { |${names}| [${key}, ${value}] }\``;
}

const BY_KEY: Readonly<Record<string, string>> = { max: 'max_by', min: 'min_by' };

/** `sorted(xs, key=lambda x: x.age)` and `xs.sort(key=lambda x: x.age)` in Svc. */
function byKey({ xs, call, argument, x, body }: Groups): string {
  return `write \`${xs || argument}.${BY_KEY[call] ?? 'sort_by'} { |${x}| ${body.trim()} }\``;
}

/** `[x * x for x in xs if x > 1]` in Svc. */
function comprehension({ value, x, xs, test }: Groups): string {
  const chosen = selected(xs, x, test);
  return `write \`${value === x ? chosen : `${chosen}.map { |${x}| ${value} }`}\``;
}

/** `xs[1:3]` in Svc. */
function slice({ xs, from, to }: Groups): string {
  return `write \`${xs}[${from === '' ? '0' : from}${to === '' ? '..' : `...${to}`}]\``;
}

/** An arrow function in Svc: a block if it is the only argument of a call, else a lambda. */
function arrow({ call = '', params, body = '…' }: Groups): string {
  const names = params.replace(/[()]/g, '').trim();
  const short = /^[^{}(]+$/.test(body) ? body.replace(/[\s);]+$/, '') : '…';
  if (call !== '') return `write \`${call} { ${names === '' ? '' : `|${names}| `}${short} }\``;
  return `write \`->(${names}) { ${short} }\``;
}

/** `@name` and `@@name` in Svc. */
function fieldName({ at }: Groups): string {
  const name = at.replace(/^@+/, '');
  if (!at.startsWith('@@')) return `write \`${name}\`: in the methods of a record its fields are plain names`;
  return `keep it in a hash: \`state = {${name}: 0}\` in the file, \`state["${name}"]\` in functions`;
}

/** Types by their names in `typeof`. */
const TYPEOF: Readonly<Record<string, string>> = {
  number: 'Number',
  bigint: 'Integer',
  boolean: 'Boolean',
  function: 'Function',
  object: 'Hash',
};

/** Forms inside a statement. The first form that matches a line is reported. */
export const EXPRESSIONS: readonly Form[] = [
  { pattern: /(?<at>\/\*)/d, message: 'Svc has no `/* … */`', hint: `${COMMENT}, on each line`, until: '*/' },
  { pattern: /^\s*(?<at>=begin)\b/d, message: 'Svc has no `=begin`', hint: `${COMMENT}, on each line`, until: '=end' },
  { pattern: /(?:^|[\s;{}])(?<at>\/\/)(?:\s+[A-Za-z].*|\s*)$/d, message: '`//` divides', hint: COMMENT },
  {
    pattern: /(?<at>`)[^`]*\$\{/d,
    message: 'Svc has no texts in backticks',
    hint: 'write double quotes and `#{…}`, as in `"Hello #{name}"`; `"""` spans lines',
    until: '`',
  },
  {
    pattern: /^\s*import\s+(?<at>.*\bfrom)\s*["'](?<path>.*)["']/d,
    message: '`import` has no `from`',
    hint: ({ path }) => `write \`import "${path}" as name\`, then \`name.f(…)\`, or \`require "${path}"\``,
  },
  {
    pattern: /^\s*(?<at>from)\s+(?<path>[\w.]+)\s+import\b/d,
    message: '`import` has no `from`',
    hint: ({ path }) => `write \`require "${path}"\` for the names of a file of yours; the library needs no import`,
  },
  {
    pattern: /^\s*import\s+(?<at>(?<path>[A-Za-z_][\w.]*))\s+as\s+(?<name>\w+)/d,
    message: '`import` takes a plain string: the module is found when the program is compiled',
    hint: ({ path, name }) => `write \`import "${path}" as ${name}\`; the library needs no import`,
  },
  {
    pattern:
      /^\s*(?<at>export)\s+(?:(?:default|async|const|let|var|def|function|class|record|enum|error|interface|private)\s+)*\{?\s*(?<names>\w+(?:\s*,\s*\w+)*)?/d,
    message: '`export` takes only names of the file',
    hint: ({ names }) =>
      `${names === '' ? 'leave it out' : `write \`export ${names}\` on a line of its own, or leave it out`}: without \`export\`, a file offers all its functions, types and constants`,
    opens: 'unclosed',
  },
  {
    pattern: /^\s*(?<at>private)\s+(?!def\b)\w/d,
    message: '`private` stands only before `def`',
    hint: 'leave it out: a file with `export a, b` offers only the names that it lists',
    opens: 'unclosed',
  },
  {
    pattern: /(?<at>[fF])["']/d,
    message: 'Svc has no f-strings',
    hint: 'write `#{…}` in double quotes: `"Hello #{name}"`',
  },
  {
    pattern: /\b(?<at>[rRbBuU]{1,2})["']/d,
    message: ({ at }) => `Svc has no \`${at}"…"\``,
    hint: "single quotes take everything as it stands: `'C:\\temp'`",
  },
  {
    pattern:
      /(?:(?<xs>[\w.]+)\.sort\(|\b(?<call>sorted|max|min)\((?<argument>[\w.]+)\s*,)\s*key\s*=\s*(?<at>lambda)\s+(?<x>\w+)\s*:\s*(?<body>(?:[^,()]|\([^()]*\))+)/d,
    message: 'Svc has no `lambda`',
    hint: byKey,
  },
  {
    pattern: /\b(?<at>lambda)\b(?<params>[^:({]*):\s*(?<body>[^,)\]]*)/d,
    message: 'Svc has no `lambda`',
    hint: ({ params, body }) => `write \`->(${params.trim()}) { ${body.trim() || '…'} }\``,
  },
  {
    pattern:
      /(?<at>\{\s*(?<key>[^{}:]+?)\s*:\s*(?<value>[^{}]+?)\s+for\s+(?<names>\w+(?:\s*,\s*\w+)*)\s+in\s+(?<xs>[\w.()]+)(?:\s+if\s+(?<test>[^{}]*?))?\s*\})/d,
    message: 'Svc has no comprehensions',
    hint: hashComprehension,
  },
  {
    pattern:
      /(?<at>[[({]\s*(?<value>[^[\]{}]*?)\s+for\s+(?<x>\w+(?:\s*,\s*\w+)*)\s+in\s+(?<xs>[^\]})\s]+)(?:\s+if\s+(?<test>[^\]})]*?))?\s*[\])}])/d,
    message: 'Svc has no comprehensions',
    hint: comprehension,
  },
  {
    pattern: /(?<at>[[({][^[\]]*\sfor\s+[\w, ()]+\sin\s.*[\])}])/d,
    message: 'Svc has no comprehensions',
    hint: 'write `map`, `select` or `to_h` with a block: `xs.map { |x| x * 2 }`',
  },
  {
    pattern: /(?:\b(?<call>[\w.]+(?:\.\w+)?)\()?(?<at>(?:\basync\s*)?(?<params>\([^()]*\)|\b\w+)\s*=>)\s*\{\s*$/d,
    message: 'Svc has no functions with `=>`',
    hint: arrow,
    opens: 'always',
  },
  {
    pattern: /(?:\b(?<call>[\w.]+)\()?(?<at>(?:\basync\s*)?(?<params>\([^()]*\))\s*=>)\s*(?<body>.*)$/d,
    message: 'Svc has no functions with `=>`',
    hint: arrow,
  },
  {
    pattern:
      /(?:\b(?<call>[\w.]+)\(|=\s*)(?<at>(?:\basync\s+)?(?<params>\b[a-z_]\w*)\s*=>)\s*(?<body>.*\b\k<params>\b.*)$/d,
    message: 'Svc has no functions with `=>`',
    hint: arrow,
  },
  {
    pattern: /(?<at>\bfunction)\s*\(/d,
    message: 'Svc has no `function`',
    hint: `write a lambda: ${LAMBDA}`,
    opens: 'always',
  },
  {
    pattern: /(?<at>\bthrow)\s+new\s+(?<type>\w+)(?:\((?<args>[^()]*)\))?/d,
    message: 'Svc has no `throw`',
    hint: ({ type, args }) => `write \`raise ${type}(${args || '…'})\``,
  },
  {
    pattern: /(?<at>\bnew)\s+(?<type>[A-Z]\w*)(?:\((?<args>[^()]*)\))?/d,
    message: 'Svc has no `new`',
    hint: ({ type, args }) => `call the type: \`${type}(${args || '…'})\``,
  },
  {
    pattern: /(?<at>\?\?=)/d,
    code: 'no-operator',
    message: 'Svc has no `??=`',
    hint: 'write `||=`, which also replaces false',
  },
  {
    pattern: /(?<at>\?\?)/d,
    code: 'no-operator',
    message: 'Svc has no `??`',
    hint: 'write `||`, which also replaces false',
  },
  { pattern: /(?<at>\?\.)/d, code: 'no-operator', message: 'Svc has no `?.`', hint: 'write `&.`' },
  {
    pattern: /(?<x>\w+)\s*(?<at>\+\+|--)\s*(?:;|$)/d,
    code: 'no-operator',
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: ({ x, at }) => `write \`${x} ${at[0]}= 1\``,
  },
  {
    pattern: /(?<at>>>>)/d,
    code: 'no-operator',
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: 'write `>>`: Integers have no fixed number of bits',
  },
  {
    pattern: /(?<at><>|~=)/d,
    code: 'no-operator',
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: ({ at }) => (at === '<>' ? '`+` joins strings, `!=` compares' : '`!=` compares'),
  },
  {
    pattern: /(?<at>\bfn)\s+(?<params>[\w, ]*?)\s*->\s*(?<body>.*?)\s*\bend\b/d,
    message: 'Svc has no `fn`',
    hint: ({ params, body }) => `write \`->(${params}) { ${body} }\``,
  },
  {
    pattern: new RegExp(String.raw`${ARROW_LAMBDA}\s*\{\s*$`, 'd'),
    message: 'the parameters of a lambda stand after `->`',
    hint: arrow,
    opens: 'always',
  },
  {
    pattern: new RegExp(String.raw`${ARROW_LAMBDA}\s*(?<body>\S.*)$`, 'd'),
    message: 'the parameters of a lambda stand after `->`',
    hint: arrow,
  },
  {
    pattern: /(?<at>\{\s*(?<items>:\w+\s*,[^{}:]*)\})/d,
    message: 'Svc has no tuples',
    hint: ({ items }) => `write a vector: \`[${items.trim()}]\``,
  },
  {
    pattern: /\((?<at>(?<item>[\w.]+|["'][^"']*["']),)\s*\)/d,
    message: 'Svc has no tuples',
    hint: ({ item }) => `write a vector: \`[${item}]\``,
  },
  {
    pattern: /(?:^|[=\s])begin\s+[^;]*?[^\s;]\s+(?<at>rescue)\s*(?:=>|[A-Z]\w*(?:\s*=>|\s*;))/d,
    message: 'the clause `rescue` begins after a new line or `;`',
    hint: 'write `begin …; rescue => e; … end`',
  },
  {
    pattern: /[=(,]\s*(?<at><<[~-]?(?<name>[a-z]\w*))/d,
    message: ({ at }) => `\`${at}\` begins no text: its word is written in capitals`,
    hint: ({ name }) => `write \`<<~${name.toUpperCase()}\`, and \`${name.toUpperCase()}\` at the end of the text`,
    opens: 'always',
  },
  {
    pattern: /(?:\bdef\s+\w+[?!]?\s*|->\s*)\((?:[^()]*,\s*)?(?<at>\*{1,2})\s*[,)]/d,
    message: ({ at }) => `a parameter with \`${at}\` has a name`,
    hint: ({ at }) => `write \`${at}${at === '*' ? 'rest' : 'options'}\``,
  },
  {
    pattern: /\{\s*(?:[^{}]*,\s*)?(?<at>(?<name>[a-z_]\w*)\((?<params>[^()]*)\)\s*\{)/d,
    message: 'a hash has no methods',
    hint: ({ name, params }) => `write a lambda: \`{${name}: ->(${params}) { … }}\`, and call it: \`h.${name}.()\``,
  },
  {
    pattern: /^\s*(?<at>\[(?<names>\s*\w[^[\]]*)\])\s*=(?![=~])\s*(?<value>.*?);?\s*$/d,
    message: 'names before `=` stand without brackets',
    hint: ({ names, value }) => `write \`${names.replace(/\s*=[^,]*/g, '').trim()} = ${value}\``,
  },
  {
    pattern: /(?<x>[\w.]+)\s*(?<at>:=)\s*(?<value>[^();]*)/d,
    message: 'Svc has no `:=`',
    hint: ({ x, value }) => `write \`${x} = ${value.trim() || '…'}\`; inside a condition, put it in parentheses`,
  },
  { pattern: /\w(?<at>->)[a-z_]/d, message: 'Svc has no `->` between a value and a name', hint: 'write `.`' },
  {
    pattern: /(?<at>\btypeof)\b\s*\(?(?<x>[\w.]+)\)?\s*(?:[!=]==?\s*["'](?<type>[^"']*))?/d,
    message: 'Svc has no `typeof`',
    hint: ({ x, type }) => `write \`${type === 'undefined' ? `${x} == nil` : `${x} is ${TYPEOF[type] ?? 'String'}`}\``,
  },
  {
    pattern: /(?<x>[\w.]+)\s+(?<at>instanceof)\s+(?<type>\w+)/d,
    message: 'Svc has no `instanceof`',
    hint: ({ x, type }) => `write \`${x} is ${type}\``,
  },
  {
    pattern: /(?<x>[\w.\])]+)\s+(?<at>is\s+not)\s+(?<y>\w+)/d,
    message: 'Svc has no `is not`',
    hint: ({ x, y }) => `write \`${x} != ${y === 'None' ? 'nil' : y}\``,
  },
  {
    pattern: /(?<x>[\w.\])]+)\s+(?<at>is)\s+(?<y>\w+)/d,
    message: '`is` asks for a type',
    hint: ({ x, y }) => `write \`${x} == ${y === 'None' ? 'nil' : y}\``,
  },
  {
    pattern: /\braise\b.*(?<at>\bfrom)\s+\w+/d,
    message: '`raise` has no `from`',
    hint: 'leave it out: an error raised in a `rescue` clause has the rescued one as its `cause`',
  },
  {
    pattern: /(?<at>\.\.\.)\s*(?<x>[A-Za-z_]\w*)/d,
    message: 'Svc has no `...` before a value',
    hint: ({ x }) => `write \`*${x}\` for a vector, \`**${x}\` for a hash`,
  },
  {
    pattern: /^\s*(?<at>const|let|var)\s+\{(?<names>[^{}]*)\}\s*=\s*(?<value>.*?);?\s*$/d,
    message: ({ at }) => `\`${at}\` declares no names in braces`,
    hint: ({ names, value }) => `write \`{${names.trim()}} = ${value}\``,
  },
  {
    pattern: /^\s*(?<at>const|let|var)\s+\[(?<names>[^[\]]*)\]\s*=\s*(?<value>.*?);?\s*$/d,
    message: ({ at }) => `\`${at}\` declares no names in brackets`,
    hint: ({ names, value }) => `write \`${names.trim()} = ${value}\``,
  },
  {
    pattern: /^\s*(?<name>[a-z_]\w*)(?<at>:\s*[\w.[\]<>| ]+?)\s*=(?![=>~])\s*(?<value>.*?);?\s*$/d,
    message: 'a variable has no type in Svc',
    hint: ({ name, value }) => `write \`${name} = ${value}\``,
  },
  {
    pattern: /(?<xs>[\w.]+)\[(?<at>(?<from>[^[\]:{}"']*):(?<to>[^[\]:{}"']*))\]/d,
    message: 'Svc has no slices with `:`',
    hint: slice,
  },
  {
    pattern: /\[(?<at>[^[\]{}"']*:[^[\]{}"']*:\s*-?\d*)\]/d,
    message: 'Svc has no slices with `:`',
    hint: 'write a range, `xs[1...3]`, or `xs.reverse`',
  },
  {
    pattern: /^\s*return\s+(?<at>if)\s+(?<cond>.+?)\s+then\s+(?<yes>.+?)\s+else\s+(?<no>.+?)(?:\s+end)?;?\s*$/d,
    message: '`if` after `return` is its condition, which has no `then`',
    hint: ({ cond, yes, no }) => `write \`return ${cond} ? ${yes} : ${no}\``,
  },
  {
    pattern:
      /^(?!.*\bthen\b)(?<head>.*?[^=!<>]=\s*|\s*(?:return|puts|print)\s+)(?<yes>[^=].*?)\s+(?<at>if\s+(?<cond>.+?)\s+else)\s+(?<no>.+?);?\s*$/d,
    message: 'Svc has no `x if c else y`',
    hint: ({ head, yes, cond, no }) => `write \`${head.trim()} ${cond} ? ${yes} : ${no}\``,
  },
  {
    pattern: /^(?!.*\bthen\b).*?(?<at>\bif\s*\((?<cond>[^()]*)\)\s*(?<yes>[^{}]+?)\s+else)\s+(?<no>[^{}]+?);?\s*$/d,
    message: 'a condition in parentheses does not end the head of `if`',
    hint: ({ cond, yes, no }) => `write \`${cond} ? ${yes} : ${no}\``,
  },
  {
    pattern:
      /^(?!.*\bthen\b)\s*(?<body>(?!(?:return|puts|print)\s+(?:if|unless)\b)\S.*?(?<!=))\s+(?<word>if|unless)\s+(?<cond>.+?)\s+(?<at>else)\s+(?<other>\S.*?);?\s*$/d,
    message: ({ word }) => `\`${word}\` after a statement has no \`else\``,
    hint: ({ word, cond, body, other }) => `write \`${word} ${cond} then ${body} else ${other} end\``,
  },
  {
    pattern: /(?:^|[=(,[]\s*)(?<at>\((?<items>[^()]*,[^()]*)\))/d,
    message: 'Svc has no tuples',
    hint: ({ items }) => `write a vector: \`[${items.trim()}]\``,
  },
  {
    pattern: /[(,]\s*(?<at>(?<name>end|key|default|reverse|sep)\s*=)[^=~>]/d,
    message: 'an argument is named with `name: value`',
    hint: ({ name }) =>
      name === 'end' ? 'leave it out: `print` adds no newline, `puts` adds one' : `write \`${name}: …\``,
  },
  {
    pattern: /^\s*(?<at>@[\w.]+\()/d,
    message: 'Svc has no decorators',
    hint: 'call the function: `app.get("/") do … end` registers a route with its handler',
  },
  {
    pattern: /(?<at>@@?[A-Za-z_]\w*)/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: fieldName,
  },
  {
    pattern: /(?<at>\$(?:stderr|stdout|stdin))\b/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: ({ at }) => `write \`${at.slice(1)}\``,
  },
  {
    pattern: /(?<at>\$[A-Za-z_]\w*)/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: ({ at }) => `write \`${at.slice(1)}\`, without \`$\``,
  },
  { pattern: /\b(?<at>Math::(?<name>\w+))/d, message: 'Svc has no `Math`', hint: ({ name }) => `write \`${name}\`` },
  {
    pattern: /[(,]\s*(?<at>&?:(?<sign>[-+*/%]|\*\*))\s*[,)]/d,
    message: 'a symbol names no operator',
    hint: ({ sign }) =>
      sign === '+' ? 'write `.sum`, or a block: `{ |a, b| a + b }`' : `write a block: \`{ |a, b| a ${sign} b }\``,
  },
  {
    pattern: /^\s*for\s+(?<at>(?<names>\{[^{}]*\}))\s*in\s+(?<xs>.+?)(?:\s+do)?\s*$/d,
    message: '`for` takes no names in braces',
    hint: ({ names, xs }) => `write \`for x in ${xs}\`, and \`${names} = x\` as its first line`,
  },
  {
    pattern: /(?:\{|\bdo)\s*\|(?<at>(?<names>\{[^{}|]*\}))\|/d,
    message: 'block parameters have no names in braces',
    hint: ({ names }) => `write \`|x|\`, and \`${names} = x\` as the first statement of the block`,
  },
  {
    pattern:
      /\b(?<type>[A-Z]\w*)(?<at>\.new)[ \t]+(?<args>(?!(?:do|if|unless|and|or|then|rescue|while|until|in|is)\b)["'\w:].*?);?\s*$/d,
    message: 'Svc has no `.new`',
    hint: ({ type, args }) => `call the type: \`${type}(${args})\``,
  },
  {
    pattern: /(?<at>%[iIqQrx])[[({<]/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: 'write `%w[a b]` for a vector of strings',
  },
  {
    pattern: /(?<at>\bend\s+(?:if|while|for|case|def|unless))\s*$/d,
    message: ({ at }) => `unexpected \`${at}\``,
    hint: 'write `end` alone',
  },
  {
    pattern: /^\s*(?<at>end(?:if|while|for|case|switch|def|function))\b/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: 'write `end`',
    opens: 'always',
  },
  {
    pattern: /\|[^|]*(?<at>;)[^|]*\|/d,
    message: 'block parameters have no `;`',
    hint: 'leave out what stands after it: a name that is new in a block belongs to the block',
  },
  {
    pattern: /\bdef\s+(?<at>self\.)(?<name>\w+)/d,
    message: 'Svc has no methods of types',
    hint: ({ name }) => `write a function: \`def ${name}(…)\``,
  },
  {
    pattern: /^\s*(?<at>alias)\s+:?(?<name>\w+)\s+:?(?<other>\w+)/d,
    message: 'Svc has no `alias`',
    hint: ({ name, other }) => `define a function that calls the other: \`def ${name}() ${other}() end\``,
  },
  {
    pattern: /^\s*(?<at>undef)\s/d,
    message: 'Svc has no `undef`',
    hint: 'leave it out: a function cannot be removed',
  },
  { pattern: /(?<at>\bvoid)\s+0\b/d, message: 'Svc has no `void`', hint: 'write `nil`' },
  { pattern: /\w\s(?<at>\.)\s*["']/d, message: '`.` joins no strings', hint: 'write `+`, or `"#{a}#{b}"`' },
];
