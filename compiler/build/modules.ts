import type { Arg, Expr, Ident, UseModule } from '../ast.js';
import type { Token } from '../layout/token.js';
import { notPlainModule } from '../diagnostics/modulename.js';
import { invalidNode } from './invalid.js';
import { literal } from './literals.js';

const FORMS: ReadonlySet<string> = new Set(['require', 'import', 'stitch']);

/** Whether a call of this name loads a module. Not `use`: `use("x")` may be a function of the program. */
export function isModuleForm(name: string): boolean {
  return FORMS.has(name);
}

/** `require("x")` */
export function moduleCall({ name, start }: Ident, args: Arg[], end: number): Expr {
  const [path] = args;
  if (args.length !== 1 || path?.type !== 'Str') return invalidNode(notPlainModule(name, start, end));
  return { type: 'UseModule', start, end, form: name as UseModule['form'], path: path.value, alias: null };
}

/** `require "x"`, `import "x" as y` */
export function useModule(word: Token, path: Token, alias?: Token): Expr {
  const { start, text } = word;
  const end = alias?.end ?? path.end;
  const value = literal(path);
  if (value.type !== 'Str') return invalidNode(notPlainModule(text, path.start, path.end));
  return {
    type: 'UseModule',
    start,
    end,
    form: text as UseModule['form'],
    path: value.value,
    alias: alias === undefined ? null : { start: alias.start, end: alias.end, name: alias.text },
  };
}
