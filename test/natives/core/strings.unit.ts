import t from 'tap';
import { Range } from '../../../vm/values/structured.js';
import { ErrorValue, Errors } from '../../../vm/values/error.js';
import { compileRegex } from '../../../vm/values/regex/index.js';
import type { Value } from '../../../vm/values/value.js';
import { call, h, send, shown } from './support.js';

const re = (source: string, flags = ''): Value => compileRegex(source, flags);

/** Receiver, method, arguments, output of `p`. */
// prettier-ignore
const METHODS: [string, string, Value[], string][] = [
  ['straße', 'upcase', [], '"STRASSE"'],
  ['ÄB', 'downcase', [], '"äb"'],
  ['éCOLE', 'capitalize', [], '"École"'],
  ['Hello', 'swapcase', [], '"hELLO"'],
  ["it's o'neil’s WIDE-world", 'title', [], '"It\'s O\'neil’s Wide-World"'],
  ['Straße', 'casecmp?', ['STRASSE'], 'true'],
  ['a😀é', 'length', [], '3'],
  ['a😀é', '[]', [1], '"😀"'],
  ['a😀é', '[]', [-2], '"😀"'],
  ['a😀é', '[]', [3], 'nil'],
  ['a😀é', '[]', [-4], 'nil'],
  ['hello', '[]', [new Range(1, 3, false)], '"ell"'],
  ['hello', '[]', [new Range(-3, -1, false)], '"llo"'],
  ['hello', '[]', [new Range(2, null, false)], '"llo"'],
  ['hello', '[]', [new Range(6, 7, false)], 'nil'],
  ['hello', '[]', ['ell'], '"ell"'],
  ['hello', '[]', [re('l+')], '"ll"'],
  ['hello', '[]', [null], 'TypeError: String.[](): index must be Integer, Range, String or Regex, got nil'],
  ['a😀b😀', 'slice', [1, 2], '"😀b"'],
  ['abc', 'slice', [-2, 5], '"bc"'],
  ['abc', 'slice', [3, 1], '""'],
  ['abc', 'slice', [4, 1], 'nil'],
  ['a😀b😀', 'index', ['😀', 2], '3'],
  ['abc', 'index', ['x'], 'nil'],
  ['abcabc', 'index', [re('[bc]'), -2], '4'],
  ['a😀b😀', 'rindex', ['😀'], '3'],
  ['abcabc', 'rindex', ['b', 3], '1'],
  ['abcabc', 'rindex', [re('[ab]')], '4'],
  ['abc', 'include?', ['bc'], 'true'],
  ['abc', 'start_with?', ['x', 'ab'], 'true'],
  ['abc', 'start_with?', [re('b')], 'false'],
  ['abc', 'end_with?', ['bc', 'x'], 'true'],
  ['14', 'insert', [1, '.'], '"1.4"'],
  ['ab', 'insert', [-1, 'c'], '"abc"'],
  ['😀b', 'insert', [1, 'a'], '"😀ab"'],
  ['ab', 'insert', [3, 'c'], 'IndexError: index 3 is outside of a text with 2 characters'],
  ['c', 'prepend', ['a', 'b'], '"abc"'],
  ['prefix-x', 'delete_prefix', ['prefix-'], '"x"'],
  ['a.txt', 'delete_suffix', ['.txt'], '"a"'],
  ['a.txt', 'delete_suffix', [''], '"a.txt"'],
  ['hello', 'tr', ['el', 'ip'], '"hippo"'],
  ['hello', 'tr', ['a-y', 'b-z'], '"ifmmp"'],
  ['hello', 'tr', ['^l', '*'], '"**ll*"'],
  ['hello', 'tr', ['l', ''], '"heo"'],
  ['a-b', 'tr', ['-', '_'], '"a_b"'],
  ['a-b^c', 'tr', ['\\-\\^', '  '], '"a b c"'],
  ['aabbcc', 'tr_s', ['ab', 'x'], '"xcc"'],
  ['hello', 'tr', ['z-a', 'x'], 'ValueError: range in "z-a" runs backwards'],
  ['hello', 'delete', ['l-o'], '"he"'],
  ['aaabbb  c', 'squeeze', [], '"ab c"'],
  ['aaabbb', 'squeeze', ['a'], '"abbb"'],
  ['hello world', 'count', ['lo'], '5'],
  ['h2o', 'count', ['^0-9'], '2'],
  ['ab', 'center', [7], '"  ab   "'],
  ['ab', 'center', [7, 'xy'], '"xyabxyx"'],
  ['é😀', 'ljust', [4, '.'], '"é😀.."'],
  ['7', 'rjust', [3, '0'], '"007"'],
  ['abc', 'rjust', [2], '"abc"'],
  ['a', 'ljust', [3, ''], 'ValueError: padding must not be empty'],
  ['a', 'ljust', [2 ** 40], 'MemoryError: text would be longer than 268435456 characters'],
  [' \t a \n', 'strip', [], '"a"'],
  [' a ', 'lstrip', [], '"a "'],
  [' a ', 'rstrip', [], '" a"'],
  ['a\r\n', 'chomp', [], '"a"'],
  ['a\n\n', 'chomp', [], '"a\\n"'],
  ['a.rb', 'chomp', ['.rb'], '"a"'],
  ['ab😀', 'chop', [], '"ab"'],
  ['', 'chop', [], '""'],
  ['a\nb\n\nc', 'lines', [], '["a\\n", "b\\n", "\\n", "c"]'],
  ['a\r\nb', 'lines', [true], '["a", "b"]'],
  ['a😀', 'chars', [], '["a", "😀"]'],
  ['é', 'bytes', [], '[195, 169]'],
  ['a😀', 'codepoints', [], '[97, 128512]'],
  ['a😀é', 'reverse', [], '"é😀a"'],
  ['é', 'ord', [], '233'],
  ['', 'ord', [], 'ValueError: ord(): the text is empty'],
  ['az', 'succ', [], '"ba"'],
  ['a', 'upto', ['e'], '["a", "b", "c", "d", "e"]'],
  ['a b  c ', 'split', [], '["a", "b", "c"]'],
  ['a,b,,c,,', 'split', [','], '["a", "b", "", "c"]'],
  ['a,b,,c,,', 'split', [',', -1], '["a", "b", "", "c", "", ""]'],
  ['a,b,c', 'split', [',', 2], '["a", "b,c"]'],
  [' a  b c', 'split', [' ', 2], '["a", "b c"]'],
  ['', 'split', [','], '[]'],
  ['ab😀', 'split', [''], '["a", "b", "😀"]'],
  ['a1b22c', 'split', [re('\\d+')], '["a", "b", "c"]'],
  ['a1b2c', 'split', [re('(\\d)')], '["a", "1", "b", "2", "c"]'],
  ['a😀b', 'split', [re('')], '["a", "😀", "b"]'],
  ['k=v=w', 'partition', ['='], '["k", "=", "v=w"]'],
  ['k', 'partition', ['='], '["k", "", ""]'],
  ['k=v=w', 'rpartition', ['='], '["k=v", "=", "w"]'],
  ['a1b2', 'rpartition', [re('\\d')], '["a1b", "2", ""]'],
  ['é', 'encode', ['ascii'], 'ValueError: ascii has no character "é"'],
  ['é!', 'encode', ['ascii', '?'], '"?!"'],
  ['é', 'encode', ['latin-1'], '"é"'],
  ['é', 'encode', ['ebcdic'], 'ValueError: unknown encoding "ebcdic"'],
  ['%05.1f|%s', 'format', [3, 'x'], '"003.0|x"'],
  ['a', 'to_sym', [], '"a"'],
  ['a.b.a', 'replace', ['.', '-'], '"a-b-a"'],
];

t.test('methods of String', async (t) => {
  for (const [text, name, args, expected] of METHODS)
    t.equal(
      shown(() => send(text, name, args)),
      expected,
      `${JSON.stringify(text)}.${name}`,
    );
});

t.test('methods of an error work on its message', async (t) => {
  const error = new ErrorValue(Errors.ValueError, 'bad news');
  t.equal(send(error, 'upcase'), 'BAD NEWS');
  t.equal((send(error, 'split') as Value[]).length, 2);
  t.equal(send(error, 'gsub', ['bad', 'good']), 'good news');
});

t.test('paste joins values and vectors', async (t) => {
  t.equal(call('paste', ['a', 1, null]), 'a 1 ');
  t.equal(call('paste', ['a', 'b'], { sep: '-' }), 'a-b');
  t.equal(
    shown(() => call('paste', [['a', 'b'], 1])),
    '["a 1", "b 1"]',
  );
  t.equal(
    call(
      'paste',
      [
        ['a', 'b'],
        [1, 2],
      ],
      { sep: '', collapse: ', ' },
    ),
    'a1, b2',
  );
  t.match(
    shown(() => call('paste', [['a'], [1, 2]])),
    'ValueError: paste(): vectors have different lengths',
  );
});

t.test('template fills in values by name', async (t) => {
  t.equal(call('template', ['Hi {{name}}, {{ n }}!', h({ name: 'Ann', n: 2 })]), 'Hi Ann, 2!');
  t.equal(call('template', ['{{user.tags.1}}', h({ user: h({ tags: ['a', 'b'] }) })]), 'b');
  t.equal(call('template', ['{{a}}', h({ a: '{{b}}', b: 'x' })]), '{{b}}', 'values are not filled in again');
  t.equal(call('template', ['{ {a} } {{}}', h({})]), '{ {a} } {{}}');
  t.equal(
    shown(() => call('template', ['{{nam}}', h({ name: 1 })])),
    "KeyError: template(): no value for 'nam', did you mean 'name'?",
  );
});
