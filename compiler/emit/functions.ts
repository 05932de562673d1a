import type * as Ast from '../ast.js';
import { fieldType } from '../annotationtypes.js';
import { nameOfRecord } from '../symbols.js';
import { kindOf } from '../parameters.js';
import { typeSymbol } from '../resolve/outernames.js';
import type { DefSymbol, FunctionScope, ModuleScope, TypeSymbol, Variable } from '../symbols.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { MAX_ARGUMENTS, type EnumProto, type ParamProto } from '../../vm/bytecode/program.js';
import { capturesOf, CodeLimit, FunctionBuilder, type Builder, type Emitters, type FunctionSource } from './builder.js';
import { emitBody } from './handlers.js';
import { bindPattern } from './patterns.js';

function paramProto(param: Ast.Param, module: ModuleScope): ParamProto {
  const text = param.default === null ? '' : module.text.slice(param.default.start, param.default.end);
  return { name: param.pattern === null ? param.name : '(…)', kind: kindOf(param), defaultText: text };
}

/** Writes the function with number `index` of the program. */
function writeFunction(program: Builder, index: number, source: FunctionSource): void {
  const { scope, params, node } = source;
  const b = new FunctionBuilder(program, scope);
  try {
    b.at(node.start);
    placeParameters(b, params);
    placeCopies(b, scope);
    source.write(b);
    if (capturesOf(scope).length > MAX_ARGUMENTS)
      throw new CodeLimit(`this function uses more than ${MAX_ARGUMENTS} variables of enclosing functions`);
    if (params.length > MAX_ARGUMENTS) throw new CodeLimit(`more than ${MAX_ARGUMENTS} parameters`);
  } catch (error) {
    if (!(error instanceof CodeLimit)) throw error;
    program.error('too-complex', scope.module, node, error.message);
    return;
  }
  program.program.functions[index] = {
    name: source.name,
    kind: source.kind,
    source: scope.module.index,
    params: params.map((param) => paramProto(param, scope.module)),
    registers: Math.max(b.registers, params.length),
    captures: spawnSources(scope).length + capturesOf(scope).length,
    doc: source.doc,
    ...b.encoder.finish(),
  };
}

/** Parameters arrive in the first registers. Evaluates defaults in order, then destructures patterns. */
function placeParameters(b: FunctionBuilder, params: readonly Ast.Param[]): void {
  const registers = params.map(() => b.temp());
  const { symbols } = b.program.resolution;
  const own = params.map((param) => symbols.get(param));
  const parameters = new Set(own.map((symbol) => (symbol?.kind === 'variable' ? symbol.variable : null)));
  // Defaults may assign variables of their own, so those need places first.
  for (const variable of b.scope.root.variables)
    if (!parameters.has(variable) && variable.copyOf === null) b.place(variable, b.env, implicitRegister(b, variable));
  params.forEach((param, i) => {
    if (param.default !== null) emitDefault(b, param.default, registers[i]);
    const symbol = own[i];
    if (symbol?.kind === 'variable') b.place(symbol.variable, b.env, registers[i]);
  });
  params.forEach((param, i) => {
    if (param.pattern !== null)
      bindPattern(b, { type: 'GroupPattern', items: param.pattern, start: param.start, end: param.end }, registers[i]);
  });
}

/** The register of a block's `it`, which is parameter 0; −1 for any other variable. */
function implicitRegister(b: FunctionBuilder, variable: Variable): number {
  for (const implicit of b.program.resolution.implicit.values()) if (implicit === variable) return 0;
  return -1;
}

function emitDefault(b: FunctionBuilder, value: Ast.Expr, register: number): void {
  const given = b.encoder.newLabel();
  b.encoder.jump(Op.JGIVEN, given, register);
  b.expr(value, register);
  b.encoder.bind(given);
}

/** Variables that a `spawn` block received copies of, in the order of its captures. */
function spawnSources(scope: FunctionScope): Variable[] {
  return scope.kind === 'spawn' ? scope.root.variables.filter((variable) => variable.copyOf !== null) : [];
}

function placeCopies(b: FunctionBuilder, scope: FunctionScope): void {
  spawnSources(scope).forEach((variable, i) => {
    const register = b.temp();
    b.encoder.emit16(Op.CAPTURE, register, i);
    b.place(variable, b.env, register);
  });
}

/** Writes a closure that holds the current values and cells of the captured variables. */
export function emitClosure(b: FunctionBuilder, source: FunctionSource, dest: number): void {
  const index = b.program.reserve((at) => writeFunction(b.program, at, source));
  const copies = spawnSources(source.scope).map((variable) => b.readVariable(variable.copyOf as Variable));
  const captured = capturesOf(source.scope).map((variable) => captureRegister(b, variable));
  const registers = [...copies, ...captured];
  if (registers.length > MAX_ARGUMENTS)
    throw new CodeLimit(`this function uses more than ${MAX_ARGUMENTS} variables of enclosing functions`);
  b.at(source.node.start);
  b.encoder.emitList(Op.CLOSURE, dest, registers, [index]);
}

/** Register with the variable's cell if it has one, else with its value. */
function captureRegister(b: FunctionBuilder, variable: Variable): number {
  const location = b.locate(variable);
  if ((location.kind === 'cell' || location.kind === 'register') && location.register < 256) return location.register;
  const register = b.temp();
  if (location.kind === 'capture') b.encoder.emit16(Op.CAPTURE, register, location.index);
  else if (location.kind === 'cell') b.move(register, location.register);
  else b.loadVariable(variable, register);
  return register;
}

/** Parameters of a block. A block that uses `it` has one parameter. */
function blockParams(b: FunctionBuilder, block: Ast.Block): readonly Ast.Param[] {
  if (block.params !== null) return block.params;
  const implicit = b.program.resolution.implicit.has(block);
  return implicit
    ? [
        {
          name: 'it',
          kind: 'plain',
          default: null,
          pattern: null,
          annotation: null,
          start: block.start,
          end: block.start,
        },
      ]
    : [];
}

/** Source of a block that is compiled as a separate function. */
export function blockSource(b: FunctionBuilder, block: Ast.Block): FunctionSource {
  const scope = b.program.resolution.functions.get(block) as FunctionScope;
  return {
    name: 'block',
    kind: 'block',
    scope,
    params: blockParams(b, block),
    write: (inner) => writeBody(inner, block.body),
    doc: '',
    node: block,
  };
}

function writeBody(b: FunctionBuilder, body: Ast.Body): void {
  const result = b.temp();
  emitBody(b, body, result);
  b.encoder.emit(Op.RETURN, result);
}

/** Number of a function known by name. Its code is written when it is first needed. */
export function defIndex(program: Builder, symbol: DefSymbol): number {
  const { node } = symbol;
  const scope = program.resolution.functions.get(node) as FunctionScope;
  return program.def(symbol, (index) => {
    const write =
      node.type === 'Def'
        ? (b: FunctionBuilder) => writeBody(b, node.body)
        : (b: FunctionBuilder) => writeConstructor(b, symbol, node);
    writeFunction(program, index, {
      name: displayName(symbol),
      kind: 'def',
      scope,
      params: symbol.params,
      write,
      doc: node.doc,
      node,
    });
  });
}

/** Name for messages: prelude function `map__0` is shown as `map`. */
function displayName(symbol: DefSymbol): string {
  return symbol.module.isPrelude
    ? symbol.name
        .replace(/__\d(?:_2)?$/, '')
        .replace(/_q$/, '?')
        .replace(/_b$/, '!')
    : symbol.node.type === 'RecordDecl'
      ? nameOfRecord(symbol.node)
      : symbol.name;
}

function writeConstructor(b: FunctionBuilder, symbol: DefSymbol, node: Ast.RecordDecl): void {
  const registers = node.fields.map((field) => {
    const own = b.program.resolution.symbols.get(field);
    return own?.kind === 'variable' ? b.readVariable(own.variable) : 0;
  });
  const result = b.temp();
  b.encoder.emitList(Op.NEWREC, result, registers, [recordIndex(b.program, symbol, node)]);
  b.encoder.emit(Op.RETURN, result);
}

/** Number of a record's type. */
function recordIndex(program: Builder, ctor: DefSymbol, node: Ast.RecordDecl): number {
  return program.type({ kind: 'type', name: node.name.name, module: ctor.module, node }, () => {
    const type = {
      kind: 'record' as const,
      name: nameOfRecord(node),
      fields: node.fields.map((f) => f.name),
      types: [] as string[],
      ctor: 0,
      methods: [] as [string, number][],
    };
    const methods = program.resolution.methods.get(node) ?? [];
    program.queue.push(() => {
      type.ctor = defIndex(program, ctor);
      type.types = node.fields.map(({ annotation }) =>
        annotation === null
          ? ''
          : fieldType(annotation, {
              declared: (name) => declaredType(program, name, ctor.module),
              use: (name) => program.native(name),
              isType: (name) => typeSymbol(name, ctor.module) !== null,
              regex: (source, flags) => program.constant({ kind: 'regex', source, flags }),
            }),
      );
      for (const method of methods) type.methods.push([(method.node as Ast.Def).name.name, defIndex(program, method)]);
    });
    return type;
  });
}

function enumIndex(program: Builder, symbol: TypeSymbol, { members, variants }: Ast.EnumDecl): number {
  return program.type(symbol, () => {
    const type: EnumProto = {
      kind: 'enum',
      name: symbol.name,
      members: members.map((member) => member.name),
      variants: [],
    };
    program.queue.push(() => {
      for (const { name } of variants ?? []) {
        const variant = symbol.module.symbols.get(name.name) as DefSymbol;
        type.variants.push(recordIndex(program, variant, variant.node as Ast.RecordDecl));
      }
    });
    return type;
  });
}

function interfaceIndex(program: Builder, symbol: TypeSymbol, node: Ast.InterfaceDecl): number {
  return program.type(symbol, () => {
    const records: number[] = [];
    program.queue.push(() => {
      for (const record of program.resolution.implementers.get(node) ?? [])
        records.push(recordIndex(program, record, record.node as Ast.RecordDecl));
    });
    return { kind: 'interface', name: symbol.name, records };
  });
}

/** Number of an enum, an interface or an error type. */
function typeIndex(program: Builder, symbol: TypeSymbol): number {
  const { node, module } = symbol;
  if (node.type === 'RecordDecl') throw new Error('a record is a function symbol');
  if (node.type === 'EnumDecl') return enumIndex(program, symbol, node);
  if (node.type === 'InterfaceDecl') return interfaceIndex(program, symbol, node);
  const parent = node.parent === null ? null : typeSymbol(node.parent.name, module);
  const index =
    parent?.kind === 'type' && parent !== symbol ? typeIndex(program, parent) : (node.parent?.name ?? 'RuntimeError');
  return program.type(symbol, () => ({ kind: 'error', name: symbol.name, parent: index }));
}

/** Number of the type that an annotation in `module` names; null for other names. */
function declaredType(program: Builder, name: string, module: ModuleScope): number | null {
  const symbol = typeSymbol(name, module);
  if (symbol?.kind === 'def')
    return symbol.node.type === 'RecordDecl' ? recordIndex(program, symbol, symbol.node) : null;
  return symbol?.kind === 'type' && symbol.node.type !== 'ErrorDecl' ? typeIndex(program, symbol) : null;
}

export const functionEmitters: Pick<
  Emitters,
  'Lambda' | 'Def' | 'ExportNames' | 'RecordDecl' | 'InterfaceDecl' | 'EnumDecl' | 'ErrorDecl'
> = {
  Lambda: (b, node, dest) => {
    const scope = b.program.resolution.functions.get(node) as FunctionScope;
    emitClosure(
      b,
      {
        name: 'lambda',
        kind: 'lambda',
        scope,
        params: node.params,
        write: (inner) => writeBody(inner, node.body),
        doc: '',
        node,
      },
      b.target(dest),
    );
  },
  Def: declaration,
  ExportNames: declaration,
  RecordDecl: (b, node, dest) => {
    const symbol = node.isLiteral ? b.scope.module.symbols.get(node.name.name) : undefined;
    if (symbol?.kind === 'def') b.encoder.emitWord(Op.LOADTYPE, b.target(dest), recordIndex(b.program, symbol, node));
    else declaration(b, node, dest);
  },
  InterfaceDecl: declaration,
  EnumDecl: declaration,
  ErrorDecl: declaration,
};

/** Writes no code for a declaration: it takes effect before the program runs. */
function declaration(b: FunctionBuilder, _node: Ast.Expr, dest: number): void {
  if (dest >= 0) b.encoder.emit(Op.LOADNIL, dest);
}

/** Writes the functions of a file, uncalled ones too, so that their errors are reported. */
export function emitDeclarations(program: Builder, { symbols }: ModuleScope): void {
  for (const symbol of symbols.values()) {
    if (symbol.kind !== 'def') continue;
    if (symbol.node.type === 'Def') defIndex(program, symbol);
    else if (symbol.node.methods.length > 0) recordIndex(program, symbol, symbol.node);
  }
}

/** Writes the value of a function or a type. */
export function emitDeclared(b: FunctionBuilder, symbol: DefSymbol | TypeSymbol, dest: number): void {
  const { encoder, program } = b;
  if (symbol.kind === 'type') encoder.emitWord(Op.LOADTYPE, dest, typeIndex(program, symbol));
  else if (symbol.node.type === 'RecordDecl')
    encoder.emitWord(Op.LOADTYPE, dest, recordIndex(program, symbol, symbol.node));
  else encoder.emitWord(Op.CLOSURE, dest, defIndex(program, symbol));
}

/** Stores what an input of a session declares where later inputs and earlier functions find it. */
function storeDeclared(b: FunctionBuilder, module: ModuleScope): void {
  for (const [name, symbol] of module.symbols) {
    const slot = symbol.kind === 'namespace' ? null : b.program.slotOfName(module, name);
    if (slot === null) continue;
    const mark = b.mark();
    const value = b.temp();
    emitDeclared(b, symbol as DefSymbol | TypeSymbol, value);
    b.encoder.emitWord(Op.SETSLOT, value, slot);
    b.release(mark);
  }
}

/** Function of a file's top level, and the slot that records whether it has run. */
export function moduleMain(program: Builder, module: ModuleScope): { fn: number; done: number } {
  return program.main(module, (index) => {
    const { tree, main } = module;
    const write = (b: FunctionBuilder): void => {
      const result = b.temp();
      if (module.isInput) storeDeclared(b, module);
      b.statements(tree.stmts, result);
      b.encoder.emit(Op.RETURN, result);
    };
    writeFunction(program, index, {
      name: 'main',
      kind: 'main',
      scope: main,
      params: [],
      write,
      doc: '',
      node: { start: 0, end: 0 },
    });
  });
}
