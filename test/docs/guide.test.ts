import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runFile } from '#embed';
import t, { type Test } from 'tap';
import { freePort } from '../freeport.js';
import { isInShare } from '../share.js';
import { type Expectations, readExpectations } from '../spec/program.js';
import { compare } from '../spec/report.js';
import { ROOT, svcc } from '../svcc/svcc.js';
import { parseExchanges } from '../web/support/exchange.js';
import { play } from '../web/support/play.js';
import { ProgramProcess } from '../web/support/program-process.js';
import { readFences } from './blocks.js';

// Runs every program of the guide and compares its output. docs/guide/README.md describes the notation.
const GUIDE = 'docs/guide';
const NAME = 'app.svc';
/** Address of servers in the guide; the test replaces it with a free port. */
const SERVED_AT = 'localhost:3000';
const OWN_PORT = '18080';
/** Number of processes that run programs. */
const AT_ONCE = 2;

/** Exchanges with a program, or a client of it. */
interface Part {
  place: string;
  text: string;
}

/** A program of the guide with its exchanges and clients. */
interface Program extends Part {
  /** Files beside the program, by path: all that precede it on the page. */
  files: Record<string, string>;
  exchanges: Part[];
  clients: Part[];
  /** Whether it runs with a virtual clock. */
  isVirtual: boolean;
}

/** Reads the programs of a page. @throws Error if text after a language is unknown, or exchanges have no program */
function readPage(path: string, text: string): Program[] {
  const programs: Program[] = [];
  let files: Record<string, string> = {};
  for (const { place, language, info, text: source } of readFences(path, text)) {
    const file = /^file=([\w./-]+)$/.exec(info)?.[1];
    const last = programs.at(-1);
    if (file !== undefined) files = { ...files, [file]: source };
    else if (language === 'svc' && /^(virtual)?$/.test(info))
      programs.push({ place, text: source, files, exchanges: [], clients: [], isVirtual: info !== '' });
    else if (language === 'svc' && info === 'client' && last !== undefined) last.clients.push({ place, text: source });
    else if (language === 'http' && info === '' && last !== undefined) last.exchanges.push({ place, text: source });
    else if (language === 'svc' || language === 'http' || info !== '')
      throw new Error(`${place}: what does '${language} ${info}' mean here?`);
  }
  return programs;
}

/** Writes a program and its files to a folder. */
function folderOf(root: string, { place, files, text }: Program): string {
  const folder = join(root, place.replace(/\W/g, '-'));
  for (const [path, content] of Object.entries({ ...files, [NAME]: text })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Two texts, equal if the guide is right, and the position in the guide. */
interface Outcome {
  place: string;
  actual: string;
  expected: string;
}

/** Expectations of a program, which may print nothing. */
function expectationsOf(source: string): Expectations {
  return readExpectations(`${source}\n# stdin:`);
}

async function runToItsEnd(
  { place, text }: Part,
  folder: string,
  replaced: [string, string],
  seed?: number,
): Promise<Outcome> {
  const file = 'program.svc';
  const source = text.replaceAll(...replaced);
  writeFileSync(join(folder, file), source);
  const expected = expectationsOf(source);
  return {
    place,
    ...compare(file, expected, await runFile(join(folder, file), { args: expected.args, stdin: expected.stdin, seed })),
  };
}

/** Runs a program in its folder, in a process of its own: it finds its files by paths from the working directory. */
async function runBeside({ place, text }: Part, folder: string): Promise<Outcome> {
  const { exitCode, ...output } = await svcc(['run', NAME], { cwd: folder });
  return { place, ...compare(NAME, expectationsOf(text), { ...output, exitCode: exitCode ?? NaN }) };
}

/** Starts a program, plays its exchanges, runs its clients and stops it. */
async function serve(server: ProgramProcess, program: Program, folder: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  writeFileSync(join(folder, NAME), program.text.replace(/^app\.run.*$/m, 'app.run(0)'));
  server.start({ file: NAME, cwd: folder, args: [], slice: 0 });
  try {
    const port = await server.port();
    for (const { place, text } of program.exchanges) {
      outcomes.push({ place, actual: '', expected: '' });
      for (const { actual, expected } of await play(port, parseExchanges(text)))
        outcomes.push({ place, actual, expected });
    }
    for (const client of program.clients)
      outcomes.push(await runToItsEnd(client, folder, [SERVED_AT, `localhost:${port}`]));
    const { stdout, stderr, exitCode } = await server.stop();
    const own = stdout.replace(/^Svc web server running on .*\n.*\n/m, '');
    // Errors of handlers are logged; the server continues.
    const expected = expectationsOf(program.text);
    outcomes.push({
      place: program.place,
      ...compare(
        NAME,
        { ...expected, exitCode: expected.exitCode ?? 0 },
        { stdout: own, stderr, exitCode: exitCode ?? NaN },
      ),
    });
  } finally {
    if (server.isRunning) await server.kill();
  }
  return outcomes;
}

async function check(server: ProgramProcess, program: Program, root: string): Promise<Outcome[]> {
  const folder = folderOf(root, program);
  if (program.exchanges.length + program.clients.length > 0) return serve(server, program, folder);
  if (Object.keys(program.files).some((path) => path.endsWith('.sql'))) return [await runBeside(program, folder)];
  return [await runToItsEnd(program, folder, [OWN_PORT, String(await freePort())], program.isVirtual ? 1 : undefined)];
}

function report(t: Test, outcomes: Outcome[]): void {
  for (const { place, actual, expected } of outcomes) t.equal(actual, expected, place);
}

const pages = readdirSync(join(ROOT, GUIDE))
  .filter((name) => name.endsWith('.md'))
  .map((name) => join(GUIDE, name));
const texts = new Map(pages.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));

const servers = Array.from({ length: AT_ONCE }, () => new ProgramProcess());
t.teardown(() => {
  for (const server of servers) server.end();
});

for (const [path, text] of texts) {
  t.test(path, async (t) => {
    const programs = readPage(path, text).filter(({ text }) => isInShare(text));
    const root = t.testdir({});
    const waiting = [...programs.entries()];
    const results: Outcome[][] = programs.map(() => []);
    await Promise.all(
      servers.map(async (server) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [i, program] = next;
          results[i] = await check(server, program, root).catch((error: Error) => [
            { place: program.place, actual: error.message, expected: '' },
          ]);
        }
      }),
    );
    for (const outcomes of results) report(t, outcomes);
  });
}

t.test('the guide has programs, exchanges and an index', async (t) => {
  const programs = [...texts].flatMap(([path, text]) => readPage(path, text));
  t.ok(programs.length > 20, `${programs.length} programs`);
  t.strictSame(
    programs
      .filter(({ text, exchanges, clients }) => /^\w+\.run\b/m.test(text) && exchanges.length + clients.length === 0)
      .map(({ place }) => place),
    [],
  );
  const index = texts.get(join(GUIDE, 'README.md')) ?? '';
  for (const name of readdirSync(join(ROOT, GUIDE))) if (name !== 'README.md') t.ok(index.includes(`](${name}`), name);
});

t.test('the reader of pages', async (t) => {
  const text =
    '```css file=public/a.css\na {}\n```\n```svc\nx = 1\n```\n```http\nGET /\n```\n```sh\nls\n```\n```svc client\ny = 2\n```\n';
  t.strictSame(readPage('a.md', text), [
    {
      place: 'a.md:5',
      text: 'x = 1\n',
      files: { 'public/a.css': 'a {}\n' },
      isVirtual: false,
      exchanges: [{ place: 'a.md:8', text: 'GET /\n' }],
      clients: [{ place: 'a.md:14', text: 'y = 2\n' }],
    },
  ]);
  t.throws(() => readPage('a.md', '```http\nGET /\n```\n'), { message: "a.md:2: what does 'http ' mean here?" });
  t.throws(() => readPage('a.md', '```svc norun it\nx\n```\n'), {
    message: /^a\.md:2: what does 'svc norun it' mean here/,
  });
});
