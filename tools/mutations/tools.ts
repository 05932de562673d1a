import { mutationsOf, type Mutation } from './mutation.js';

/** The tools of `svcc`: formatter, coverage, shell, language server. */
// prettier-ignore
export const TOOLS: readonly Mutation[] = [
  ...mutationsOf('svcc/fmt/lexemes.ts', ['test/fmt/style.unit.ts'], {
    'empty lines are dropped': ['this.blank = gap.newlines > 1;', 'this.blank = false;'],
    'comments at the end of a line move to the next': ["ownLine: text.slice(this.lineStart, at).trim() === ''", 'ownLine: true'],
  }),
  ...mutationsOf('svcc/fmt/bodies.ts', ['test/fmt/style.unit.ts'], {
    'a long condition stays after its statement': ['return long === undefined || broken || isCommented ? doc : conditionalGroup([doc, long]);', 'return doc;'],
  }),
  ...mutationsOf('svcc/fmt/chains.ts', ['test/fmt/style.unit.ts'], {
    'chains on several lines are joined': ["if (isWritten) return { doc: spread, kind: 'chain', broken: true };", ''],
  }),
  ...mutationsOf('compiler/coverage.ts', ['test/svcc/coverage.unit.ts'], {
    '`&.` is no branch': ["if (node.safe) node.recv = this.asked(node.recv, ['a value', 'nil'], '%branch_nil');", ''],
    '`||=` is no branch': ["node.counter = this.ways(node, ['replaced', 'kept']);", ''],
    'a `case` without else has one way too few': ["arms.push({ what: 'no clause', counter: this.enter(node.else, node) });", ''],
    'clauses of `rescue` are no ways': ['if (body.rescues.length > 0)', 'if (false)'],
  }),
  ...mutationsOf('compiler/emit/assign.ts', ['test/svcc/coverage.unit.ts'], {
    'ways of `||=` are exchanged': ["op === '||' ? '%branch_unless' : '%branch'", "'%branch'"],
  }),
  ...mutationsOf('svcc/repl/complete.ts', ['test/svcc/repl/complete.unit.ts'], {
    'keys that are no names are suggested': ["if (typeof key === 'string' && PLAIN_KEY.test(key)) names.push(key);", "if (typeof key === 'string') names.push(key);"],
    'methods of records are not suggested': ['if (value instanceof RecordValue) yield* value.type.methods?.keys() ?? [];', ''],
    'members of enums are not suggested': ['if (value instanceof EnumType) yield* value.members;', ''],
  }),
  ...mutationsOf('svcc/cache.ts', ['test/svcc/shelf.test.ts'], {
    'damaged code is used': ['if (bytes === null || !bytes.subarray(0, half).equals(bytes.subarray(half))) return null;', 'if (bytes === null) return null;'],
    'code of another version is used': ['text.slice(0, end) === this.id ?', 'end > 0 ?'],
  }),
  ...mutationsOf('svcc/v8code.ts', ['test/svcc/v8code.unit.ts'], {
    'damaged code of V8 is used': ['&& hasCopy(fd, code, half) ?', '?'],
    'code for other options of V8 replaces that of these': ['platform, arch, ...optionsOf(), script]', 'platform, arch, script]'],
    'paths in options have code of their own': [".map((word) => word.replace(/=.*\\W.*$/s, '='))", ''],
  }),
  ...mutationsOf('svcc/cachefiles.ts', ['test/svcc/v8code.unit.ts'], {
    'code that others may write is used': ['(stats.mode & OTHERS_WRITE) !== 0', 'false'],
    'files with code of V8 are not counted': ['const KEPT_FILE = /^[0-9a-f]{8}\\.(svcc|code|v8)$/;', 'const KEPT_FILE = /^[0-9a-f]{8}\\.(svcc|code)$/;'],
  }),
  ...mutationsOf('svcc/repl/history.ts', ['test/svcc/repl/history.unit.ts'], {
    'the history keeps the oldest inputs': ["const kept = linesOf(before.toString('utf8')).slice(-MAX_ENTRIES);", "const kept = linesOf(before.toString('utf8')).slice(0, MAX_ENTRIES);"],
    'long inputs are kept': ['if (this.path === null || input.length > MAX_LENGTH) return;', 'if (this.path === null) return;'],
  }),
  ...mutationsOf('svcc/lsp/crossfile.ts', ['test/svcc/lsp/search.unit.ts'], {
    'a search cannot be cancelled': ['if (++count % PORTION === 0 && !(await patience.pause())) return null;', ''],
  }),
  ...mutationsOf('svcc/lsp/workspace.ts', ['test/svcc/lsp/search.unit.ts'], {
    'a changed file is believed to use what it used': ['return known === undefined || known.stamps.has(path) || !this.isCurrent(known);', 'return known === undefined || known.stamps.has(path);'],
    'parts of longer names are found': ['if (!isPart(at - 1) && !isPart(at + word.length)) return true;', 'return true;'],
  }),
  ...mutationsOf('compiler/analysis/rename.ts', ['test/svcc/lsp/search.unit.ts'], {
    'words of the language can be names': ['if (RESERVED.has(name)) return', 'if (false) return'],
    'names may get another meaning': ["if (found !== null) return `'${name}' has another meaning in ${found}`;", ''],
    'types may begin with a small letter': ["if (isCapital(old) !== isCapital(name) && kind !== 'field' && kind !== 'member')", 'if (false)'],
  }),
  ...mutationsOf('compiler/analysis/parsedfiles.ts', ['test/compiler/analysis/parsedfiles.unit.ts'], {
    'statements that moved keep their offsets': ['return tryCopy(found.tree, tokens[from].start - found.base);', 'return tryCopy(found.tree);'],
  }),
];
