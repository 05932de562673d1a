import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { applied, type TextEdit } from './edits.js';
import { Editor, find, marked, positionIn, type Position, type Range } from './client.js';
import { PROJECT } from './project.js';

/** What most editors can show. */
const CAPABILITIES = {
  textDocument: {
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  },
};

interface Place {
  uri: string;
  range: Range;
}

interface Item {
  label: string;
  kind: number;
  detail?: string;
  documentation?: unknown;
  textEdit: { range: Range; newText: string };
}

interface Symbol {
  name: string;
  kind: number;
  detail?: string;
  children?: Symbol[];
  containerName?: string;
  location?: Place;
}

/** Runs a test with the project in a folder, and an editor that has opened it. */
function inProject(
  name: string,
  run: (t: Test, editor: Editor) => Promise<void>,
  capabilities: object = CAPABILITIES,
  more: Record<string, string> = {},
): void {
  void t.test(name, async (t) => {
    const folder = t.testdir({});
    for (const [file, text] of Object.entries({ ...PROJECT, ...more })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const editor = new Editor(folder);
    t.teardown(() => editor.child.kill());
    await editor.start(capabilities);
    await run(t, editor);
    t.equal(await editor.stop(), 0, 'the server ends without an error');
    t.equal(editor.stderr, '');
  });
}

/** `file:line:column` of places, counted from 1. */
function shown(editor: Editor, places: readonly Place[]): string[] {
  const base = editor.uriOf('');
  return places
    .map(({ uri, range: { start } }) => `${uri.slice(base.length)}:${start.line + 1}:${start.character + 1}`)
    .map((text) => text.replace(/^\//, ''))
    .sort();
}

/** Opens a text with a mark `¦` in place of a file, and asks for what can be written there. */
async function completions(editor: Editor, file: string, text: string): Promise<Item[]> {
  const { text: whole, position } = marked(text);
  editor.open(file, whole);
  const { items } = await editor.result<{ items: Item[] }>('textDocument/completion', editor.at(file, position));
  editor.close(file);
  return items;
}

const labels = (items: readonly Item[]): string[] => items.map(({ label }) => label);

inProject('diagnostics', async (t, e) => {
  e.open('app.svc');
  t.strictSame(await e.diagnostics('app.svc'), [], 'the project has no mistakes');
  e.change('app.svc', 'cout', { start: { line: 15, character: 5 }, end: { line: 15, character: 5 } });
  e.change(
    'app.svc',
    e.text('app.svc').replace('web_app()', 'web_ap()').replace('  app\nend', '  unused = 1\n  app\nend'),
  );
  const [first, second] = await e.diagnostics('app.svc');
  t.match(first, { severity: 1, code: 'unknown-name', message: /undefined name 'web_ap'.*did you mean 'web_app'/ });
  t.strictSame(first.range, { start: { line: 10, character: 8 }, end: { line: 10, character: 14 } });
  t.match(second, { severity: 2, code: 'unused-variable', tags: [1] });
  e.change('app.svc', 'def f(\n  puts "a\nend\nx = = 2\nif 1 then');
  const broken = await e.diagnostics('app.svc');
  t.ok(broken.length >= 2, 'several mistakes of the syntax at once');
  t.ok(broken.every(({ severity }) => severity === 1));
});

inProject('a change of a file is seen by the open files that use it', async (t, e) => {
  e.open('store/search.svc');
  e.open('store/store.svc');
  await Promise.all([e.diagnostics('store/search.svc'), e.diagnostics('store/store.svc')]);
  const again = e.diagnostics('store/search.svc');
  e.change('store/store.svc', e.text('store/store.svc').replace('record Store', 'record Shop'));
  t.match(await again, [{ code: 'unknown-type', message: /'Store'/ }]);
  const fixed = e.diagnostics('store/search.svc');
  e.close('store/store.svc');
  e.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: e.uriOf('store/store.svc'), type: 2 }] });
  t.strictSame(await fixed, [], 'a closed file counts as it is on the disk');
});

inProject(
  'a message names files relative to the folder',
  async (t, e) => {
    e.open('one.svc');
    const [cycle] = await e.diagnostics('one.svc');
    t.strictSame(cycle, undefined, 'it is reported in the file that closes the circle');
    e.open('two.svc');
    const [own] = await e.diagnostics('two.svc');
    t.strictSame(own, undefined);
    e.open('three.svc');
    t.match(await e.diagnostics('three.svc'), [{ message: 'files load each other in a cycle: three.svc → three.svc' }]);
  },
  CAPABILITIES,
  { 'one.svc': 'require "two"\n', 'two.svc': 'require "one"\n', 'three.svc': 'require "three"\n' },
);

inProject('hover', async (t, e) => {
  const hover = async (file: string, part: string, skip = 0, nth = 1): Promise<string> => {
    const found = await e.result<{ contents: { value: string } } | null>(
      'textDocument/hover',
      e.at(file, find(e.text(file), part, skip, nth)),
    );
    return found?.contents.value ?? '';
  };
  e.open('routes/notes.svc');
  e.open('app.svc');
  e.open('store/store.svc');
  e.open('settings.svc');
  e.open('model/note.svc');
  t.equal(
    await hover('routes/notes.svc', 'search(store', 2),
    '```svc\ndef search(store: Store, word: String, limit = 10)\n```\n\nNotes whose title contains a word.',
    'a function of another file with its comment',
  );
  t.equal(
    await hover('routes/notes.svc', 'store.add', 7),
    '```svc\ndef Store.add(note: Note) -> Note\n```\n\nAdds a note and returns it.',
  );
  t.match(
    await hover('routes/notes.svc', 'Note(store', 1),
    /^```svc\nrecord Note\(id: Int, title: String, text: String = "", .*\)\n```\n\nWhat somebody wrote down\.$/,
  );
  t.match(
    await hover('routes/notes.svc', 'json_response'),
    /^```svc\njson_response\(.*\) -> SvcResponse\n```\n\n\w/s,
    'a function of the library',
  );
  t.match(
    await hover('routes/notes.svc', '.query', 1),
    /^```svc\nSvcRequest\.query/,
    'a method by the type of the receiver',
  );
  t.match(await hover('routes/notes.svc', 'limit: 20', 1), /limit \(parameter\)/, 'the name of an argument');
  t.match(await hover('routes/notes.svc', 'missing'), /def missing\(id\)/);
  t.equal(
    await hover('app.svc', 'text.shorten', 6),
    '```svc\ndef shorten(text: String, width: Int = 10) -> String\n```\n\nThe first characters of a text, and a mark if there are more.',
  );
  t.equal(await hover('app.svc', 'NAME'), '```svc\nNAME = "notes"\n```');
  t.match(await hover('app.svc', 'store: Store', 8), /record Store/, 'a type in an annotation');
  t.match(await hover('app.svc', 'lib/text'), /lib\/text\.svc/, 'a file');
  t.match(await hover('model/note.svc', 'Status.open', 8), /Status\.open/);
  t.match(await hover('model/note.svc', 'title\n'), /Note\.title: String/, 'a field by its bare name');
  t.equal(await hover('settings.svc', '"notes"', 2), '', 'nothing for texts');
});

inProject(
  'hover without Markdown',
  async (t, plain) => {
    plain.open('store/search.svc');
    t.match(await plain.result('textDocument/hover', plain.at('store/search.svc', { line: 3, character: 6 })), {
      contents: { kind: 'plaintext', value: /^def search\(.*\)\n\nNotes whose/ },
    });
  },
  { textDocument: { hover: { contentFormat: ['plaintext'] } } },
);

inProject('definition, references and highlights', async (t, e) => {
  for (const file of ['routes/notes.svc', 'app.svc', 'model/note.svc', 'tests/notes_test.svc', 'store/store.svc'])
    e.open(file);
  const ask = async (method: string, file: string, part: string, skip = 0, nth = 1): Promise<string[]> =>
    shown(
      e,
      await e.result<Place[]>(`textDocument/${method}`, {
        ...e.at(file, find(e.text(file), part, skip, nth)),
        context: { includeDeclaration: true },
      }),
    );
  t.strictSame(await ask('definition', 'routes/notes.svc', 'search(store', 3), ['store/search.svc:4:5']);
  t.strictSame(await ask('definition', 'app.svc', 'shorten'), ['lib/text.svc:2:5']);
  t.strictSame(await ask('definition', 'app.svc', '"routes/people"', 4), ['routes/people.svc:1:1'], 'a file');
  t.strictSame(await ask('definition', 'app.svc', 'text.shorten', 1), ['app.svc:7:22'], 'the name of a file');
  t.strictSame(await ask('definition', 'model/note.svc', 'Named do'), ['model/named.svc:2:11']);
  t.strictSame(
    await ask('definition', 'tests/notes_test.svc', 'preview'),
    ['model/note.svc:7:7'],
    'a method of what a method returns',
  );
  t.strictSame(await ask('definition', 'routes/notes.svc', 'json_response'), [], 'the library has no file');
  t.strictSame(await ask('references', 'store/store.svc', 'add('), [
    'routes/notes.svc:17:25',
    'store/store.svc:7:7',
    'tests/notes_test.svc:6:9',
  ]);
  t.strictSame(
    await ask('references', 'model/note.svc', 'title'),
    ['model/note.svc:12:5', 'model/note.svc:5:22'],
    'those whose receivers have no known type are left out',
  );
  t.strictSame(await ask('references', 'routes/notes.svc', 'note ='), [
    'routes/notes.svc:11:5',
    'routes/notes.svc:12:34',
    'routes/notes.svc:13:19',
  ]);
  t.ok(
    (await ask('references', 'store/store.svc', 'Store(')).length > 10,
    'a type in annotations and calls of many files',
  );
  const highlights = await e.result<{ range: Range; kind: number }[]>(
    'textDocument/documentHighlight',
    e.at('routes/notes.svc', find(e.text('routes/notes.svc'), 'note =')),
  );
  t.strictSame(
    highlights.map(({ range, kind }) => [range.start.line, kind]),
    [
      [10, 3],
      [11, 2],
      [12, 2],
    ],
  );
});

inProject('rename', async (t, e) => {
  const rename = async (
    file: string,
    part: string,
    newName: string,
    skip = 0,
  ): Promise<Record<string, string> | string> => {
    e.open(file);
    const { result, error } = await e.ask('textDocument/rename', {
      ...e.at(file, find(e.text(file), part, skip)),
      newName,
    });
    e.close(file);
    if (error !== undefined) return error.message;
    const { changes } = result as { changes: Record<string, TextEdit[]> };
    return Object.fromEntries(
      Object.entries(changes).map(([uri, edits]) => {
        const name = uri.slice(e.uriOf('').length).replace(/^\//, '');
        return [name, applied(e.text(name), edits)];
      }),
    );
  };
  const search = (await rename('store/search.svc', 'search(', 'find_notes')) as Record<string, string>;
  t.strictSame(Object.keys(search).sort(), ['routes/notes.svc', 'store/search.svc', 'tests/notes_test.svc']);
  t.match(search['routes/notes.svc'], 'json_response(find_notes(store');
  const width = (await rename('lib/text.svc', 'width:', 'size')) as Record<string, string>;
  t.match(width['tests/text_test.svc'], 'shorten("ab", size: 3)', 'arguments that name a parameter');
  t.match(width['lib/text.svc'], 'return text if text.length <= size');
  const type = (await rename('model/note.svc', 'Note(', 'Memo')) as Record<string, string>;
  t.match(type['store/store.svc'], 'def add(note: Memo) -> Memo', 'types in annotations');
  t.match(type['store/store.svc'], '-> Memo?');
  const alias = (await rename('app.svc', 'as text', 'words', 3)) as Record<string, string>;
  t.match(alias['app.svc'], 'import "lib/text" as words');
  t.match(alias['app.svc'], 'words.shorten');
  t.match(
    await rename('lib/unicode.svc', 'länge', 'größe'),
    /^'größe' has another meaning in lib\/unicode\.svc:2$/,
    'a conflict',
  );
  t.match(
    await rename('lib/csv.svc', 'csv_line(', 'lines'),
    /^'lines' has another meaning in store\/export\.svc:5$/,
    'a local variable elsewhere',
  );
  t.match(await rename('routes/notes.svc', 'json_response', 'answer'), "'json_response' belongs to the library");
  t.match(await rename('store/search.svc', 'search(', 'end'), "'end' is a word of the language");
  t.match(await rename('store/search.svc', 'search(', '1st'), /not a name/);
  t.match(await rename('store/search.svc', 'search(', 'Search'), /begin with a capital/);
  t.match(
    await rename('model/note.svc', 'name()', 'caption'),
    /would be an error|unknown/,
    'an interface needs this method',
  );
  t.match(
    await rename('model/note.svc', 'title', 'heading'),
    /^'title' is also used with values whose type is unknown: store\/export\.svc:5, store\/search\.svc:5; /,
  );
  e.open('app.svc');
  const prepared = await e.ask('textDocument/prepareRename', e.at('app.svc', find(e.text('app.svc'), 'open_store', 2)));
  t.match(prepared.result, { placeholder: 'open_store' });
  t.match(
    (await e.ask('textDocument/prepareRename', e.at('app.svc', find(e.text('app.svc'), 'web_app')))).error?.message,
    'belongs to the library',
  );
});

inProject(
  'uncertain places are confirmed by editors that can ask',
  async (t, e) => {
    e.open('model/note.svc');
    const result = await e.result<{
      documentChanges: { textDocument: { uri: string }; edits: (TextEdit & { annotationId?: string })[] }[];
    }>('textDocument/rename', {
      ...e.at('model/note.svc', find(PROJECT['model/note.svc'], 'title')),
      newName: 'heading',
    });
    const unsure = result.documentChanges.filter(({ edits }) =>
      edits.some(({ annotationId }) => annotationId === 'unsure'),
    );
    t.strictSame(unsure.map(({ textDocument }) => textDocument.uri).sort(), [
      e.uriOf('store/export.svc'),
      e.uriOf('store/search.svc'),
    ]);
  },
  { workspace: { workspaceEdit: { changeAnnotationSupport: {} } } },
);

const SHORT =
  'def area(width, height) = width * height\nwidth = 2\nh = {width:}\n{height} = {height: 3}\nputs area(width:, height: height), h.width, {width}\n';

inProject(
  'short forms are written in full',
  async (t, e) => {
    const text = SHORT;
    e.open('short.svc');
    const rename = async (position: Position, newName: string): Promise<string> => {
      const { changes } = await e.result<{ changes: Record<string, TextEdit[]> }>('textDocument/rename', {
        ...e.at('short.svc', position),
        newName,
      });
      return applied(text, changes[e.uriOf('short.svc')]);
    };
    t.equal(
      await rename(find(text, 'width = 2'), 'w'),
      text
        .replace('width = 2', 'w = 2')
        .replace('{width:}', '{width: w}')
        .replace('(width:,', '(width: w,')
        .replace('{width}', '{width: w}'),
    );
    t.equal(
      await rename(find(text, '(width', 1), 'w'),
      text.replace('area(width,', 'area(w,').replace('= width *', '= w *').replace('(width:,', '(w: width,'),
    );
    t.equal(
      await rename(find(text, '{height}', 1), 'tall'),
      text.replace('{height}', '{height: tall}').replace('height: height', 'height: tall'),
    );
  },
  CAPABILITIES,
  { 'short.svc': SHORT },
);

inProject('completion of names', async (t, e) => {
  const names = labels(
    await completions(
      e,
      'lib/new.svc',
      'require "../store/search"\n\ndef f(first, second)\n  third = 1\n  ¦\n  fourth = 2\nend\nTOP = 1\n',
    ),
  );
  for (const name of [
    'first',
    'second',
    'third',
    'TOP',
    'f',
    'search',
    'Store',
    'Note',
    'puts',
    'json_response',
    'if',
    'return',
    'Vector',
  ])
    t.ok(names.includes(name), name);
  t.notOk(names.includes('fourth'), 'a variable that is assigned later');
  t.ok(names.indexOf('third') < names.indexOf('puts'));
  const items = await completions(e, 'lib/new.svc', 'require "../store/search"\nsear¦');
  t.match(
    items.find(({ label }) => label === 'search'),
    {
      kind: 3,
      detail: 'search(store: Store, word: String, limit = 10)',
      textEdit: { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 4 } } },
    },
  );
  const own = labels(
    await completions(
      e,
      'lib/new.svc',
      'record Box(width, height) do\n  def area()\n    wi¦\n  end\n  def other() = 1\nend\n',
    ),
  );
  t.ok(own.includes('width') && own.includes('other'), 'fields and methods of the record');
  const args = await completions(e, 'lib/new.svc', 'require "../store/search"\nsearch(1, ¦)');
  t.match(
    args.filter(({ label }) => label.endsWith(':')).map(({ textEdit }) => textEdit.newText),
    ['store: ', 'word: ', 'limit: '],
    'names of arguments',
  );
  t.ok(
    labels(await completions(e, 'lib/new.svc', 'import "text" as t\nt.¦')).includes('shorten'),
    'what a file offers',
  );
  t.notOk(
    labels(await completions(e, 'lib/new.svc', 'import "text" as t\nt.¦')).includes('unused_helper'),
    'private functions are not offered',
  );
  t.ok(
    labels(await completions(e, 'lib/new.svc', 'require "../store/store"\ndef f(s: St¦)\nend\n')).includes('Store'),
    'types in annotations',
  );
  t.ok(labels(await completions(e, 'lib/new.svc', 'x = [1]\nx.each { |item| it¦')).includes('item'), 'an open block');
});

inProject('completion of members', async (t, e) => {
  const members = async (text: string): Promise<string[]> =>
    labels(await completions(e, 'lib/new.svc', `require "../store/store"\n${text}`));
  const store = await members('def f(s: Store)\n  s.¦\nend\n');
  t.strictSame(store.slice(0, 5), ['notes', 'people', 'add', 'find', 'count'], 'fields and methods of a record');
  t.ok(store.includes('with'));
  t.notOk(store.includes('upcase'));
  t.ok((await members('def f(s: Store)\n  s.find(1).¦\nend\n')).includes('preview'), 'a result that may be nil');
  t.ok((await members('x = "text"\nputs(x.up¦')).includes('upcase'), 'an open bracket');
  t.ok((await members('x = "text"\nputs "a #{x.¦} b"')).includes('upcase'), 'an interpolation');
  t.ok((await members('x = "text"\nputs "a #{x.¦')).includes('upcase'), 'an open interpolation');
  t.ok((await members('x = "text"\nif x.¦\n  1\nend')).includes('upcase'), 'a header');
  t.ok((await members('x = "text"\ny = x.¦\nz = 1\n')).includes('upcase'), 'above another statement');
  t.ok((await members('x = [Note(1, "a")]\nx.each { |n| n.¦ }')).includes('preview'), 'elements of a vector');
  t.ok((await members('app = web_app()\napp.get("/") { |req| req.¦ }')).includes('params'), 'a request');
  t.strictSame((await members('Status.¦')).slice(0, 2), ['open', 'done'], 'an enum');
  t.ok((await members('Hash.¦')).length > 0, 'a type of the library');
  t.strictSame((await members('h = {title: 1, "tags": 2}\nh.¦')).slice(0, 2), ['title', 'tags'], 'keys of a hash');
  t.strictSame(await members('h = {title: 1, "tags": 2}\nputs h["¦"]'), ['title', 'tags']);
  t.strictSame(await members('h = {title: 1, "tags": 2}\nputs h[:t¦'), ['title', 'tags']);
  const unknown = await members('def f(x)\n  x.¦\nend');
  t.ok(unknown.includes('upcase') && unknown.includes('preview'), 'everything for an unknown value');
  t.ok((await members('def f(x)\n  if x\n  x.¦\n')).includes('upcase'), 'blocks that have no end yet');
  const narrowed = await members(
    'def f(x)\n  case x\n  when String then x.upcase\n  when Store then x.¦\n  end\nend\n',
  );
  t.strictSame(narrowed.slice(0, 3), ['notes', 'people', 'add'], 'a type that a clause tells');
  t.notOk(narrowed.includes('upcase'));
  const tested = await members('def f(x)\n  if x is Note and x.¦\n');
  t.ok(tested.includes('preview') && !tested.includes('upcase'), 'a type that a condition tells');
  t.strictSame(await members('# a comment s.¦'), []);
  t.strictSame(await members('x = "a text.¦"'), []);
  const [item] = (await completions(e, 'lib/new.svc', '"x".¦')).filter(({ label }) => label === 'center');
  t.match(
    await e.result('completionItem/resolve', item),
    { documentation: { value: /^```svc\nString\.center\(/ } },
    'documentation on request',
  );
});

inProject('completion in texts', async (t, e) => {
  t.strictSame(labels(await completions(e, 'lib/new.svc', 'require "¦')).sort(), [
    'app',
    'csv',
    'dates',
    'lib',
    'model',
    'routes',
    'settings',
    'store',
    'tests',
    'text',
    'tools',
    'unicode',
  ]);
  t.strictSame(labels(await completions(e, 'lib/new.svc', 'require "../model/n¦"')).sort(), [
    'errors',
    'named',
    'note',
    'person',
    'status',
  ]);
  t.ok(labels(await completions(e, 'lib/new.svc', 'use "¦"')).includes('jwt'));
  t.ok(labels(await completions(e, 'lib/new.svc', 'app = web_app()\napp.set("¦")')).includes('upload_bytes'));
});

inProject('names of broken statements stay known', async (t, e) => {
  const good =
    'record Pair(left, right) do\n  def sum() = left + right\nend\ndef twice(x)\n  x * 2\nend\nputs twice(2)\n';
  e.open('lib/new.svc', good);
  await e.result('textDocument/hover', e.at('lib/new.svc', { line: 0, character: 0 }));
  const broken = good
    .replace('record Pair(left, right)', 'record Pair(left, right')
    .replace('def twice(x)', 'def twice(x');
  e.change('lib/new.svc', `${broken}p = \n`);
  const { items } = await e.result<{ items: Item[] }>(
    'textDocument/completion',
    e.at('lib/new.svc', { line: 7, character: 4 }),
  );
  t.ok(labels(items).includes('twice'), 'a function');
  t.ok(labels(items).includes('Pair'), 'a record');
  t.match(await e.result('textDocument/hover', e.at('lib/new.svc', { line: 6, character: 6 })), {
    contents: { value: /def twice\(x\)/ },
  });
});

inProject('signature help', async (t, e) => {
  const help = async (text: string): Promise<unknown> => {
    const { text: whole, position } = marked(`require "../store/search"\n${text}`);
    e.open('lib/new.svc', whole);
    const found = await e.result('textDocument/signatureHelp', e.at('lib/new.svc', position));
    e.close('lib/new.svc');
    return found;
  };
  t.match(await help('search(1, ¦'), {
    signatures: [
      {
        label: 'search(store: Store, word: String, limit = 10)',
        documentation: { value: /^Notes/ },
        parameters: [{ label: 'store: Store' }, {}, {}],
      },
    ],
    activeParameter: 1,
  });
  t.match(await help('search(1, limit: ¦)'), { activeParameter: 2 });
  t.match(await help('puts search(¦)'), { activeParameter: 0, signatures: [{ label: /^search/ }] }, 'the inner call');
  t.match(await help('"a".center(10, ¦'), { activeParameter: 1, signatures: [{ label: /^String\.center\(width/ }] });
  t.match(await help('Note(1, ¦)'), { signatures: [{ label: /^Note\(id: Int/ }], activeParameter: 1 });
  t.match(await help('def f(s: Store)\n  s.add(¦\nend'), { signatures: [{ label: 'add(note: Note) -> Note' }] });
  t.match(await help('app = web_app()\napp.get("/x", ¦'), { signatures: [{ label: /get\(/ }] });
  t.equal(await help('x = 1 ¦'), null);
});

inProject('symbols', async (t, e) => {
  e.open('routes/notes.svc');
  const tree = await e.result<Symbol[]>('textDocument/documentSymbol', {
    textDocument: { uri: e.uriOf('routes/notes.svc') },
  });
  t.match(tree, [
    {
      name: 'note_routes',
      kind: 12,
      detail: '(group, store: Store)',
      children: [{ name: 'GET /' }, { name: 'GET /:id' }, { name: 'POST /' }],
    },
  ]);
  e.open('model/note.svc');
  const [record] = await e.result<Symbol[]>('textDocument/documentSymbol', {
    textDocument: { uri: e.uriOf('model/note.svc') },
  });
  t.strictSame(
    record.children?.map(({ name }) => name),
    ['id', 'title', 'text', 'status', 'preview', 'name', 'open?'],
  );
  e.open('tests/text_test.svc');
  t.match(await e.result('textDocument/documentSymbol', { textDocument: { uri: e.uriOf('tests/text_test.svc') } }), [
    { name: 'long texts are shortened' },
  ]);
  const all = async (query: string): Promise<string[]> =>
    (await e.result<Symbol[]>('workspace/symbol', { query })).map(({ name }) => name);
  t.strictSame(
    (await all('GET /')).sort(),
    ['GET /', 'GET /', 'GET /:id', 'GET /:id', 'GET /export.csv', 'GET /health'],
    'routes of all files',
  );
  t.ok((await all('csv_line')).includes('csv_line'));
  t.ok((await all('ntrt')).includes('note_routes'), 'characters in order');
  t.strictSame(await all('qqq'), []);
});

inProject(
  'symbols as a list',
  async (t, flat) => {
    flat.open('model/note.svc');
    const items = await flat.result<Symbol[]>('textDocument/documentSymbol', {
      textDocument: { uri: flat.uriOf('model/note.svc') },
    });
    t.match(
      items.find(({ name }) => name === 'preview'),
      { containerName: 'Note' },
    );
  },
  {},
);

inProject('semantic tokens', async (t, e) => {
  const text =
    '# größe 🎉\nrecord Box(width) do\n  def area(by) = width * by\nend\nbox = Box(2)\nbox.area(3)\nputs box\n';
  e.open('lib/new.svc', text);
  const legend = ['namespace', 'class', 'enum', 'interface', 'enumMember', 'type', 'parameter', 'variable'];
  const tokenTypes = [...legend, 'property', 'function', 'method'];
  const { data } = await e.result<{ data: number[] }>('textDocument/semanticTokens/full', {
    textDocument: { uri: e.uriOf('lib/new.svc') },
  });
  const lines = text.split('\n');
  const seen: string[] = [];
  let [line, character] = [0, 0];
  for (let i = 0; i < data.length; i += 5) {
    const [down, right, length, type] = data.slice(i);
    character = down > 0 ? right : character + right;
    line += down;
    seen.push(`${lines[line].slice(character, character + length)} ${tokenTypes[type]}`);
  }
  t.strictSame(seen, [
    'Box class',
    'width property',
    'area method',
    'by parameter',
    'width property',
    'by parameter',
    'box variable',
    'Box class',
    'box variable',
    'area method',
    'puts function',
    'box variable',
  ]);
  const part = await e.result<{ data: number[] }>('textDocument/semanticTokens/range', {
    textDocument: { uri: e.uriOf('lib/new.svc') },
    range: { start: { line: 6, character: 0 }, end: { line: 7, character: 0 } },
  });
  t.equal(part.data.length, 10);
});

inProject('folding', async (t, e) => {
  e.open('app.svc');
  const folds = await e.result<{ startLine: number; endLine: number; kind?: string }[]>('textDocument/foldingRange', {
    textDocument: { uri: e.uriOf('app.svc') },
  });
  t.match(
    folds.map(({ startLine, endLine, kind }) => [startLine, endLine, kind ?? 'code']),
    [
      [2, 6, 'imports'],
      [9, 16, 'code'],
    ],
  );
});

inProject('formatting', async (t, e) => {
  const formatted = async (name: string, text: string): Promise<TextEdit[]> => {
    e.open(name, text);
    return e.result<TextEdit[]>('textDocument/formatting', {
      textDocument: { uri: e.uriOf(name) },
      options: { tabSize: 2, insertSpaces: true },
    });
  };
  const text = 'x = 1 # é𝒳\nif x==2\n      puts( x )\nend\nputs x\n';
  const edits = await formatted('odd.svc', text);
  t.equal(applied(text, edits), 'x = 1 # é𝒳\nif x == 2\n  puts(x)\nend\nputs x\n');
  t.match(edits[0].range, { start: { line: 1 }, end: { line: 3, character: 0 } }, 'only the lines that change');
  t.same(await formatted('good.svc', 'puts 1\n'), [], 'nothing to change');
  t.same(await formatted('broken.svc', 'if x\n    puts(\n'), [], 'a text that does not parse');
  const crlf = 'x=1\r\nputs x\r\n';
  t.equal(applied(crlf, await formatted('crlf.svc', crlf)), 'x = 1\nputs x\n', 'line ends become line feeds');
});

inProject('code actions', async (t, e) => {
  const actions = async (text: string): Promise<{ title: string; edit: { changes: Record<string, TextEdit[]> } }[]> => {
    const { text: whole, position } = marked(text);
    e.open('lib/new.svc', whole);
    const found = await e.result<{ title: string; edit: { changes: Record<string, TextEdit[]> } }[]>(
      'textDocument/codeAction',
      {
        textDocument: { uri: e.uriOf('lib/new.svc') },
        range: { start: position, end: position },
        context: { diagnostics: [] },
      },
    );
    e.close('lib/new.svc');
    return found.map((action) => ({ ...action, text: applied(whole, action.edit.changes[e.uriOf('lib/new.svc')]) }));
  };
  t.match(await actions('put¦z 1\n'), [{ title: "Replace 'putz' by 'puts'", text: 'puts 1\n', isPreferred: true }]);
  t.match(await actions('"a".upca¦e\n'), [{ text: '"a".upcase\n' }]);
  t.match(await actions('def f(name) = name\nf(nm¦e: 1)\n'), [{ text: 'def f(name) = name\nf(name: 1)\n' }]);
  t.match(await actions('def f()\n  un¦used = 1\n  2\nend\n'), [
    { title: "Rename 'unused' to '_unused'", text: 'def f()\n  _unused = 1\n  2\nend\n' },
    { title: "Remove 'unused'", text: 'def f()\n  2\nend\n' },
  ]);
  t.equal((await actions('def f()\n  un¦used = g()\n  2\nend\ndef g() = 1\n')).length, 1, 'a value with effects stays');
  t.match(await actions('x = No¦ne\n'), [{ text: 'x = nil\n' }]);
  t.strictSame(await actions('puts ¦1\n'), []);
});

inProject('inlay hints', async (t, e) => {
  const text =
    'def area(width, height, *rest) = width\nx = 1\narea(1, 2, 3)\narea(x, 2)\narea(1, height: 2)\n"a".center(5, "-")\nputs 1\n"a".center(5)\n';
  e.open('lib/new.svc', text);
  const hints = await e.result<{ position: Position; label: string }[]>('textDocument/inlayHint', {
    textDocument: { uri: e.uriOf('lib/new.svc') },
    range: { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } },
  });
  t.strictSame(
    hints.map(({ position, label }) => `${position.line}:${position.character} ${label}`),
    ['2:5 width:', '2:8 height:', '3:8 height:', '4:5 width:', '5:11 width:', '5:14 pad:', '7:11 width:'],
  );
});

inProject(
  'positions count UTF-16 units, in files of any form',
  async (t, e) => {
    for (const file of ['lib/unicode.svc', 'crlf.svc']) {
      e.open(file);
      const text = e.text(file);
      const places = await e.result<Place[]>('textDocument/references', {
        ...e.at(file, find(text, 'länge', 0, 2)),
        context: { includeDeclaration: true },
      });
      t.strictSame(shown(e, places), [`${file}:2:17`, `${file}:3:21`]);
    }
    const uri = e.uriOf('folder with spaces/ä #1.svc');
    t.match(uri, 'folder%20with%20spaces');
    const spelt = uri.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    e.notify('textDocument/didOpen', {
      textDocument: { uri: spelt, languageId: 'svc', version: 1, text: e.text('folder with spaces/ä #1.svc') },
    });
    const places = await e.result<Place[]>('textDocument/references', {
      textDocument: { uri: spelt },
      position: { line: 1, character: 12 },
      context: { includeDeclaration: true },
    });
    t.strictSame(
      places.map(({ uri: found, range }) => [found, range.start]),
      [
        [spelt, { line: 0, character: 1 }],
        [spelt, { line: 1, character: 11 }],
      ],
      'answers name the file as the editor does',
    );
    e.notify('textDocument/didOpen', {
      textDocument: { uri: 'untitled:Untitled-1', languageId: 'svc', version: 1, text: 'x = 1\nputs x\n' },
    });
    t.match(
      await e.result('textDocument/definition', {
        textDocument: { uri: 'untitled:Untitled-1' },
        position: { line: 1, character: 5 },
      }),
      [{ uri: 'untitled:Untitled-1', range: { start: { line: 0, character: 0 } } }],
    );
  },
  CAPABILITIES,
  {
    'crlf.svc': PROJECT['lib/unicode.svc'].replaceAll('\n', '\r\n'),
    'folder with spaces/ä #1.svc': '\ufeffname = 1\r\nputs "🎉", name\r\n',
  },
);

inProject(
  'templates belong to the program',
  async (t, e) => {
    e.open('site.svc');
    t.strictSame(await e.diagnostics('site.svc'), []);
    const places = await e.result<Place[]>('textDocument/references', {
      ...e.at('site.svc', { line: 2, character: 5 }),
      context: { includeDeclaration: true },
    });
    t.strictSame(shown(e, places), ['site.svc:3:5', 'views/home.html.erb:1:8']);
  },
  CAPABILITIES,
  {
    'site.svc':
      'app = web_app()\napp.templates("views")\ndef label(x) = x\napp.get("/") { |req| render("home", {name: 1}) }\n',
    'views/home.html.erb': '<p><%= label(name) %></p>\n',
  },
);

inProject('incremental changes', async (t, e) => {
  let text = 'a = 1\n';
  e.open('lib/new.svc', text);
  const insert = (at: number, part: string): void => {
    const position = positionIn(text, at);
    e.change('lib/new.svc', part, { start: position, end: position });
    text = text.slice(0, at) + part + text.slice(at);
  };
  for (const c of 'def f(x)\n  "🎉#{x}"\nend\n') insert(text.length, c);
  insert(0, 'puts f(2)\n');
  const found = await e.result<Place[]>('textDocument/definition', e.at('lib/new.svc', { line: 0, character: 5 }));
  t.strictSame(shown(e, found), ['lib/new.svc:3:5']);
});
