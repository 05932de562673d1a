import type { Form } from './form.js';

const SWITCH = 'write `case x`, a line `when 1` for each case, and `end`; no `break` is needed';
const RECORD = 'write `record Name(field, other) do`, its methods, `end`';
const HANDLERS = 'write `begin`, the statements, `rescue ValueError => e`, what to do, `ensure`, the rest, `end`';
const END_OF_LINE = 'unexpected `:` at the end of the line';

/** Blocks and declarations of other languages. The first form that matches a line is reported. */
export const BLOCKS: readonly Form[] = [
  {
    pattern: /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?<at>function\b\s*\*?)\s*(?<name>\w+)\s*\(/d,
    message: 'Svc has no `function`',
    hint: ({ name }) => `write \`def ${name}(…)\`, the body on the next lines, and \`end\``,
    opens: 'always',
    word: 'function',
  },
  {
    pattern: /^\s*(?<at>fn|func|fun)\s+(?<name>\w+)\s*\(/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: ({ name }) => `write \`def ${name}(…)\`, the body on the next lines, and \`end\``,
    opens: 'always',
  },
  {
    pattern: /^\s*(?<at>(?:public|private|protected|static|void)\b(?:\s+\w+)*)\s+(?<name>\w+)\s*\([^()]*\)\s*\{/d,
    message: 'Svc declares a function with `def`',
    hint: ({ name }) => `write \`def ${name}(…)\`, the body on the next lines, and \`end\``,
    opens: 'always',
  },
  {
    pattern: /^\s*(?:export\s+)?(?<at>class)\s+[A-Z]\w*[^{:]*[{:]\s*$/d,
    code: 'no-classes',
    message: 'Svc has no `class`',
    hint: RECORD,
    opens: 'always',
    word: 'class',
  },
  {
    pattern: /^\s*(?:export\s+)?(?<at>interface|struct)\s+[A-Z]\w*[^{]*\{/d,
    message: ({ at }) => `Svc has no \`${at}\``,
    hint: 'write `record Name(field, other)`',
    opens: 'always',
    word: 'interface',
  },
  {
    pattern: /^\s*(?<at>switch)\s*\(/d,
    message: 'Svc has no `switch`',
    hint: SWITCH,
    opens: 'always',
    word: 'switch',
  },
  {
    pattern: /^\s*(?<at>match)\s+[^=]+:\s*$/d,
    message: 'Svc has no `match`',
    hint: SWITCH,
    opens: 'always',
    word: 'match',
  },
  { pattern: /^\s*(?<at>try)\s*[{:]\s*$/d, message: 'Svc has no `try`', hint: HANDLERS, opens: 'always', word: 'try' },
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
