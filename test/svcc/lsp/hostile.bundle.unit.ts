import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { memoryOf } from '../../memory.js';
import { compile } from '../../../compiler/index.js';
import { createVm, nativeNames } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { environment } from '../../../svcc/load.js';
import { ROOT } from '../svcc.js';
import { processorTime, shortest } from '../../clock.js';
import { until } from '../../patience.js';
import { isInShare } from '../../share.js';
import { Editor, type Message, positionIn } from './client.js';

/** An editor in a folder; the server is ended with the test. */
async function editor(t: Test, files: Record<string, string> = {}, folder = t.testdir(files)): Promise<Editor> {
  const opened = new Editor(folder);
  t.teardown(() => opened.child.kill());
  await opened.start();
  return opened;
}

/** Pseudo-random numbers that are the same in each run. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % limit;
  };
}

const PLACES = ['hover', 'completion', 'signatureHelp', 'definition', 'references', 'documentHighlight'];
const FILES = ['documentSymbol', 'foldingRange', 'semanticTokens/full'];
const RANGES = ['codeAction', 'inlayHint', 'semanticTokens/range'];

/** Names of the examples that are opened, in `folder`. */
function examples(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.svc') && isInShare(name));
}

/** Sends each request about a place of a file. Returns what was answered with an error. */
async function everything(e: Editor, file: string, line: number, character: number): Promise<string[]> {
  const textDocument = { uri: e.uriOf(file) };
  const position = { line, character };
  const range = { start: { line, character: 0 }, end: { line: line + 3, character } };
  const asked = [
    ...PLACES.map(
      (name) => [`textDocument/${name}`, { textDocument, position, context: { includeDeclaration: true } }] as const,
    ),
    ...FILES.map((name) => [`textDocument/${name}`, { textDocument }] as const),
    ...RANGES.map((name) => [`textDocument/${name}`, { textDocument, range, context: { diagnostics: [] } }] as const),
    ['workspace/symbol', { query: 'e' }] as const,
  ];
  const answers = await Promise.all(asked.map(([method, params]) => e.ask(method, params)));
  const failed = answers.flatMap(({ error }, i) =>
    error === undefined ? [] : [`${asked[i][0]} at ${file}:${line}:${character}: ${error.message}`],
  );
  // A rename may be refused; it must not fail.
  const renamed = await e.ask('textDocument/rename', { textDocument, position, newName: 'other_name' });
  if (renamed.error !== undefined && renamed.error.code !== -32803) failed.push(`rename: ${renamed.error.message}`);
  return failed;
}

t.test('no position of an example makes a request fail', async (t) => {
  const folder = join(ROOT, 'examples');
  const files = examples(folder);
  const e = await editor(t, {}, folder);
  const rounds = process.env.SVC_LONG === undefined ? 3 : 40;
  const next = random(7);
  const failed: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    e.open(file, text);
    for (let i = 0; i < rounds; i++) {
      const { line, character } = positionIn(text, next(text.length));
      failed.push(...(await everything(e, file, line, character)));
    }
    e.close(file);
  }
  t.strictSame(failed, []);
  t.equal(await e.stop(), 0);
  t.equal(e.stderr, '');
});

t.test('no mutilated text makes a request fail', async (t) => {
  const folder = join(ROOT, 'examples');
  const files = examples(folder);
  const e = await editor(t, {}, t.testdir({}));
  const next = random(11);
  const failed: string[] = [];
  const rounds = process.env.SVC_LONG === undefined ? 2 : 30;
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    e.open(file, text);
    for (let i = 0; i < rounds; i++) {
      const from = next(text.length);
      const cut =
        text.slice(0, from) +
        ['', '"', '#{', 'end\n', '(', 'do |x|', '.', '\ud83c', '\0'][next(9)] +
        text.slice(from + next(40));
      e.change(file, cut);
      const { line, character } = positionIn(cut, Math.min(cut.length, from + 1));
      failed.push(...(await everything(e, file, line, character)));
    }
    e.close(file);
  }
  t.strictSame(failed, []);
  t.equal(await e.stop(), 0);
});

t.test('texts that are no programs', async (t) => {
  const e = await editor(t);
  const texts = [
    '',
    '\n',
    '\ufeff',
    'x',
    '.',
    'x.',
    '"',
    '"#{',
    '# only',
    '\r\n\r\n',
    '\r',
    'def',
    'def f(',
    'record',
    'x = [[[[[[',
    'end end end',
    '🎉',
    '\ud800',
    '\0\0',
    '('.repeat(600),
    `${'a + '.repeat(9000)}a`,
    `x = ${'['.repeat(300)}${']'.repeat(300)}`,
    '<<~A\ntext',
    'require "',
    'app.get("/',
    'import "new" as new\nnew.',
  ];
  const failed: string[] = [];
  for (const [i, text] of texts.entries()) {
    const file = `new${i}.svc`;
    e.open(file, text);
    const end = positionIn(text, text.length);
    failed.push(...(await everything(e, file, 0, 0)), ...(await everything(e, file, end.line, end.character)));
    e.close(file);
  }
  t.strictSame(failed, []);
  t.equal(await e.stop(), 0);
});

t.test('positions outside of the text', async (t) => {
  const e = await editor(t, { 'a.svc': 'x = 1\nputs x\n' });
  e.open('a.svc');
  const failed: string[] = [];
  for (const [line, character] of [
    [-1, -1],
    [0, 1e9],
    [1e9, 0],
    [1, -5],
    [2 ** 40, 2 ** 40],
    [0.5, 0.5],
  ])
    failed.push(...(await everything(e, 'a.svc', line, character)));
  t.strictSame(failed, []);
  for (const method of [...PLACES, ...FILES, ...RANGES].map((name) => `textDocument/${name}`)) {
    for (const params of [
      {},
      { textDocument: null },
      { textDocument: { uri: 'file:///none.svc' } },
      { textDocument: { uri: 'file:///%zz' } },
      { textDocument: { uri: e.uriOf('a.svc') }, position: { line: 'a' } },
      { textDocument: { uri: 5 }, position: [], range: 7 },
    ]) {
      const { error } = await e.ask(method, params);
      t.notMatch(error?.message ?? '', /\n\s+at |node:internal|\.js:\d/, 'no JavaScript stack');
    }
  }
  t.match(
    (await e.ask('textDocument/hover', e.at('a.svc', { line: 1, character: 5 }))).result,
    { contents: {} },
    'the server lives',
  );
  t.equal(await e.stop(), 0);
});

t.test('messages that are no requests', async (t) => {
  const e = await editor(t, { 'a.svc': 'x = 1\nputs x\n' });
  e.open('a.svc');
  t.match((await e.ask('textDocument/nothing', {})).error, { code: -32601 });
  e.notify('$/nothing');
  e.notify('textDocument/nothing', { a: 1 });
  e.notify('textDocument/didChange', {
    textDocument: { uri: 'file:///unknown.svc', version: 3 },
    contentChanges: [{ text: 'x' }],
  });
  e.notify('textDocument/didChange', {});
  e.notify('textDocument/didClose', { textDocument: { uri: 'file:///unknown.svc' } });
  e.notify('textDocument/didOpen', { textDocument: null });
  e.notify('workspace/didChangeWatchedFiles', {});
  e.notify('workspace/didChangeWorkspaceFolders', {});
  e.notify('workspace/didChangeConfiguration', { settings: null });
  e.notify('$/cancelRequest', { id: 12345 });
  e.write({ id: 77_777, method: 5 });
  e.write([1, 2, 3]);
  e.write({});
  e.raw('Content-Length: 12\r\n\r\n{"jsonrpc":1');
  e.raw('Content-Length: 2\r\n\r\n{}');
  e.raw('Content-Length: 5\r\nX-Other: 1\r\n\r\nnull\n');
  t.match(
    (await e.ask('textDocument/hover', e.at('a.svc', { line: 1, character: 5 }))).result,
    { contents: {} },
    'the server lives',
  );
  t.notMatch(e.stderr, /\n\s+at /, 'no JavaScript stack');
  t.equal(await e.stop(), 0);
});

t.test('requests before the start, and the end', async (t) => {
  const e = new Editor(t.testdir({}));
  t.teardown(() => e.child.kill());
  e.child.stdin.end();
  t.equal(await e.ended, 1, 'input that ends without a shutdown is an error');
  const other = new Editor(t.testdir({}));
  t.teardown(() => other.child.kill());
  await other.start();
  await other.ask('shutdown');
  t.type((await other.ask('textDocument/hover', other.at('a.svc', { line: 0, character: 0 }))).id, 'number');
  other.notify('exit');
  t.equal(await other.ended, 0);
});

t.test('cancelled requests and stale texts', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, i) => `def f${i}(x)\n  y = x + ${i}\n  puts y\nend\n`).join('');
  const e = await editor(t, { 'big.svc': lines });
  e.open('big.svc');
  await e.diagnostics('big.svc');
  const asked = Array.from({ length: 20 }, () =>
    e.ask('textDocument/semanticTokens/full', { textDocument: { uri: e.uriOf('big.svc') } }),
  );
  for (const { id } of asked.slice(0, -1)) e.notify('$/cancelRequest', { id });
  const answers: Message[] = await Promise.all(asked);
  t.ok(answers.slice(0, -1).filter(({ error }) => error?.code === -32800).length > 10, 'most are not computed');
  t.equal(answers.at(-1)?.error, undefined);
  const before = e.notes.filter(({ method }) => method === 'textDocument/publishDiagnostics').length;
  for (let i = 0; i < 30; i++) e.change('big.svc', `puts wrong_${i}\n`);
  const [{ message }] = await until('diagnostics of the last version', async () => {
    const note = e.notes.findLast(({ method }) => method === 'textDocument/publishDiagnostics');
    const { diagnostics } = note?.params as { diagnostics: { message: string }[] };
    return diagnostics[0]?.message.includes('wrong_29') === true && diagnostics;
  });
  t.match(message, "undefined name 'wrong_29'");
  const after = e.notes.filter(({ method }) => method === 'textDocument/publishDiagnostics').length;
  t.ok(after - before < 10, 'versions that are replaced at once are not checked');
  t.equal(await e.stop(), 0);
});

/** A program of about 1,000 lines. */
function program(): string {
  const files = ['interpreter', 'inventory', 'money', 'records_case', 'shortener'];
  return files.map((name) => readFileSync(join(ROOT, `examples/${name}.svc`), 'utf8')).join('\n');
}

/** Rounds of which the shortest counts: longer ones include compilation and collection, and other work of the machine. */
const ROUNDS = 12;
/** Requests of a round. */
const COUNT = 10;

/** Processor time of a request in milliseconds: the mean of the shortest of several rounds. The first below `limit` is enough. */
async function timeOf(e: Editor, limit: number, run: (i: number) => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let round = 0; round < ROUNDS && shortest >= limit; round++) {
    const before = processorTime(e.child);
    for (let i = 0; i < COUNT; i++) await run(round * COUNT + i);
    shortest = Math.min(shortest, (processorTime(e.child) - before) / COUNT);
  }
  return shortest;
}

/** Milliseconds of processor time that a compilation of a program takes when the compiler is warm. */
function compilation(text: string): number {
  const vm = createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), { process: { args: [], env: {} } });
  const env = environment(nativeNames(vm), 'big.svc');
  return shortest(() => compile('big.svc', text, env), 25);
}

t.test('1,000 lines are checked and completed while they are written', async (t) => {
  const text = program();
  // A tenth of a second; on a slow machine twice the time of a compilation. A check takes about as long as one, and the
  // time of V8's own threads is counted with it.
  const limit = Math.max(100, 2 * compilation(text));
  const e = await editor(t, { 'big.svc': text });
  e.open('big.svc');
  await e.diagnostics('big.svc');
  const checked = await timeOf(e, limit, async (i) => {
    e.change('big.svc', `${text}\nx${i} = ${i}\n`);
    await e.diagnostics('big.svc');
  });
  t.ok(checked < limit, `a change is checked in ${checked.toFixed(0)} ms, at most ${limit.toFixed(0)}`);
  t.comment(`diagnostics: ${checked.toFixed(1)} ms`);
  const completed = await timeOf(e, limit / 2, async (i) => {
    const changed = `${text}\nsum.le${i}\n`;
    e.change('big.svc', changed);
    const { line, character } = positionIn(changed, changed.length - 1);
    await e.result('textDocument/completion', e.at('big.svc', { line, character }));
  });
  t.comment(`completion: ${completed.toFixed(1)} ms`);
  t.ok(completed < limit / 2, `a completion takes ${completed.toFixed(0)} ms, at most ${(limit / 2).toFixed(0)}`);
  t.equal(await e.stop(), 0);
});

t.test('names are searched for in the programs that can use them', async (t) => {
  const text = program();
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`other${i}.svc`, `${text}\ntotal_sum = ${i}\n`]),
  );
  const e = await editor(t, {
    ...files,
    'sums.svc': 'def total_sum(list)\n  held = list.sum()\n  held\nend\n',
    'app.svc': 'require "sums"\nputs total_sum([1, 2])\n',
  });
  e.open('sums.svc');
  const searched = async (): Promise<number> => {
    const before = e.cpu;
    const found = await e.result<object[]>('textDocument/references', {
      ...e.at('sums.svc', { line: 0, character: 6 }),
      context: { includeDeclaration: true },
    });
    t.equal(found.length, 2);
    return e.cpu - before;
  };
  const first = await searched();
  const second = await searched();
  t.comment(`${first} ms, then ${second} ms`);
  t.ok(second < first / 4, `${first} ms, then ${second} ms`);
  const before = e.cpu;
  const { changes } = await e.result<{ changes: object }>('textDocument/rename', {
    ...e.at('sums.svc', { line: 1, character: 3 }),
    newName: 'total_sum2',
  });
  t.equal(Object.keys(changes).length, 1);
  t.ok(e.cpu - before < first / 4, 'a local variable is renamed in its own file');
  t.equal(await e.stop(), 0);
});

t.test('closed files are forgotten', async (t) => {
  const text = program();
  const e = await editor(t);
  const use = async (from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      e.open(`file${i}.svc`, text);
      await e.result('textDocument/semanticTokens/full', { textDocument: { uri: e.uriOf(`file${i}.svc`) } });
      e.close(`file${i}.svc`);
    }
  };
  await use(0, 30);
  const first = memoryOf(e.child);
  await use(30, 100);
  const growth = memoryOf(e.child) - first;
  t.comment(`${first.toFixed(0)} MB, then ${growth.toFixed(0)} MB more`);
  // 70 files of 1,000 lines hold more than 5 MB each while they are open.
  t.ok(growth < 150, `memory grows by ${growth.toFixed(0)} MB`);
  t.equal(await e.stop(), 0);
});
