import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { isInShare, RUNS_ALL } from '../share.js';
import { type Class, type Classes, classesOfLexer, disagreements } from './classes.js';

// editors/vim in Vim and in Neovim: colours and indentation of programs. Skipped where the editor is missing.

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT_MS = 600_000;

/** Programs that are read; SVC_LONG=1 takes all. */
const READ = RUNS_ALL
  ? ['accounts', 'closures_iterators', 'interpreter', 'helpdesk/lib/jobs', 'helpdesk/lib/tickets']
  : ['helpdesk/lib/jobs', 'helpdesk/lib/tickets'];
/** Programs whose style has a form that the rules do not know. */
const OTHER_STYLE: Record<string, string> = {
  'examples/todo.svc': '`when` is indented below an assigned `case`',
};
/** Programs in which Vim finds other colours. */
const OTHER_COLOURS: Record<string, string> = {
  'spec-tests/language/lexical/word_vector_versus_modulo.svc': 'in `n %w[0]`, `n` is a variable',
  'spec-tests/language/strings/heredoc_raw_beside_an_interpolating_one.svc':
    'two heredocs of which only one has quotes',
};

const EDITORS: Record<string, string[]> = {
  vim: ['-es', '-u', 'NONE', '-i', 'NONE', '-n', '-S'],
  nvim: ['--headless', '-u', 'NONE', '-i', 'NONE', '-n', '-S'],
};

const PREPARE = `set nocompatible
set runtimepath^=${join(ROOT, 'editors/vim').replaceAll(' ', '\\ ')}
filetype plugin indent on
syntax on
`;

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function run(editor: string, folder: string, commands: string): Promise<string> {
  const script = join(folder, 'script.vim');
  const failed = `call writefile([v:exception, v:throwpoint], '${join(folder, 'failed')}')`;
  writeFileSync(script, `${PREPARE}try\n${commands}\ncatch\n${failed}\nendtry\nqall!\n`);
  return new Promise((done) => {
    const options = { env: { ...process.env, NODE_OPTIONS: '' }, timeout: LIMIT_MS };
    execFile(editor, [...EDITORS[editor], script], options, (error, stdout, stderr) =>
      done(`${error?.message ?? ''}${stdout}${stderr}`),
    );
  });
}

function programs(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.svc'))
      .map((path) => `${folder}/${path}`),
  );
}

/** A program without indentation, except for lines within texts. */
function unindented(text: string): string {
  const { classes } = classesOfLexer(text);
  let at = 0;
  let wasText = false;
  const lines = text.split('\n').map((line) => {
    const isBody = /^(string|regex)$/.test(classes[at] ?? '') && /^\s/.test(line);
    const isCloser = wasText && /^\s*\w+\s*$/.test(line);
    at += line.length + 1;
    wasText = isBody;
    return isBody || isCloser ? line : line.trimStart();
  });
  return lines.join('\n');
}

const CLASS_OF_GROUP: readonly [RegExp, Class][] = [
  [/^svc(Interpolation|Braces|HeredocLine|Delimiter|Parentheses|Fields|Bracket)$/, 'other'],
  [/^svcRegex/, 'regex'],
  [/^svc(String|Heredoc|HeredocOpener|Words|Quote)$/, 'string'],
  [/^svc(Comment|Documentation)$/, 'comment'],
  [/^svcNumber$/, 'number'],
  [/^svcSymbol$/, 'symbol'],
  [/^svc(Conditional|Repeat|Exception|Statement|WordOperator|Boolean|Nil|Include|Declaration)$/, 'keyword'],
];

function classOfStack(stack: string): Class {
  for (const group of stack.split('.').reverse()) {
    const found = CLASS_OF_GROUP.find(([pattern]) => pattern.test(group))?.[1];
    if (found !== undefined) return found;
  }
  return 'other';
}

/** The classes that Vim finds: a line of `stacks` holds the groups of each byte of a line of `text`. */
function classesOfVim(text: string, stacks: readonly string[]): Classes {
  const classes: Classes = [];
  for (const [index, line] of text.split('\n').entries()) {
    const groups = (stacks[index] ?? '').split(',');
    let byte = 0;
    for (const character of line) {
      for (let unit = 0; unit < character.length; unit++) classes.push(classOfStack(groups[byte] ?? ''));
      byte += Buffer.byteLength(character);
    }
    classes.push('other');
  }
  return classes;
}

async function checkColours(t: Test, editor: string, paths: readonly string[]): Promise<void> {
  const folder = t.testdir();
  writeFileSync(join(folder, 'list'), paths.join('\n'));
  const output = await run(
    editor,
    folder,
    `let index = 0
for path in readfile('${folder}/list')
  execute 'edit ${ROOT}/' . path
  if &filetype !=# 'svc' | throw 'no file type: ' . path | endif
  syntax sync fromstart
  let lines = []
  for l in range(1, line('$'))
    call add(lines, join(map(range(1, len(getline(l))), 'join(map(synstack(l, v:val), "synIDattr(v:val, ''name'')"), ".")'), ','))
  endfor
  call writefile(lines, '${folder}/' . index)
  let index += 1
  bwipeout!
endfor`,
  );
  t.strictSame(
    readdirSync(folder).includes('failed') ? readFileSync(join(folder, 'failed'), 'utf8') : '',
    '',
    `no error; ${output}`,
  );
  const wrong = paths.flatMap((path, index) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const { classes, hasProblems } = classesOfLexer(text);
    if (hasProblems || path in OTHER_COLOURS) return [];
    const found = classesOfVim(text, readFileSync(join(folder, String(index)), 'utf8').split('\n'));
    const [at] = disagreements(text, classes, found);
    if (at === undefined) return [];
    const line = text.slice(0, at).split('\n').length;
    return [`${path}:${line}: the lexer finds ${classes[at]}, ${editor} ${found[at]}: ${text.split('\n')[line - 1]}`];
  });
  t.strictSame(wrong, []);
}

async function checkIndentation(t: Test, editor: string, paths: readonly string[]): Promise<void> {
  const folder = t.testdir();
  mkdirSync(join(folder, 'in'));
  mkdirSync(join(folder, 'out'));
  for (const [index, path] of paths.entries())
    writeFileSync(join(folder, 'in', `${index}.svc`), unindented(readFileSync(join(ROOT, path), 'utf8')));
  const output = await run(
    editor,
    folder,
    `for name in map(range(${paths.length}), 'v:val . ".svc"')
  execute 'edit ${folder}/in/' . name
  syntax sync fromstart
  normal! gg=G
  call writefile(getline(1, '$'), '${folder}/out/' . name)
  bwipeout!
endfor`,
  );
  for (const [index, path] of paths.entries()) {
    const expected = readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n');
    const found = readFileSync(join(folder, 'out', `${index}.svc`), 'utf8')
      .trimEnd()
      .split('\n');
    const at = expected.findIndex((line, number) => line !== found[number]);
    t.equal(at, -1, `${path}:${at + 1}: ${found[at]}${output}`);
  }
}

const wanted =
  process.env.SVC_LONG === '1' ? programs('examples', 'templates') : READ.map((name) => `examples/${name}.svc`);

for (const editor of Object.keys(EDITORS)) {
  if (editor === 'nvim' && !RUNS_ALL) continue;
  const skip = !isInstalled(editor) && `${editor} is not installed`;
  t.test(`${editor} finds the strings, comments, keywords, numbers and regexes of the lexer`, { skip }, async (t) => {
    t.setTimeout(LIMIT_MS);
    const lexical = programs('spec-tests/language/lexical', 'spec-tests/language/strings').filter((path) =>
      isInShare(path),
    );
    await checkColours(t, editor, [...wanted, ...lexical, 'test/compiler/fixtures/torture.svc']);
  });

  t.test(`${editor} indents programs`, { skip }, async (t) => {
    t.setTimeout(LIMIT_MS);
    await checkIndentation(
      t,
      editor,
      wanted.filter((path) => !(path in OTHER_STYLE)),
    );
  });

  t.test(`${editor} colours the code of templates`, { skip }, async (t) => {
    const page = '<p class="<%= kind or 3 %>"><% end # done %> end</p>\n<script>let x = <%= json(nil) %>;</script>\n';
    const folder = t.testdir({ 'page.html.erb': page });
    await run(
      editor,
      folder,
      `let g:svc_templates = 1
edit ${folder}/page.html.erb
let found = [&filetype]
for [l, word] in [[1, 'or'], [1, '3'], [1, 'end'], [1, 'done'], [1, 'end<'], [2, 'nil'], [2, 'let']]
  call add(found, word . ' ' . synIDattr(synID(l, match(getline(l), word) + 1, 1), 'name'))
endfor
call writefile(found, '${folder}/found')`,
    );
    t.strictSame(readFileSync(join(folder, 'found'), 'utf8').trimEnd().split('\n'), [
      'svctemplate',
      'or svcWordOperator',
      '3 svcNumber',
      'end svcStatement',
      'done svcCommentOfTag',
      'end< ',
      'nil svcNil',
      'let javaScriptIdentifier',
    ]);
  });

  t.test(`${editor} lists what :make reports`, { skip }, async (t) => {
    const folder = t.testdir({ 'app.svc': 'x = 1\n' });
    const report = [
      'app.svc:2:3: error: undefined name',
      '  2 |   nope',
      '   hint: write it',
      'app.svc:4:1: warning: unused',
    ];
    await run(
      editor,
      folder,
      `edit ${folder}/app.svc
let program = &makeprg
call setqflist([], ' ', {'lines': ${JSON.stringify(report).replaceAll('"', "'")}, 'efm': &errorformat})
let items = map(getqflist(), 'v:val.lnum . ":" . v:val.col . v:val.type . " " . v:val.text')
call writefile([program] + items, '${folder}/found')`,
    );
    const [program, first, second, ...others] = readFileSync(join(folder, 'found'), 'utf8').trimEnd().split('\n');
    t.equal(program, 'svcc check %:S');
    t.match(first, /^2:3E undefined name/);
    t.match(second, /^4:1W unused/);
    t.strictSame(
      others.filter((line) => !/write it/.test(line)),
      [],
    );
  });
}
