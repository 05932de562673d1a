import { lineStarts, positionAt } from '../vm/bytecode/position.js';
import { writtenParams } from '../vm/calls/native.js';
import { NativeFunction, type WrittenCall } from '../vm/values/function.js';
import type { VM } from '../vm/vm.js';
import { defaultSettings } from '../natives/web/config/settings.js';
import { builtinErrorNames, builtinErrorType } from '../vm/values/error.js';
import { BUILTIN_TYPES } from '../vm/values/types.js';
import { HandleType } from '../vm/values/handle.js';
import type { CheckEnvironment, Diagnostic, NativeParameter, NativeSignature } from '../compiler/index.js';
import { createVm, nativeNames } from './fullvm.js';
import { nodeHost, processStreams } from './host.js';
import { environment, readSource } from './load.js';
import { LoadError } from './loaderror.js';

/** Flags of `svcc check`. */
export interface CheckFlags {
  json?: boolean;
  strict?: boolean;
  /** Also reports state that several processes would not share. */
  workers?: boolean;
}

/** A finding as `--json` prints it. Lines and columns start at 1; columns count UTF-16 units. */
export interface Finding {
  file: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  severity: 'error' | 'warning';
  code: string;
  message: string;
  hint: string;
}

/** The declaration of a native; its parameters are parsed when a program calls it. */
class Declaration implements NativeSignature {
  constructor(
    private readonly native: NativeFunction,
    readonly result = native.result,
  ) {}

  get written(): WrittenCall | null {
    return this.native.written;
  }

  get params(): NativeParameter[] {
    return writtenParams(this.native).map(({ name, kind, default: fallback, typeText: type }) => ({
      name,
      kind,
      optional: fallback !== undefined,
      type,
    }));
  }
}

function signatures({ globals }: VM): Map<string, NativeSignature> {
  const out = new Map<string, NativeSignature>();
  for (const [name, value] of globals) {
    if (value instanceof NativeFunction) out.set(name, new Declaration(value));
    else if (value instanceof HandleType && value.make !== null) out.set(name, new Declaration(value.make, name));
  }
  return out;
}

function methodsByType(vm: VM): Map<string, Map<string, NativeSignature>> {
  const tables = new Map<string, ReadonlyMap<string, NativeFunction>>(vm.methods.byKind);
  for (const value of vm.globals.values())
    if (value instanceof HandleType && !tables.has(value.name)) tables.set(value.name, value.methods);
  return new Map([...tables].map(([type, methods]) => [type, declarations(methods)]));
}

/** What the checks know of the library. */
export function libraryOf(
  vm: VM,
): Pick<CheckEnvironment, 'signatures' | 'methods' | 'errors' | 'statics' | 'settings'> {
  return {
    signatures: signatures(vm),
    methods: methodsByType(vm),
    errors: new Map(builtinErrorNames().map((name) => [name, withParents(name)])),
    statics: staticsByType(vm),
    settings: Object.keys(defaultSettings()),
  };
}

function withParents(name: string): string[] {
  const chain: string[] = [];
  for (let type = builtinErrorType(name) ?? null; type !== null; type = type.parent) chain.push(type.name);
  return chain;
}

function staticsByType({ globals }: VM): Map<string, Map<string, NativeSignature>> {
  const all = new Map<string, Iterable<[string, NativeFunction]>>();
  for (const [name, value] of globals) {
    if (value instanceof HandleType) all.set(value.name, value.statics);
    else if (value instanceof NativeFunction && value.members !== null) all.set(name, value.members.methods);
  }
  for (const [name, { statics }] of BUILTIN_TYPES) all.set(name, statics);
  return new Map([...all].map(([type, natives]) => [type, declarations(natives)]));
}

function declarations(natives: Iterable<[string, NativeFunction]>): Map<string, NativeSignature> {
  return new Map([...natives].map(([name, native]) => [name, new Declaration(native)]));
}

function finding({ file, start, end, severity, code, message, hint }: Diagnostic, text: string): Finding {
  const starts = lineStarts(text);
  const [from, to] = [positionAt(starts, start), positionAt(starts, end)];
  return {
    file,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
    severity,
    code,
    message,
    hint,
  };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * `svcc check`: reports what is wrong with programs without running them. Exit codes: 0 no errors; 1 errors, or with
 * `strict` also warnings; 2 a file that cannot be read.
 */
export async function check(
  files: readonly string[],
  { json = false, strict = false, workers = false }: CheckFlags,
): Promise<number> {
  const host = nodeHost(processStreams());
  const vm = createVm(host, { process: { args: [], env: process.env } });
  const compiler = await import('../compiler/index.js');
  const findings = new Map<string, { diagnostic: Diagnostic; text: string }>();
  const library = libraryOf(vm);
  let unreadable = false;
  for (const file of files) {
    try {
      const text = readSource(file);
      const env = { ...environment(nativeNames(vm), file), ...library, forWorkers: workers };
      const compiled = compiler.compile(file, text, env);
      const { diagnostics, texts } = compiled.program === null ? compiled : compiler.check(file, text, env);
      // Programs may share a module: report its findings once.
      for (const d of diagnostics)
        findings.set(`${d.file} ${d.start} ${d.code} ${d.message}`, { diagnostic: d, text: texts.get(d.file) ?? '' });
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      host.stderr(`${error.message}\n`);
      unreadable = true;
    }
  }
  const all = [...findings.values()];
  const errors = all.filter(({ diagnostic }) => diagnostic.severity === 'error').length;
  if (json)
    host.stdout(
      `${JSON.stringify(
        all.map(({ diagnostic, text }) => finding(diagnostic, text)),
        null,
        2,
      )}\n`,
    );
  else {
    for (const { diagnostic, text } of all) host.stdout(`${compiler.renderDiagnostic(diagnostic, text)}\n`);
    if (all.length > 0) host.stdout(`${counted(errors, 'error')}, ${counted(all.length - errors, 'warning')}\n`);
  }
  if (unreadable) return 2;
  return errors > 0 || (strict && all.length > 0) ? 1 : 0;
}
