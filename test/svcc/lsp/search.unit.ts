import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { referencesTo, renaming } from '../../../svcc/lsp/crossfile.js';
import { Workspace } from '../../../svcc/lsp/workspace.js';
import { nodeHost, processStreams } from '../../../svcc/host.js';

/** A program of two files, and one that has nothing to do with it. */
const FILES: Record<string, string> = {
  'sums.svc': 'def total(list, start = 0)\n  held = start + list.sum()\n  held\nend\n\nrecord Box(size)\n',
  'app.svc': 'require "sums"\nlist = [1, 2]\nputs total(list), Box(total(list)).size\n',
  'other.svc': 'total = 5\ntotals = [total]\nputs totals\n',
};

function workspaceOf(t: Test, files = FILES): { workspace: Workspace; folder: string } {
  const folder = t.testdir({});
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const workspace = new Workspace(nodeHost(processStreams()));
  workspace.roots = [folder];
  return { workspace, folder };
}

const patience = { pause: () => Promise.resolve(true) };

/** What the text `part` in a file stands for, and the program that begins with the file. */
function named({ workspace, folder }: ReturnType<typeof workspaceOf>, file: string, part: string) {
  const path = join(folder, file);
  const facts = workspace.facts(path)!;
  const at = readFileSync(path, 'utf8').indexOf(part);
  const { target } = facts.occurrences(facts.program.entry).find(({ start }) => start === at)!;
  return { facts, target };
}

/** The texts of the files after a change of a name; or why it is refused. */
async function renamed(
  t: Test,
  file: string,
  part: string,
  name: string,
  files = FILES,
): Promise<Record<string, string> | string> {
  const opened = workspaceOf(t, files);
  const { facts, target } = named(opened, file, part);
  const result = await renaming(opened.workspace, facts, target, name, patience);
  if (result === null) return 'cancelled';
  if ('problem' in result) return opened.workspace.readable(result.problem);
  const texts: Record<string, string> = {};
  const changes = [
    ...result.edits,
    // Marked, so that tests see which ones are to be confirmed.
    ...result.uncertain.map((edit) => ({ ...edit, text: `?${edit.text}` })),
  ].sort((a, b) => b.start - a.start);
  for (const { path, start, end, text } of changes) {
    const of = path.slice(opened.folder.length + 1);
    const before = texts[of] ?? files[of];
    texts[of] = before.slice(0, start) + text + before.slice(end);
  }
  return texts;
}

t.test('references are searched for in the programs that can use a name', async (t) => {
  const opened = workspaceOf(t);
  const { workspace, folder } = opened;
  const { facts, target } = named(opened, 'sums.svc', 'total');
  const places = await referencesTo(workspace, facts, target, true, patience);
  t.strictSame(
    places?.map(({ path, start }) => `${path.slice(folder.length + 1)}:${start}`),
    ['app.svc:34', 'app.svc:51', 'sums.svc:4'],
  );
  const [sums, app, other] = ['sums', 'app', 'other'].map((name) => join(folder, `${name}.svc`));
  t.equal(workspace.mayUse(app, sums), true);
  t.equal(workspace.mayUse(other, sums), false);
  writeFileSync(other, 'require "sums"\nputs total([3])\n');
  t.equal(workspace.mayUse(other, sums), true, 'a file that has changed may use another one');
  t.equal((await referencesTo(workspace, facts, target, true, patience))?.length, 4);
});

t.test('a name counts as a whole', (t) => {
  const { workspace, folder } = workspaceOf(t, {
    'a.svc': 'total = 1\n',
    'b.svc': 'totals = 1; subtotal = 2\n',
    'c.svc': 'totals = 1; puts [totals, total]\n',
    'd.svc': 'étotal = 1\n',
  });
  t.strictSame(
    workspace.mentioning(['total']),
    ['a.svc', 'c.svc'].map((name) => join(folder, name)),
  );
  t.strictSame(workspace.mentioning(['']), []);
  t.end();
});

t.test('new names', async (t) => {
  t.strictSame(await renamed(t, 'sums.svc', 'held', 'kept'), {
    'sums.svc': FILES['sums.svc'].replaceAll('held', 'kept'),
  });
  t.strictSame(await renamed(t, 'app.svc', 'total', 'sum_of'), {
    'sums.svc': FILES['sums.svc'].replace('total', 'sum_of'),
    'app.svc': FILES['app.svc'].replaceAll('total', 'sum_of'),
  });
  t.strictSame(await renamed(t, 'sums.svc', 'size', 'width'), {
    'sums.svc': FILES['sums.svc'].replace('size', 'width'),
    'app.svc': FILES['app.svc'].replace('.size', '.width'),
  });
  t.match(await renamed(t, 'sums.svc', 'held', 'list'), /'list' has another meaning in sums\.svc:\d/);
  t.match(
    await renamed(t, 'sums.svc', 'total', 'list'),
    /'list' (?:has another meaning|would be an error) in app\.svc/,
  );
  t.match(await renamed(t, 'sums.svc', 'held', 'while'), "'while' is a word of the language");
  t.match(await renamed(t, 'sums.svc', 'Box', 'box'), "names such as 'Box' begin with a capital");
  t.match(await renamed(t, 'sums.svc', 'held', ''), "'' is not a name");
});

t.test('a search that is not wanted any more ends', async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`use${i}.svc`, 'require "sums"\nputs total([1])\n']),
  );
  const opened = workspaceOf(t, { ...FILES, ...many });
  const { facts, target } = named(opened, 'sums.svc', 'total');
  t.equal(await referencesTo(opened.workspace, facts, target, true, { pause: () => Promise.resolve(false) }), null);
});

/** Templates that use names which the file that compiles them does not contain. */
const PAGES: Record<string, string> = {
  'lib/util.svc': 'def money(n) = "#{n} EUR"\n\nLIMIT = 5\n\nrecord Item(label)\n',
  'app.svc':
    'require "lib/util"\napp = web_app()\napp.templates("views")\napp.get("/") { |req| render("page", {price: 40, goods: []}) }\n',
  'other.svc': 'app = web_app()\napp.templates("elsewhere")\n',
  'views/page.html.erb':
    '<p><%= money(price) %></p>\n<% for item in goods %><i><%= item.label %></i><% end %>\n<%= LIMIT %>\n',
  'elsewhere/page.html.erb': '<p><%= money %></p>\n',
};

t.test('names in templates', async (t) => {
  const opened = workspaceOf(t, PAGES);
  const { facts, target } = named(opened, 'lib/util.svc', 'LIMIT');
  t.strictSame(
    (await referencesTo(opened.workspace, facts, target, true, patience))?.map(({ path }) =>
      path.slice(opened.folder.length + 1),
    ),
    ['lib/util.svc', 'views/page.html.erb'],
  );
  const change = (part: string, name: string) => renamed(t, 'lib/util.svc', part, name, PAGES);
  t.strictSame(await change('money', 'euros'), {
    'lib/util.svc': PAGES['lib/util.svc'].replace('money', 'euros'),
    'views/page.html.erb': PAGES['views/page.html.erb'].replace('money', 'euros'),
  });
  t.strictSame(await change('LIMIT', 'MAX'), {
    'lib/util.svc': PAGES['lib/util.svc'].replace('LIMIT', 'MAX'),
    'views/page.html.erb': PAGES['views/page.html.erb'].replace('LIMIT', 'MAX'),
  });
  t.strictSame(
    await change('label', 'title'),
    {
      'lib/util.svc': PAGES['lib/util.svc'].replace('label', 'title'),
      'views/page.html.erb': PAGES['views/page.html.erb'].replace('item.label', 'item.?title'),
    },
    'a member of an unknown value is to be confirmed',
  );
  t.match(
    await change('money', 'price'),
    /^'price' has another meaning in views\/page\.html\.erb:1$/,
    'a value that is passed to the template',
  );
});

/** Renames in a program of one file. */
function renamedIn(t: Test, text: string, part: string, name: string): Promise<Record<string, string> | string> {
  return renamed(t, 'app.svc', part, name, { 'app.svc': text });
}

t.test('named arguments of unknown calls are to be confirmed', async (t) => {
  const account = `record Acc(total) do
  def fee(rate: 2) = total * rate
  def twice() = fee(rate: 4)
end
def use(acc, make)
  rate = 3
  puts acc.fee(rate: 3), acc.fee(rate:), acc.other(rate: 1), "a".fee(rate: 1)
  puts make(total: 1), make.call(total: 2), acc.with(total: 3), acc.fee(total: 4)
end
use(Acc(1), Acc)
puts Acc(1).fee(rate: 5), Acc(total: 1).with(total: 2)
`;
  const marked = account
    .replace('def fee(rate: 2) = total * rate', 'def fee(part: 2) = total * part')
    .replace('fee(rate: 4)', 'fee(part: 4)')
    .replace('acc.fee(rate: 3), acc.fee(rate:)', 'acc.fee(?part: 3), acc.fee(?part: rate)')
    .replace('Acc(1).fee(rate: 5)', 'Acc(1).fee(part: 5)');
  t.strictSame(await renamedIn(t, account, 'rate', 'part'), { 'app.svc': marked });
  const positional = (text: string): string => text.replace(': 2) = total', ') = total');
  t.strictSame(await renamedIn(t, positional(account), 'rate', 'part'), { 'app.svc': positional(marked) });
  t.strictSame(
    await renamedIn(t, account, 'total', 'sum'),
    {
      'app.svc': account
        .replace('record Acc(total)', 'record Acc(sum)')
        .replace('= total *', '= sum *')
        .replace(
          'make(total: 1), make.call(total: 2), acc.with(total: 3)',
          'make(?sum: 1), make.call(?sum: 2), acc.with(?sum: 3)',
        )
        .replace('Acc(total: 1).with(total: 2)', 'Acc(sum: 1).with(sum: 2)'),
    },
    'fields',
  );
  t.strictSame(
    await renamedIn(
      t,
      'def area(width) = width\ndef use(f) = f(width: 1) + f.call(width: 2)\nputs use(area)\n',
      'width',
      'w',
    ),
    { 'app.svc': 'def area(w) = w\ndef use(f) = f(?w: 1) + f.call(?w: 2)\nputs use(area)\n' },
    'functions as values',
  );
  const shape =
    'interface Shape\n  def grow(by) = by\nend\nrecord Sq(a) is Shape\ndef f(s: Shape?) = s.grow(by: 2)\nputs Sq(1).grow(by: 4)\n';
  t.strictSame(
    await renamedIn(t, shape, 'by', 'factor'),
    { 'app.svc': shape.replaceAll('by', 'factor').replace('s.grow(factor', 's.grow(?factor') },
    'parameters of methods of interfaces',
  );
  t.strictSame(
    await renamedIn(t, 'def tag(name, **attrs) = attrs\nputs tag("p", attrs: 5)\n', 'attrs', 'more'),
    { 'app.svc': 'def tag(name, **more) = more\nputs tag("p", attrs: 5)\n' },
    'entries of a hash of options',
  );
});

t.test('a parameter does not take entries of the options', async (t) => {
  const tag = 'def tag(name, color: "red", **attrs) = [color, attrs]\n';
  t.equal(
    await renamedIn(t, `${tag}puts tag("p", width: 5)\n`, 'color', 'width'),
    "'width' has another meaning in app.svc:2",
  );
  t.strictSame(await renamedIn(t, `${tag}puts tag("p", color: 5, size: 1)\n`, 'color', 'width'), {
    'app.svc': `${tag.replaceAll('color', 'width')}puts tag("p", width: 5, size: 1)\n`,
  });
  const helper = 'def helper(a, opts = {}) = [a, opts]\n';
  for (const [call, part] of [
    ['helper(1, count: 3)', 'opts'],
    ['helper(1, count: 3)', 'a,'],
    ['helper(1, count:)', 'opts'],
  ])
    t.equal(
      await renamedIn(t, `${helper}count = 1\nputs ${call}, count\n`, part, 'count'),
      "'count' has another meaning in app.svc:3",
    );
  const record = `record Page(text) do\n  ${tag.trim()}\nend\ndef show(page) = page.tag("p", width: 5)\nputs show(Page("a"))\n`;
  t.match(await renamedIn(t, record, 'color', 'width'), /^'width' may have another meaning in app\.svc:4, where/);
  const fixed = record.replace(', **attrs', '').replace(', attrs', '');
  t.strictSame(
    await renamedIn(t, fixed, 'color', 'width'),
    { 'app.svc': fixed.replaceAll('color', 'width') },
    'a method without options is not meant',
  );
});

t.test('methods that the language calls keep their names', async (t) => {
  const calls = (name: string): string => `the language itself calls the method '${name}' of records`;
  const text = `record Bag(list) do
  def to_s() = "bag"
  def fee(a) = a
  def +(other) = other
  def each(f) = list.each(f)
end
interface Shown
  needs inspect
end
def twice(bag) = [bag.copy, bag.map { it }]
puts twice(Bag([1])), Bag([2]).fee(3)
`;
  for (const [part, name, called] of [
    ['to_s', 'text', 'to_s'],
    ['each', 'walk', 'each'],
    ['+', 'plus', '+'],
    ['inspect', 'look', 'inspect'],
    ['fee', 'to_json', 'to_json'],
    ['fee', 'each', 'each'],
  ])
    t.equal(await renamedIn(t, text, part, name), calls(called), `${part} to ${name}`);
  for (const name of ['copy', 'map'])
    for (const part of ['fee', 'list'])
      t.match(
        await renamedIn(t, text, part, name),
        /'(?:copy|map)' (?:may have|has) another meaning in app\.svc/,
        name,
      );
  t.strictSame(
    await renamedIn(t, text, 'fee', 'type'),
    { 'app.svc': text.replaceAll('fee', 'type') },
    'no value of unknown type is asked for its type',
  );
  const store = `record Store(held) do
  def get(id) = held[id]
  def set(id, value, seconds) = nil
  def delete(id) = nil
end
`;
  const app = (settings: string): string => `app = web_app()\napp.sessions(${settings})\n`;
  t.equal(
    await renamedIn(t, store + app('secret: env("KEY"), store: Store({})'), 'get', 'find'),
    "the library calls the method 'get' of the store of sessions in app.svc:7",
  );
  const files = { 'store.svc': store, 'app.svc': `require "store"\n${app('secret: "a", store: Store({})')}` };
  t.match(
    await renamed(t, 'store.svc', 'delete', 'remove', files),
    /the library calls the method 'delete' .+ in app\.svc:3$/,
  );
  t.type(await renamedIn(t, store + app('secret: env("KEY")'), 'get', 'find'), 'object');
});

t.test('members of records that a program passes to files which do not use theirs', async (t) => {
  const files = {
    'model.svc': 'record Note(title) do\n  def short(width) = title[0...width]\nend\n',
    'show.svc': 'def show(note) = [note.title, note.short(width: 3)]\n',
    'deep.svc': 'require "show"\n',
    'app.svc': 'require "model"\nrequire "deep"\nputs show(Note("a"))\n',
    'apart.svc': 'def other(page) = [page.title, page.short(width: 3)]\n',
  };
  const change = (part: string, name: string) => renamed(t, 'model.svc', part, name, files);
  t.strictSame(await change('title', 'heading'), {
    'model.svc': files['model.svc'].replaceAll('title', 'heading'),
    'show.svc': files['show.svc'].replace('title', '?heading'),
  });
  t.strictSame(await change('short', 'brief'), {
    'model.svc': files['model.svc'].replace('short', 'brief'),
    'show.svc': files['show.svc'].replace('short', '?brief'),
  });
  t.strictSame(await change('width', 'size'), {
    'model.svc': files['model.svc'].replaceAll('width', 'size'),
    'show.svc': files['show.svc'].replace('width', '?size'),
  });
});

t.test('fields in short patterns keep the variable', async (t) => {
  const text =
    'record Pair(left, right)\ndef sum(pair)\n  pair in Pair(left:, right:)\n  left + right\nend\nputs sum(Pair(1, 2))\n';
  t.strictSame(await renamedIn(t, text, 'left', 'first'), {
    'app.svc': text.replace('Pair(left, right)', 'Pair(first, right)').replace('left:,', 'first: left,'),
  });
  t.strictSame(await renamedIn(t, text, 'left + right', 'first'), {
    'app.svc': text.replace('left:,', 'left: first,').replace('left + right', 'first + right'),
  });
});

t.test('a field as the value of a short form keeps the key', async (t) => {
  const text = `record R(aa, zz = 0) do
  def to_json() = {aa:}
  def bare() = {aa}
  def spread() = h(**{aa:})
  def passed() = g(aa:)
  def both() = R(aa:, zz:)
  def other() = self.with(aa:)
  def block() = [1].map { {aa:, it:} }
  def member() = {size:}
  def size() = aa
  def local(zz) = {zz:}
end
def h(**options) = options
def g(aa: 0) = aa
p R(1).with(aa: 2)
`;
  t.strictSame(await renamedIn(t, text, 'aa', 'bb'), {
    'app.svc': text
      .replace('R(aa, zz', 'R(bb, zz')
      .replace('to_json() = {aa:}', 'to_json() = {aa: bb}')
      .replace('{aa}', '{aa: bb}')
      .replace('**{aa:}', '**{aa: bb}')
      .replace('g(aa:)', 'g(aa: bb)')
      .replace('R(aa:, zz:)', 'R(bb:, zz:)')
      .replace('with(aa:)', 'with(bb:)')
      .replace('{aa:, it:}', '{aa: bb, it:}')
      .replace('size() = aa', 'size() = bb')
      .replace('with(aa: 2)', 'with(bb: 2)'),
  });
  t.strictSame(await renamedIn(t, text, 'aa: 0', 'bb'), {
    'app.svc': text.replace('g(aa:)', 'g(bb: aa)').replace('g(aa: 0) = aa', 'g(bb: 0) = bb'),
  });
  t.strictSame(await renamedIn(t, text, 'size() = aa', 'width'), {
    'app.svc': text.replace('size() = aa', 'width() = aa').replace('{size:}', '{size: width}'),
  });
});

t.test('fields as keys of patterns and indexes', async (t) => {
  const text = `record P(xx, yy)
record Pair(left: P, all: Vector<P>)
p1 = P(1, 2)
case p1
in {xx:, yy: 2} then puts xx
in {"xx": 3} | {xx: 4} => whole then puts whole
in {zz:} then puts zz
end
def f(p: P?, q)
  {xx, yy} = p
  {xx: a, yy: b} = p
  {xx: c} = q
  q in {xx:}
  {xx:} = {xx: 5}
  [xx, a, b, c, yy, q["xx"]]
end
for q in [P(1, 2)]
  puts q in {xx: 5}
end
[P(1, 2)] in [{xx: 6}, *rest]
Pair(p1, []) in {left: {xx: 7}, all: [{xx: 8}]}
Pair(p1, []) in Pair({xx: 9}, all: [P(xx: 10)])
{xx: 1} in {xx: 11}
puts P(1, 2)["xx"], P(1, 2)[:xx], {xx: 1}["xx"], P(1, 2)["a#{1}"]
p1["xx"] = 12
puts p1.xx, f(p1, rest)
`;
  const changed = text
    .replace('record P(xx', 'record P(kk')
    .replace('in {xx:, yy: 2}', 'in {kk: xx, yy: 2}')
    .replace('{"xx": 3} | {xx: 4}', '{"kk": 3} | {kk: 4}')
    .replace('{xx, yy} = p', '{kk: xx, yy} = p')
    .replace('{xx: a, yy: b}', '{kk: a, yy: b}')
    .replace('{xx: c} = q', '{?kk: c} = q')
    .replace('q in {xx:}', 'q in {?kk: xx}')
    .replace('q in {xx: 5}', 'q in {kk: 5}')
    .replace('[{xx: 6}', '[{kk: 6}')
    .replace('{xx: 7}', '{kk: 7}')
    .replace('{xx: 8}', '{kk: 8}')
    .replace('{xx: 9}', '{kk: 9}')
    .replace('P(xx: 10)', 'P(kk: 10)')
    .replace('P(1, 2)["xx"], P(1, 2)[:xx]', 'P(1, 2)["kk"], P(1, 2)[:kk]')
    .replace('p1["xx"] = 12', 'p1["kk"] = 12')
    .replace('p1.xx', 'p1.kk');
  t.strictSame(await renamedIn(t, text, 'xx', 'kk'), { 'app.svc': changed });
  const shop = 'record Item(price)\nrecord Order(item: Item)\n';
  const files = {
    'shop.svc': shop,
    'app.svc':
      'import "shop"\nrecord Item(price)\nshop.Order(shop.Item(1)) in {item: {price:}}\nputs price, Item(2).price\n',
  };
  t.strictSame(await renamed(t, 'shop.svc', 'price', 'cost', files), {
    'shop.svc': shop.replace('price', 'cost'),
    'app.svc': files['app.svc'].replace('{price:}', '{cost: price}'),
  });
});

t.test('members that are passed as blocks', async (t) => {
  const text = `record P(xx) do
  def lab() = xx
end
puts [P(1)].map(&.lab), [P(1)].map(&:lab), [P(1)].map { it.lab }, [P(1)].map(&"lab")
puts [P(1)].map(&.xx), [P(1)].each(&.lab)
def f(all) = [all.map(&.lab), all.sort_by(&:xx)]
`;
  const opened = workspaceOf(t, { 'app.svc': text });
  const { facts, target } = named(opened, 'app.svc', 'lab');
  t.equal((await referencesTo(opened.workspace, facts, target, true, patience))?.length, 6);
  t.strictSame(await renamedIn(t, text, 'lab', 'tag'), {
    'app.svc': text.replaceAll('lab', 'tag').replace('all.map(&.tag', 'all.map(&.?tag'),
  });
  t.strictSame(await renamedIn(t, text, 'xx', 'zz'), {
    'app.svc': text.replaceAll('xx', 'zz').replace('&:zz', '&:?zz'),
  });
  for (const sign of ['.', ':'])
    t.match(await renamedIn(t, `record P(xx)\ndef f(all) = all.map(&${sign}copy)\n`, 'xx', 'copy'), /'copy' may have/);
});
