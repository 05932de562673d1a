import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['vm', 'compiler', 'natives', 'svcc', 'tools', 'test', 'bench', 'spec-tests', 'editors'];
const FILE_LIMITS = { median: 150, p90: 400, max: 800 };
// eslint limits single functions, with exceptions; these limits apply to the distribution.
const FUNCTION_LIMITS = { median: 12, p90: 40, max: Infinity };

interface Size {
  where: string;
  lines: number;
}

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter((path) => !/(^|\/)(generated|node_modules|dist)\//.test(path));
}

function functionSizes(path: string, text: string): Size[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const line = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const sizes: Size[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = line(node.getStart(file));
      sizes.push({ where: `${path}:${first}`, lines: line(node.end) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return sizes;
}

function quantile(sizes: Size[], part: number): number {
  return sizes[Math.floor(part * (sizes.length - 1))]?.lines ?? 0;
}

/** Prints the distribution. Returns what exceeds the limits. */
function report(what: string, sizes: Size[], limits: typeof FILE_LIMITS): string[] {
  sizes.sort((a, b) => a.lines - b.lines);
  const [median, p90, largest] = [quantile(sizes, 0.5), quantile(sizes, 0.9), sizes.at(-1)];
  console.log(
    `${sizes.length} ${what}: median ${median}, p90 ${p90}, max ${largest?.lines ?? 0} lines (${largest?.where ?? '-'})`,
  );
  const tooLong = sizes
    .filter(({ lines }) => lines > limits.max)
    .map(({ where, lines }) => `${where} has ${lines} lines, limit ${limits.max}`);
  if (median > limits.median) tooLong.push(`median of ${what} is ${median} lines, limit ${limits.median}`);
  if (p90 > limits.p90) tooLong.push(`p90 of ${what} is ${p90} lines, limit ${limits.p90}`);
  return tooLong;
}

const paths = (await Promise.all(FOLDERS.map(sources))).flat();
const texts = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })));
const files = texts.map(({ path, text }) => ({ where: path, lines: text.trimEnd().split('\n').length }));
const functions = texts.flatMap(({ path, text }) => (path.startsWith('test/') ? [] : functionSizes(path, text)));

const findings = [...report('files', files, FILE_LIMITS), ...report('functions', functions, FUNCTION_LIMITS)];
for (const finding of findings) console.error(`too long: ${finding}`);
if (findings.length > 0) process.exitCode = 1;
