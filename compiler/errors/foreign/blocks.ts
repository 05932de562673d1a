import { TYPES_ELSEWHERE } from '../../resolve/foreignnames.js';
import { defFor, generatorFor, recordFor } from '../../diagnostics/declarationhints.js';
import type { Form, Groups } from './form.js';

const switchOf = ({ subject }: Groups): string =>
  `write \`case ${subject.trim()}\`, a line \`when 1\` for each case, and \`end\`; no \`break\` is needed`;
const HANDLERS = 'write `begin`, the statements, `rescue => e`, what to do, `ensure`, the rest, `end`';
const def = ({ name, params }: Groups): string => defFor(name, params);
/** A condition before which `{` opens no block of a call: one in parentheses, or one that ends with a literal. */
const CONDITION = String.raw`(?<cond>\((?:[^()]|\([^()]*\))*\)|[^{|]*?(?:[\s(]-?[\d.]+|["']|\b(?:nil|true|false)))`;
/** A condition without the parentheses around it. */
const plain = (cond: string): string => /^\((.*)\)$/.exec(cond)?.[1] ?? cond;
/** `1 to 5` and `5 downto 1` in Svc. */
const numbers = (from: string, at: string, to: string): string =>
  at === 'downto' ? `${/^\w+$/.test(from) ? from : `(${from})`}.downto(${to})` : `${from}..${to}`;
const END_OF_LINE = 'unexpected `:` at the end of the line';

/** Frequent slips of the keyboard in words that begin a block. */
const SLIPS: Readonly<Record<string, string>> = {
  whlie: 'while',
  wihle: 'while',
  whiel: 'while',
  whille: 'while',
  unles: 'unless',
  unelss: 'unless',
  untli: 'until',
  utnil: 'until',
  csae: 'case',
  bgein: 'begin',
  beign: 'begin',
  dfe: 'def',
  deff: 'def',
  recrod: 'record',
  reocrd: 'record',
};

/** Blocks and declarations of other languages. The first form that matches a line is reported. */
export const BLOCKS: readonly Form[] = [
  {
    pattern: new RegExp(`^\\s*(?<at>${Object.keys(SLIPS).join('|')})\\s+[^\\s=.,]`, 'd'),
    message: ({ at }) => `\`${at}\` begins no block, did you mean \`${SLIPS[at]}\`?`,
    hint: ({ at }) => `write \`${SLIPS[at]}\``,
    opens: 'always',
    word: '',
  },
  {
    pattern: /^\s*(?<at>defmodule)\s+[A-Z][\w.]*/d,
    message: 'Svc has no `defmodule`',
    hint: 'leave it out: a file is a module, whose functions `require "lib/name"` loads',
    opens: 'always',
    word: 'defmodule',
  },
  {
    pattern: /^\s*def\s+\w+[?!]?\s*(?:\([^()]*\))?\s+(?<at>do)\s*$/d,
    message: '`def` has no `do`',
    hint: 'leave it out; `end` on a line of its own closes the function',
    opens: 'always',
  },
  {
    pattern: /^\s*def\s+\w+[?!]?\s*(?:\([^()]*\))?\s*(?<at>\{)(?!.*\bend\b)/d,
    message: '`{` opens no body after `def`',
    hint: 'write the body on the next lines, and `end`',
    opens: 'always',
  },
  {
    pattern: /^\s*def\s+\w+[?!]?\s*\([^()]*\)(?<at>\s*:\s*(?<type>[A-Za-z]\w*))\s*\{?\s*$/d,
    message: 'the type of a result stands after `->`',
    hint: ({ type }) => `write \`-> ${TYPES_ELSEWHERE[type.toLowerCase()] ?? type}\``,
    opens: 'always',
  },
  {
    pattern: /^\s*case\s+[^#]*\S\s+(?<at>do)\s*$/d,
    message: '`case` has no `do`',
    hint: 'leave it out, and begin each clause with `in pattern` or `when value`',
    opens: 'always',
  },
  {
    pattern: /^\s*(?!.*\bdo\s*\|)[^|{=]*[\w)\]"']\s+(?<at>\|(?<names>\s*\w+(?:\s*,\s*\w+)*\s*)\|)\s*$/d,
    message: 'the parameters of a block follow `do` or `{`',
    hint: ({ at }) => `write \`do ${at}\``,
    opens: 'always',
    word: '',
  },
  {
    pattern: /^\s*(?!.*\bdo\s*\|)[^|{=]*(?:\.\w+[?!]?|\))\s+(?<at>\|\s*\w+(?:\s*,\s*\w+)*\s*\|)\s+\S.*\bend\s*$/d,
    message: 'the parameters of a block follow `do` or `{`',
    hint: ({ at }) => `write \`do ${at}\``,
  },
  {
    pattern: /^\s*(?!(?:while|until|for|loop)\b).*[\w)\]"']\s+do\s+(?<at>[a-z_]\w*(?:\s*,\s*[a-z_]\w*)+)\s*$/d,
    message: 'the parameters of a block stand between `|`',
    hint: ({ at }) => `write \`do |${at}|\``,
  },
  {
    pattern: /^\s*(?<at>record)\s+(?<name>[A-Z]\w*)\s*$/d,
    message: 'a record has its fields in parentheses',
    hint: ({ name }) => `write \`record ${name}(field, other)\``,
    opens: 'always',
    word: 'record',
  },
  {
    pattern: /^\s*(?<at>enum)\s+(?<name>[A-Z]\w*)\s*$/d,
    message: 'an enum has its members in parentheses',
    hint: ({ name }) => `write \`enum ${name}(first, second)\``,
    opens: 'always',
    word: 'enum',
  },
  {
    pattern:
      /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?<at>function\b(?:\s*\*)?)\s*(?<name>\w+)\s*\((?<params>[^()]*)/d,
    message: 'Svc has no `function`',
    hint: ({ at, name, params }) => (at.endsWith('*') ? generatorFor(name) : defFor(name, params)),
    opens: 'always',
    word: 'function',
  },
  {
    pattern: /^\s*(?<at>fn|func|fun)\s+(?<name>\w+)\s*\((?<params>[^()]*)/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: def,
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>(?:public|private|protected|static|void)\b(?:\s+\w+)*)\s+(?<name>\w+)\s*\([^()]*\)\s*\{/d,
    message: 'Svc declares a function with `def`',
    hint: ({ name }) => defFor(name, undefined),
    opens: 'always',
  },
  {
    pattern: /^\s*(?:export\s+)?(?<at>class)\s+(?<head>[A-Z]\w*[^{:]*)(?:[{:]\s*|\{.*\}\s*)$/d,
    code: 'no-classes',
    message: 'Svc has no `class`',
    hint: ({ head }) => recordFor(head),
    opens: 'always',
    word: 'class',
  },
  {
    pattern: /^\s*(?:export\s+)?interface\s+(?<name>[A-Z]\w*)[^{]*(?<at>\{)/d,
    message: '`interface` has no braces',
    hint: ({ name }) =>
      `for data write \`record ${name}(field, other)\`; an \`interface\` has lines \`needs name\`, and \`end\``,
    opens: 'always',
    word: 'interface',
  },
  {
    pattern: /^\s*interface\s+[A-Z]\w*\s*(?<at>is\b|<)/d,
    message: 'an interface has no parents',
    hint: 'let the record name both: `record Name(field) is A, B`',
    opens: 'always',
    word: 'interface',
  },
  {
    pattern: /^\s*interface\s+(?<name>[A-Z]\w*)\s+(?<at>needs|def)\b/d,
    message: ({ name, at }) => `unexpected \`${at}\` after \`interface ${name}\``,
    hint: 'write what the interface holds on the next lines, and `end`',
    opens: 'always',
    word: 'interface',
  },
  {
    pattern: /^\s*enum\s+\w+\s*\(.*\)\s*(?<at>do)\s*$/d,
    message: 'an enum has no methods',
    hint: 'write functions that take a member: `def describe(member) … end`',
    opens: 'always',
  },
  {
    pattern: /^\s*enum\s+\w+\s*\(.*\)\s*(?<at>is)\s+[A-Z]/d,
    message: 'an enum has no interfaces',
    hint: 'leave it out: records have interfaces, as in `record Name(field) is Named`',
  },
  {
    pattern: /^\s*enum\s+(?<name>[A-Z]\w*)\s*(?<at>\{)(?<members>[^{}]*)/d,
    message: 'an enum has its members in parentheses',
    hint: ({ name, members }) => `write \`enum ${name}(${members.trim() || 'first, second'})\``,
    until: '}',
    word: 'enum',
  },
  {
    pattern: /^\s*record\s+[A-Z]\w*\s*\([^{}]*\)[^{}()]*(?<at>\{)\s*$/d,
    message: '`{` opens no body after `record`',
    hint: 'write `do`, the methods on the next lines, and `end`',
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>struct)\s+(?<name>[A-Z]\w*)[^{]*\{/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: ({ name }) => `write \`record ${name}(field, other)\``,
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>switch)\s*\((?<subject>.*)\)/d,
    message: 'Svc has no `switch`',
    hint: switchOf,
    opens: 'always',
    word: 'switch',
  },
  {
    pattern: /^\s*(?:[\w.]+\s*=\s*)?(?<at>match)\s+(?<subject>[^={]+?)\s*(?:[:{]|\bdo)\s*$/d,
    message: 'Svc has no `match`',
    hint: switchOf,
    opens: 'always',
    word: 'match',
  },
  {
    pattern: /^\s*(?:[\w.]+\s*=\s*)?(?<at>match)\s+(?<subject>[\w.]+(?:\[[^[\]]*\]|\([^()]*\))*)\s*$/d,
    message: 'Svc has no `match`',
    hint: switchOf,
    opens: 'always',
    word: 'match',
  },
  {
    pattern:
      /^\s*(?:[\w.]+\s*=\s*)?(?<at>switch)\s+(?<subject>[\w.-]+(?:\[[^[\]]*\]|\([^()]*\))*|"[^"]*"|'[^']*')\s*(?:[:{]|\bdo)?\s*$/d,
    message: 'Svc has no `switch`',
    hint: switchOf,
    opens: 'always',
    word: 'switch',
  },
  { pattern: /^\s*(?<at>try)\s*[{:]?\s*$/d, message: 'Svc has no `try`', hint: HANDLERS, opens: 'always', word: 'try' },
  {
    pattern: /^\s*\}?\s*(?<at>catch)\b\s*(?:\(|\{|\w+\s*\{?\s*$)/d,
    message: 'Svc has no `catch`',
    hint: HANDLERS,
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>except)\b/d,
    message: 'Svc has no `except`',
    hint: 'write `rescue`, as in `rescue ValueError => e`',
  },
  {
    pattern: /^\s*\}?\s*(?<at>finally)\s*[{:]/d,
    message: 'Svc has no `finally`',
    hint: 'write `ensure`',
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>for)\s*\(.*;.*;.*\)/d,
    message: 'Svc has no `for (…; …; …)`',
    hint: 'write `for i in 0...5`, the body on the next lines, and `end`',
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>for(?:each)?)\s*\((?:\s*(?:const|let|var)\s+)?\s*(?<x>\w+)\s+(?:of|in)\s+(?<xs>[^{]+)\)/d,
    message: '`for` has no parentheses',
    hint: ({ x, xs }) => `write \`for ${x} in ${xs}\`, the body on the next lines, and \`end\``,
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>foreach)\s*\(\s*(?<xs>\S+)\s+as\s+(?<x>\w+)\s*\)/d,
    message: 'Svc has no `foreach`',
    hint: ({ x, xs }) => `write \`for ${x} in ${xs}\`, the body on the next lines, and \`end\``,
    opens: 'always',
  },
  {
    pattern:
      /^\s*for\s+(?<x>\w+)\s*(?:\bin\b|\bfrom\b|=)\s*\(?(?<from>[^()\s](?:[^()]|\(\))*?)\s+(?<at>(?:up|down)?to)\s+(?<to>(?:(?!\bend\b)[^()]|\(\))+?)\)?(?:\s+(?:do|then)\b.*)?\s*$/d,
    message: ({ at }) => `\`for\` has no \`${at}\``,
    hint: ({ x, at, from, to }) =>
      `write \`for ${x} in ${numbers(from, at, to)}\`, the body on the next lines, and \`end\``,
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>with)\s.*\bas\s+(?<name>\w+)\s*:/d,
    message: 'Svc has no `with`',
    hint: 'write `text = file_read("notes.txt")`: files are read and written as a whole',
    opens: 'always',
  },
  {
    pattern: /^\s*(?:if)\s+__name__\s*==.*(?<at>:)\s*$/d,
    code: 'python-colon',
    message: END_OF_LINE,
    hint: 'a file that is run starts at its first line: write the statements without `if __name__ …`',
    opens: 'always',
  },
  {
    pattern: /^\s*\}\s*else\s+if\b.*(?<at>\{)\s*$/d,
    message: '`{` opens no body after `else if`',
    hint: 'write `elsif` and the condition, the body on the next lines, and `end`',
    opens: 'always',
  },
  {
    pattern: /^\s*(?<word>do)\s*(?<at>\{)\s*$/d,
    message: '`{` opens no body after `do`',
    hint: 'write the body on the next lines; `end while` and the condition close it',
    opens: 'always',
  },
  {
    pattern: new RegExp(
      `^\\s*(?<head>[\\w.]+\\s*=\\s*)?(?<word>if|unless)\\b\\s*${CONDITION}\\s*(?<at>\\{)(?<body>[^{}|]*)\\}(?:\\s*else\\s*\\{(?<other>[^{}|]*)\\})?;?\\s*$`,
      'd',
    ),
    message: ({ word }) => `\`{\` opens no body after \`${word}\``,
    hint: ({ head, word, cond, body, other }) =>
      `write \`${head}${word} ${plain(cond)} then ${body.trim()} ${other === '' ? '' : `else ${other.trim()} `}end\``,
  },
  {
    pattern: new RegExp(`^\\s*(?<word>while|until)\\b\\s*${CONDITION}\\s*(?<at>\\{)(?<body>[^{}|]*)\\};?\\s*$`, 'd'),
    message: ({ word }) => `\`{\` opens no body after \`${word}\``,
    hint: ({ word, cond, body }) => `write \`${word} ${plain(cond)} do ${body.trim()} end\``,
  },
  {
    pattern: /^\s*\}?\s*(?:[\w.]+\s*=\s*)?(?<word>if|unless|while|until|else|do|begin)\b[^|]*(?<at>\{)\s*$/d,
    message: ({ word }) => `\`{\` opens no body after \`${word}\``,
    hint: 'write the body on the next lines, and `end`',
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>async)\s+(?:def|function)\b/d,
    message: 'Svc has no `async`',
    hint: 'leave it out: every function may wait, and other threads run meanwhile',
    opens: 'always',
  },
  {
    pattern:
      /^\s*(?:def|if|elif|elsif|elseif|else|for|while|until|unless|class|case|when|begin|ensure|rescue)\b.*(?<at>:)\s*$/d,
    code: 'python-colon',
    message: END_OF_LINE,
    hint: 'leave it out; `end` on a line of its own closes the block',
    opens: 'unclosed',
  },
  {
    pattern: /^\s*(?:if|elif|elsif|while|unless)\b[^?{"']*[^?{"':\s](?<at>:)\s+\S/d,
    code: 'python-colon',
    message: 'unexpected `:` after the condition',
    hint: 'write `then` instead, and `end` after the statement',
  },
  {
    pattern: /^\s*(?<word>if|while|unless)\s*(?<at>\((?<cond>.*)\))\s*(?<body>\w[^{]*?);?\s*$/d,
    message: ({ word }) => `a condition in parentheses does not end the head of \`${word}\``,
    hint: ({ word, cond, body }) => `write \`${body} ${word} ${cond}\``,
  },
];
