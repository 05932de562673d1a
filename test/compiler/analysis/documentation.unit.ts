import t from 'tap';
import { documentationOf } from '../../../compiler/analysis/documentation.js';
import { exampleNames, exampleProgram, examplesOf, expectedOutput } from '../../../compiler/analysis/examples.js';
import { parse } from '../../../compiler/parse.js';

t.test('examples stand in documentation comments', (t) => {
  const text = [
    '## A sum.',
    '##',
    '## ```svc',
    '## puts sum(1, 2)',
    '## # expect: 3',
    '##   indented',
    '## ```',
    '##',
    '## ```json',
    '## {"a": 1}',
    '## ```',
    '## ```',
    '## no language',
    '## ```',
    'def sum(a, b) = a + b',
    '',
    'x = """',
    '## ```svc',
    '## puts "in a text"',
    '## ```',
    '"""',
    'y = <<~DOC',
    '## ```svc',
    '## puts "in a heredoc"',
    '## ```',
    'DOC',
    '# ```svc',
    '# puts "in a plain comment"',
    '# ```',
    '## ```svc',
    '## puts "not closed"',
    'z = 1',
    '  ## ```svc\r',
    '  ## puts 2\r',
    '  ## ```\r',
  ].join('\n');
  t.strictSame(examplesOf(text), [
    { code: 'puts sum(1, 2)\n# expect: 3\n  indented\n', line: 4, indents: [3, 3, 3], isOpen: false },
    { code: 'puts "not closed"\n', line: 31, indents: [3], isOpen: true },
    { code: 'puts 2\n', line: 34, indents: [5], isOpen: false },
  ]);
  t.strictSame(examplesOf(''), []);
  t.strictSame(examplesOf('## ```svc\n## ```'), [{ code: '\n', line: 2, indents: [], isOpen: false }]);
  t.match(examplesOf('## ```svc\n## f'), [{ code: 'f\n', line: 2, isOpen: true }], 'at the end of the file');
  t.strictSame(examplesOf('## ```json\n## f\n'), [], 'another language');
  t.end();
});

t.test('examples become tests at their lines and columns', (t) => {
  const text = [
    '## ```svc',
    '## puts add(1, 2)  # => 3',
    '## ```',
    '## ```svc',
    '## puts "# => x" # => # => x',
    '## puts "a',
    '## # => b"',
    '## # =>',
    '## ```',
    'def add(a, b) = a + b',
    'record Money(cents) do',
    '  ## ```svc',
    '  ## nil',
    '  ## ```',
    '  def twice() = 2',
    'end',
    '## ```svc',
    '## nil',
    '## ```',
  ].join('\n');
  const examples = examplesOf(text);
  t.strictSame(exampleNames(text, parse('a.svc', text).module, examples), ['add', 'add (2)', 'Money.twice', 'line 17']);
  t.equal(
    exampleProgram(examples[0], 'say "#{x}"'),
    'require "the documented file"; test("say \\"\\#{x}\\"") do\n   puts add(1, 2)  # => 3\nend\n',
  );
  t.strictSame(exampleProgram(examples[1], 'add').split('\n').slice(3), [
    'test("add") do',
    '   puts "# => x" # => # => x',
    '   puts "a',
    '# => b"',
    '   # =>',
    'end',
    '',
  ]);
  t.strictSame(examples.map(expectedOutput), [
    [{ text: '3', line: 2 }],
    [
      { text: '# => x', line: 5 },
      { text: '', line: 8 },
    ],
    [],
    [],
  ]);
  t.end();
});

t.test('the public names of a file', (t) => {
  const text = `# Money in whole cents.
# It has no currency.

## Adds.
def add(a: Int, b = 2, *rest, name:, **others) -> Int
  a + b
end
private def hidden() = 1
def _own() = 2
## An amount.
record Money(cents: Int) is Named do
  ## The sum.
  def +(other) = Money(cents + other.cents)
  def bare() = cents
end
enum Level(low, high)
enum Event(Opened(at: Int, note: String? = nil), Closed(at, by = "me"), Tick)
## Nothing left.
error Empty < RuntimeError
## The most.
MOST = 5
LONG = "${'x'.repeat(100)}"
variable = 1
interface Named
  needs name, scale(by, to:)
end
`;
  const { introduction, items } = documentationOf({ text, tree: parse('a', text).module });
  t.equal(introduction, 'Money in whole cents.\nIt has no currency.');
  t.strictSame(
    items.map(({ signature, doc }) => [signature, doc]),
    [
      ['def add(a: Int, b = 2, *rest, name:, **others) -> Int', 'Adds.'],
      ['record Money(cents: Int) is Named', 'An amount.'],
      ['enum Level(low, high)', ''],
      ['enum Event(Opened(at: Int, note: String? = nil), Closed(at, by = "me"), Tick)', ''],
      ['error Empty < RuntimeError', 'Nothing left.'],
      ['MOST = 5', 'The most.'],
      ['LONG', ''],
      ['interface Named needs name, scale(by, to:)', ''],
    ],
  );
  t.strictSame(
    items[1].members.map(({ signature, doc }) => [signature, doc]),
    [
      ['def +(other)', 'The sum.'],
      ['def bare()', ''],
    ],
  );
  const exporting = 'export two\ndef one() = 1\ndef two() = 2\n';
  t.strictSame(
    documentationOf({ text: exporting, tree: parse('a', exporting).module }).items.map(({ name }) => name),
    ['two'],
  );
  t.end();
});
