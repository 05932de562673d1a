import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Report } from 'c8';
import { copyAsJavaScript } from './javascriptcopy.js';

/**
 * `npm run coverage [-- TEXT]`: runs the tests whose path contains TEXT in a copy of the project, and prints the share
 * of lines that they cover, by folder. Coverage of the processes that they start is included, except of killed ones. In
 * the copy, `svcc` runs unbundled, so tests of the bundle itself fail there; their coverage counts all the same.
 */
const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = mkdtempSync(join(tmpdir(), 'svc-coverage-'));
const COPY = join(FOLDER, 'copy');
const RAW = join(FOLDER, 'raw');
const REPORT = join(FOLDER, 'report');
/** Folders in the report; those in `natives/` and `vm/` are also listed one by one. */
const COVERED = ['vm', 'compiler', 'natives', 'svcc'];
const DETAILED = ['vm', 'natives'];
const JOBS = 2;
/** Tests that run the programs of other tests in slower ways, or random ones for long. */
const REPEATED = /language-(sliced|jit-sliced|artefact)|random\/programs|natives\/pauses/;
/** Minutes after which a test file is stopped. */
const LIMIT_MIN = 10;

/** Replaces the bundle in the copy by modules that load the sources. */
async function replaceBundle(): Promise<void> {
  const dist = join(COPY, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'svcc.js'), "#!/usr/bin/env node\nimport '../svcc/main.js';\n", { mode: 0o755 });
  writeFileSync(join(dist, 'embed.js'), "export * from '../svcc/embed.js';\n");
  const { buildId } = (await import(pathToFileURL(join(COPY, 'tools/buildid.js')).href)) as { buildId(): string };
  writeFileSync(join(dist, 'package.json'), JSON.stringify({ type: 'module', build: buildId() }));
}

/** Runs a test file. Returns whether it passes. */
function passes(file: string): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(process.execPath, ['--import=tap', file], {
      cwd: COPY,
      env: { ...process.env, NODE_V8_COVERAGE: RAW, TAP_TIMEOUT: String(LIMIT_MIN * 60) },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    child.stdout.pipe(createWriteStream(join(FOLDER, `${file.replaceAll('/', '_')}.tap`)));
    const end = (): void => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // All processes of the group have ended.
      }
    };
    const timer = setTimeout(end, LIMIT_MIN * 60_000);
    child.on('close', (code) => {
      clearTimeout(timer);
      end();
      done(code === 0);
    });
  });
}

/** Keeps the coverage of the copy's modules only, because a process otherwise leaves several megabytes. */
function shrink(): void {
  const own = `${COPY}/`;
  for (const name of readdirSync(RAW)) {
    const path = join(RAW, name);
    let result: { url: string }[] = [];
    try {
      ({ result } = JSON.parse(readFileSync(path, 'utf8')) as { result: { url: string }[] });
    } catch {
      // Its process was killed while it wrote.
    }
    const kept = result.filter(({ url }) => {
      const file = url.replace('file://', '');
      return file.startsWith(own) && COVERED.some((folder) => file.startsWith(`${own}${folder}/`));
    });
    writeFileSync(path, JSON.stringify({ result: kept }));
  }
}

async function runTests(text: string): Promise<void> {
  const files = readdirSync(join(COPY, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => `test/${name}`)
    .filter((name) => name.includes(text) && !REPEATED.test(name))
    .sort();
  const work = async (): Promise<void> => {
    for (let file = files.shift(); file !== undefined; file = files.shift())
      console.log(`${(await passes(file)) ? 'passed' : 'FAILED'}  ${file}`);
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  shrink();
}

/** Lines of a folder. */
interface Lines {
  total: number;
  covered: number;
}

/** The folders whose line in the report includes a file. */
function foldersOf(path: string): string[] {
  const [top] = path.split('/');
  const parts = dirname(path).split('/');
  return [...new Set(['all', top, ...(DETAILED.includes(top) ? [parts.slice(0, 2).join('/')] : [])])];
}

async function report(): Promise<void> {
  const options = {
    include: COVERED.map((name) => `${name}/**/*.ts`),
    exclude: [],
    extension: ['.ts'],
    excludeAfterRemap: true,
    reporter: ['json-summary'],
    reportsDirectory: REPORT,
    tempDirectory: RAW,
    resolve: ROOT,
    omitRelative: true,
    all: true,
    src: [ROOT],
    mergeAsync: true,
  };
  await new Report(options).run();
  const summary = JSON.parse(readFileSync(join(REPORT, 'coverage-summary.json'), 'utf8')) as Record<
    string,
    { lines: Lines }
  >;
  const folders = new Map<string, Lines>();
  for (const [path, { lines }] of Object.entries(summary)) {
    if (path === 'total') continue;
    for (const folder of foldersOf(relative(ROOT, path))) {
      const sum = folders.get(folder) ?? { total: 0, covered: 0 };
      folders.set(folder, { total: sum.total + lines.total, covered: sum.covered + lines.covered });
    }
  }
  console.log('\nlines covered  folder');
  for (const [folder, { total, covered }] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${((covered / total) * 100).toFixed(1).padStart(6)} % of ${String(total).padStart(5)}  ${folder}`);
}

const [text = ''] = process.argv.slice(2);
mkdirSync(RAW, { recursive: true });
await copyAsJavaScript(ROOT, COPY, 'inline');
await replaceBundle();
await runTests(text);
await report();
rmSync(FOLDER, { recursive: true });
