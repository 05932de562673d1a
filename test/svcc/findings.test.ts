import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { isInShare, RUNS_ALL } from '../share.js';
import { CHECKS } from '../../compiler/diagnostics/codes.js';
import type { Finding } from '../../svcc/check.js';
import { BOOKS } from '../../tools/generate-library.js';
import { readFences } from '../docs/blocks.js';
import { ROOT, svcc } from './svcc.js';

// `svcc check` finds nothing in programs that are right: those of the specification, the examples and the documentation.
// Many of them make a mistake on purpose, to show its error. These findings are in a golden file. Each of its lines is a
// mistake: before you accept a new one with UPDATE_GOLDEN=1, read the program.

const GOLDEN = join(ROOT, 'test/svcc/findings/intended.txt');
/** Documents whose examples are parts of programs in `docs/`. */
const GENERATED = new Set(BOOKS.map(({ path }) => path));
/** Programs of `check` have expectations of their own. */
const OTHERS = /^spec-tests\/check\//;

function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** Writes the programs of all documents to a folder; their documents by path. */
function documents(t: Test): Map<string, string> {
  const found = new Map<string, string>();
  const folder = t.testdir({});
  for (const path of [...filesBelow('docs', '.md'), 'README.md'].filter((path) => !GENERATED.has(path))) {
    let own = join(folder, String(found.size));
    for (const { language, info, text } of readFences(path, readFileSync(join(ROOT, path), 'utf8'))) {
      if (language !== 'svc') continue;
      const file = /^file=(\S+)/.exec(info)?.[1];
      const to = join(own, file ?? 'program.svc');
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, text);
      if (file !== undefined) continue;
      found.set(to, path);
      own = join(folder, String(found.size));
    }
  }
  return found;
}

function isExpected({ code }: Finding): boolean {
  // Parser errors have tests of their own. Programs that show one thing often assign what they do not read.
  return !Object.hasOwn(CHECKS, code) || code === 'unused-variable';
}

t.test('nothing is found in programs that are right', async (t) => {
  const programs = ['spec-tests', 'examples', 'bench', 'templates', 'docs'].flatMap((folder) =>
    filesBelow(folder, '.svc'),
  );
  const ofDocuments = documents(t);
  t.ok(programs.length > 1500 && ofDocuments.size > 100, `${programs.length} and ${ofDocuments.size} programs`);
  const files = [
    ...programs.filter((path) => isInShare(path) && !OTHERS.test(path)),
    ...[...ofDocuments].filter(([, document]) => isInShare(document)).map(([path]) => path),
  ];
  const findings: Finding[] = [];
  // Arguments of a process have a limited length.
  for (let i = 0; i < files.length; i += 800) {
    const { stdout } = await svcc(['check', '--json', ...files.slice(i, i + 800)]);
    findings.push(...(JSON.parse(stdout) as Finding[]));
  }
  const found = findings
    .filter((finding) => !isExpected(finding))
    .map(({ file, code, message }) => `${ofDocuments.get(file) ?? file}: ${code}: ${message}`);
  const lines = [...new Set(found)].sort();
  if (process.env.UPDATE_GOLDEN === '1' && RUNS_ALL) writeFileSync(GOLDEN, `${lines.join('\n')}\n`);
  const golden = readFileSync(GOLDEN, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => isInShare(line.slice(0, line.indexOf(':'))));
  t.strictSame(
    lines.filter((line) => !golden.includes(line)),
    [],
    'no other findings',
  );
  t.strictSame(
    golden.filter((line) => !lines.includes(line)),
    [],
    'the listed mistakes are found',
  );
});
