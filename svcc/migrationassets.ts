import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import type * as Ast from '../compiler/ast.js';
import { MIGRATIONS_FOLDER } from '../natives/data/migrations.js';
import { lineStarts, positionAt } from '../vm/bytecode/position.js';
import type { Program, SourceFile } from '../vm/bytecode/program.js';

/** Functions that open databases: without them, a method `migrate` is one of the program's own. */
const OPENERS = ['database', 'db_open'];

/** Folders of migrations that a program names, and warnings about those that are not included. */
export interface MigrationFolders {
  folders: string[];
  warnings: string[];
}

/** Finds the folders that a program passes to `db.migrate`, below the folder of its first file. */
export async function migrationFolders(entry: string, { natives, sources }: Program): Promise<MigrationFolders> {
  const found: MigrationFolders = { folders: [], warnings: [] };
  if (!OPENERS.some((name) => natives.includes(name))) return found;
  const [{ parse }, { walk }] = await Promise.all([
    import('../compiler/parse.js'),
    import('../compiler/check/walk.js'),
  ]);
  for (const source of sources) {
    if (source.text === null || !source.text.includes('migrate')) continue;
    walk(parse(source.path, source.text).module.stmts, (node) => {
      const call = node as Ast.Method | Ast.Member;
      if ((call.type === 'Method' || call.type === 'Member') && call.name === 'migrate')
        add(found, entry, source, call);
    });
  }
  return found;
}

/** The argument of a call: a text, nothing, or null for what is known only when the program runs. */
function literalOf(call: Ast.Method | Ast.Member): string | null {
  const [first] = call.type === 'Method' ? call.args : [];
  if (first === undefined) return MIGRATIONS_FOLDER;
  const value = first.type === 'NamedArg' ? first.value : first;
  return value.type === 'Str' ? value.value : null;
}

function add(
  { folders, warnings }: MigrationFolders,
  entry: string,
  { path, text }: SourceFile,
  call: Ast.Method | Ast.Member,
): void {
  const place = `${path}:${positionAt(lineStarts(text ?? ''), call.start).line}`;
  const warn = (what: string): void => void warnings.push(`${place}: warning: ${what}`);
  const given = literalOf(call);
  if (given === null) {
    warn('the folder of these migrations is known only when the program runs; include it with --assets');
    return;
  }
  // An absolute path never refers to an asset.
  if (isAbsolute(given)) return;
  const folder = normalize(given);
  if (folder === '..' || folder.startsWith(`..${sep}`))
    warn(`the migrations in ${given} are outside of the program's folder, and not included`);
  else if (statSync(join(dirname(entry), folder), { throwIfNoEntry: false })?.isDirectory() !== true)
    warn(`there is no folder ${given} beside the program; its migrations are not included`);
  else folders.push(join(dirname(entry), folder));
}
