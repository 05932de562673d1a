import type * as Ast from './ast.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { walk } from './check/walk.js';
import { pushObjects } from './objects.js';
import { moduleSymbol } from './resolve/outernames.js';
import { parse, type ParsedFile } from './parse.js';
import { mask, MARKUP } from './templates/mask.js';
import { compileTemplate } from './templates/template.js';
import { ModuleScope, type DefSymbol, type Resolution, type TypeSymbol } from './symbols.js';

/** What the compiler needs from its host. */
export interface CompileEnvironment {
  /** Names of native functions, built-in types and constants. */
  natives: ReadonlySet<string>;
  /** Names of built-in library modules. */
  builtinModules: ReadonlySet<string>;
  /**
   * Finds a file for `require` and its variants. Returns its path for messages and its text; null if it does not exist;
   * a string that says why it cannot be read.
   */
  load(
    form: Ast.UseModule['form'],
    name: string,
    from: string,
  ): { path: string; text: string } | { problem: string } | null;
  /**
   * The templates in a directory that file `from` names: `list` for `list.html.erb`, with the paths of its folders. A
   * string says why the directory cannot be read. Missing where programs have no templates.
   */
  templates?(directory: string, from: string): { name: string; path: string; text: string }[] | { problem: string };
  /** Whether the program counts which of its statements and branches run. */
  coverage?: boolean;
  /** Parses a file in place of `parse`. The tree must be a new one each time, because later passes change it. */
  parse?(path: string, text: string): ParsedFile;
}

/** Says where a file of this name was searched. */
function whereSearched(form: Ast.UseModule['form'], path: string): string {
  const file = path.endsWith('.svc') ? path : `${path}.svc`;
  if (form === 'use' || form === 'stitch')
    return `write a built-in module, or put \`${file}\` into \`stitches/\` beside the program or this file`;
  return `\`${file}\` is searched in the folder of this file, then in the working directory; the library needs no \`${form}\``;
}

/** Loads all files of a program depth first, each once, and collects their declarations. */
export class ModuleLoader {
  /** In the order of resolution: a file after those it uses. */
  readonly modules: ModuleScope[] = [];
  private readonly byPath = new Map<string, ModuleScope>();
  private readonly open: string[] = [];

  /** @param index that of the first file in the program */
  constructor(
    private readonly env: CompileEnvironment,
    private readonly resolution: Resolution,
    private readonly diagnostics: Diagnostic[],
    private index = 0,
  ) {}

  load(path: string, text: string): ModuleScope {
    const { module: tree, diagnostics } = this.parse(path, text);
    this.diagnostics.push(...diagnostics);
    const module = new ModuleScope(path, text, tree, this.index++, false);
    this.byPath.set(path, module);
    return this.loaded(module);
  }

  /** Loads an input of a session: it sees the names of `before`. Files that earlier inputs have loaded are not loaded again. */
  loadInput(module: ModuleScope, before: ModuleScope, earlier: readonly ModuleScope[]): void {
    this.index++;
    for (const file of earlier) this.byPath.set(file.path, file);
    module.merged.push(before);
    this.loaded(module);
  }

  private loaded(module: ModuleScope): ModuleScope {
    const { path, tree } = module;
    this.open.push(path);
    for (const node of declarations(tree)) this.declare(module, node);
    for (const stmt of tree.stmts) if (stmt.type === 'ExportNames') this.export(module, stmt);
    this.open.pop();
    this.modules.push(module);
    for (const call of templateCalls(tree)) this.addTemplates(module, call);
    return module;
  }

  private parse(path: string, text: string): ParsedFile {
    return this.env.parse?.(path, text) ?? parse(path, text);
  }

  private declare(module: ModuleScope, node: Declaration): void {
    if (node.type === 'UseModule') this.use(module, node);
    else declare(module, node, (message) => this.report(module, node.name, 'declared-twice', message));
  }

  private export(module: ModuleScope, { names }: Ast.ExportNames): void {
    module.exports ??= new Set();
    for (const name of names) module.exports.add(name.name);
  }

  private use(module: ModuleScope, node: Ast.UseModule): void {
    if (this.env.builtinModules.has(node.path)) return;
    const found = this.env.load(node.form, node.path, module.path);
    if (found === null || 'problem' in found) {
      if (found !== null) this.report(module, node, 'module-not-found', found.problem);
      else
        this.report(
          module,
          node,
          'module-not-found',
          `cannot find '${node.path}'`,
          whereSearched(node.form, node.path),
        );
      return;
    }
    if (this.open.includes(found.path)) {
      const chain = [...this.open.slice(this.open.indexOf(found.path)), found.path];
      this.report(module, node, 'module-cycle', `files load each other in a cycle: ${chain.join(' → ')}`);
      return;
    }
    const target = this.byPath.get(found.path) ?? this.load(found.path, found.text);
    this.resolution.modules.set(node, target);
    if (node.form === 'import') this.bindNamespace(module, node, target);
    else if (!module.merged.includes(target)) module.merged.push(target);
  }

  /** Compiles the templates of a directory, and adds their functions to the call of `app.templates`. */
  private addTemplates(module: ModuleScope, { call, directory }: TemplateCall): void {
    const found = this.env.templates?.(directory.value, module.path) ?? [];
    if ('problem' in found) {
      this.report(module, directory, 'module-not-found', found.problem);
      return;
    }
    const names = new Set(found.map(({ name }) => name));
    const entries = found.map(({ name, path, text }) => {
      const masked = mask(text);
      const { module: tree, diagnostics } = this.parse(path, masked.text);
      this.diagnostics.push(...diagnostics.map((found) => withoutMarkup(withTagEnd(found, masked.text, text))));
      const { def, locals, problems } = compileTemplate(tree.stmts, masked, {
        name,
        templates: names,
        length: text.length,
        ownKind: (word) => moduleSymbol(word, module, new Set())?.kind ?? null,
      });
      const all = [...masked.problems, ...problems];
      // What is wrong in code makes the places of values uncertain.
      if (diagnostics.length === 0)
        this.diagnostics.push(...all.map((problem) => ({ ...problem, file: path, severity: 'error' as const })));
      const template = new ModuleScope(path, text, { ...tree, stmts: [def] }, this.index++, false);
      template.merged.push(module);
      this.byPath.set(path, template);
      this.modules.push(template);
      declare(template, def, () => {});
      module.symbols.set(`%${path}`, template.symbols.get(name) as DefSymbol);
      // Its name is no name of a function: in `timeout.html.erb`, `timeout(1)` calls that of the library.
      template.symbols.delete(name);
      const lines = [...locals.values()].map((start) => text.slice(0, start).split('\n').length);
      return templateEntry(name, `%${path}`, [...locals.keys()], lines, call);
    });
    call.args.push({ ...at(call), type: 'NamedArg', name: 'compiled', value: { ...at(call), type: 'Hash', entries } });
  }

  private bindNamespace(module: ModuleScope, node: Ast.UseModule, target: ModuleScope): void {
    const name = node.alias?.name ?? (node.path.split('/').pop() as string).replace(/\.svc$/, '');
    const before = module.symbols.get(name);
    if (before?.kind === 'namespace' && before.module !== target)
      this.report(
        module,
        node,
        'declared-twice',
        `'${name}' names the file ${before.module.path} already`,
        `give this one another name: \`import "${node.path}" as …\``,
      );
    module.symbols.set(name, { kind: 'namespace', module: target });
  }

  private report(module: ModuleScope, node: Ast.Node, code: string, message: string, hint = ''): void {
    this.diagnostics.push({
      code,
      severity: 'error',
      message,
      file: module.path,
      start: node.start,
      end: node.end,
      labels: [],
      hint,
    });
  }
}

interface TemplateCall {
  call: Ast.Method;
  directory: Ast.Str;
}

/** Calls such as `app.templates("views")`. */
function templateCalls(tree: Ast.Module): TemplateCall[] {
  const calls: TemplateCall[] = [];
  walk(tree.stmts, (node) => {
    if (node.type !== 'Method' || node.name !== 'templates') return;
    const [directory] = node.args;
    if (directory?.type === 'Str') calls.push({ call: node, directory });
  });
  return calls;
}

function at({ start, end }: Ast.Node): Ast.Node {
  return { start, end };
}

/** `"name": [function, ["local", …], [line, …]]` */
function templateEntry(
  name: string,
  symbol: string,
  locals: readonly string[],
  lines: readonly number[],
  call: Ast.Node,
): Ast.Pair {
  const text = (value: string): Ast.Str => ({ ...at(call), type: 'Str', value });
  const number = (value: number): Ast.Int => ({ ...at(call), type: 'Int', value });
  const fn: Ast.Ident = { ...at(call), type: 'Ident', name: symbol };
  const vector = (items: Ast.Expr[]): Ast.Vector => ({ ...at(call), type: 'Vector', items });
  return {
    ...at(call),
    type: 'Pair',
    key: text(name),
    value: vector([fn, vector(locals.map(text)), vector(lines.map(number))]),
  };
}

/** A message about the end of a tag, for which the parser has met a `;` that the template does not hold. */
function withTagEnd(diagnostic: Diagnostic, masked: string, text: string): Diagnostic {
  const { start, end, message } = diagnostic;
  if (masked[start] !== ';' || text[start] === ';' || start === 0) return diagnostic;
  return {
    ...diagnostic,
    start: start - 1,
    end,
    message: message.replace('`;`', `\`${text.slice(start - 1, start + 1)}\``),
  };
}

/** A message about the code of a template, where the parser has met text. */
function withoutMarkup(diagnostic: Diagnostic): Diagnostic {
  const readable = (text: string): string => text.replaceAll(`\`${MARKUP}\``, 'the text').replaceAll(MARKUP, 'text');
  return { ...diagnostic, message: readable(diagnostic.message), hint: readable(diagnostic.hint) };
}

export type Declaration = Ast.Def | Ast.RecordDecl | Ast.InterfaceDecl | Ast.EnumDecl | Ast.ErrorDecl | Ast.UseModule;

/** Declares a name in its file. */
function declare(
  module: ModuleScope,
  node: Exclude<Declaration, Ast.UseModule>,
  problem: (message: string) => void,
): void {
  const name = node.name.name;
  const before = moduleSymbol(name, module, new Set());
  // Variants of an enum, `Enum.Variant`, are compared by `checkDeclarations`.
  const isVariant = name.includes('.');
  if (before !== null && !isVariant && (before.kind === 'type' || node.type !== 'Def') && module.symbols.has(name))
    problem(`'${name}' is declared twice`);
  if (node.type === 'Def' || node.type === 'RecordDecl') {
    const symbol: DefSymbol = {
      kind: 'def',
      name,
      params: node.type === 'Def' ? node.params : node.fields,
      module,
      node,
    };
    module.symbols.set(name, symbol);
    if (node.type === 'Def' && node.isPrivate) module.hidden.add(name);
  } else {
    const symbol: TypeSymbol = { kind: 'type', name, module, node };
    module.symbols.set(name, symbol);
  }
}

const DECLARATIONS = new Set(['Def', 'RecordDecl', 'InterfaceDecl', 'EnumDecl', 'ErrorDecl', 'UseModule']);

/** All declarations of a file, at any depth, in source order. Iterative, because trees may be deep. */
export function declarations(tree: Ast.Module): Declaration[] {
  const out: Declaration[] = [];
  const stack: unknown[] = [tree.stmts];
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== 'object') continue;
    if (DECLARATIONS.has((item as Ast.Expr).type)) out.push(item as Declaration);
    const { type } = item as Ast.Expr;
    if (type === 'RecordDecl' || type === 'InterfaceDecl') {
      // Its methods are no functions of the file, but may hold some.
      const { methods } = item as Ast.RecordDecl | Ast.InterfaceDecl;
      stack.push(...methods.map((method) => [method.params, method.body]));
      if (type === 'RecordDecl') stack.push((item as Ast.RecordDecl).fields);
      continue;
    }
    if (Array.isArray(item)) for (let i = item.length - 1; i >= 0; i--) stack.push(item[i]);
    else pushObjects(item, stack);
  }
  return out.sort((a, b) => a.start - b.start);
}
