import type {
  Constant,
  FunctionKind,
  FunctionProto,
  ParamKind,
  ParamProto,
  Program,
  SourceFile,
  TypeProto,
} from '../bytecode/program.js';
import { readAssets, writeAssetTable } from './assets.js';
import { ByteReader, ByteWriter } from './bytes.js';

const FUNCTION_KINDS: readonly FunctionKind[] = ['main', 'def', 'lambda', 'block'];
const PARAM_KINDS: readonly ParamKind[] = ['required', 'optional', 'rest', 'named', 'namedOptional', 'options'];
const STRING = 0,
  INTEGER = 1,
  BIG = 2,
  FLOAT = 3,
  REGEX = 4,
  NAMES = 5,
  DECIMAL = 6,
  CONSTANT_KINDS = 7;
const RECORD = 0,
  ENUM = 1,
  ERROR = 2,
  ERROR_OF_PROGRAM = 3,
  INTERFACE = 4,
  TYPE_KINDS = 5;
const REGEX_FLAGS = /^[imsx]*$/;

/**
 * Encodes a program as bytes, deterministically. Source texts are included only if `withSource`. docs/artefacts.md
 * describes the layout.
 */
export function encodeProgram(program: Program, withSource: boolean): Uint8Array {
  const body = new ProgramWriter();
  body.program(program, withSource);
  const out = new ByteWriter();
  out.unsigned(body.strings.size);
  for (const text of body.strings.keys()) out.text(text);
  out.raw(body.out.finish());
  const assets = program.assets ?? [];
  writeAssetTable(out, assets);
  return joined([out.finish(), ...assets.map(({ bytes }) => bytes)]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0];
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Writes everything except the strings, which are referenced by number. */
class ProgramWriter {
  readonly strings = new Map<string, number>();
  readonly out = new ByteWriter();

  private string(text: string): void {
    let index = this.strings.get(text);
    if (index === undefined) this.strings.set(text, (index = this.strings.size));
    this.out.unsigned(index);
  }

  private list<T>(items: readonly T[], write: (item: T) => void): void {
    this.out.unsigned(items.length);
    for (const item of items) write(item);
  }

  private readonly names = (items: readonly string[]): void => this.list(items, (item) => this.string(item));

  program(program: Program, withSource: boolean): void {
    this.list(program.sources, ({ path, text }) => {
      this.string(path);
      this.out.byte(withSource && text !== null ? 1 : 0);
      if (withSource && text !== null) this.string(text);
    });
    this.list(program.constants, (constant) => this.constant(constant));
    this.names(program.natives);
    this.names(program.slots);
    this.list(program.types, (type) => this.type(type));
    this.list(program.functions, (fn) => this.function(fn));
    this.out.unsigned(program.entry);
  }

  private constant(constant: Constant): void {
    const { out } = this;
    switch (constant.kind) {
      case 'string':
        out.byte(STRING);
        this.string(constant.value);
        break;
      case 'integer':
        out.byte(typeof constant.value === 'number' && Math.abs(constant.value) < 2 ** 52 ? INTEGER : BIG);
        if (typeof constant.value === 'number' && Math.abs(constant.value) < 2 ** 52) out.signed(constant.value);
        else this.string(constant.value.toString(16));
        break;
      case 'float':
        out.byte(FLOAT);
        out.double(constant.value);
        break;
      case 'decimal':
        out.byte(DECIMAL);
        this.string(constant.value);
        break;
      case 'regex':
        out.byte(REGEX);
        this.string(constant.source);
        this.string(constant.flags);
        break;
      default:
        out.byte(NAMES);
        this.names(constant.value);
    }
  }

  private type(type: TypeProto): void {
    const { out } = this;
    if (type.kind === 'record') out.byte(RECORD);
    else if (type.kind === 'enum') out.byte(ENUM);
    else if (type.kind === 'interface') out.byte(INTERFACE);
    else out.byte(typeof type.parent === 'number' ? ERROR_OF_PROGRAM : ERROR);
    this.string(type.name);
    if (type.kind === 'record') {
      this.names(type.fields);
      this.names(type.types);
      out.unsigned(type.ctor);
      this.names(type.methods.map(([name]) => name));
      for (const [, fn] of type.methods) out.unsigned(fn);
    } else if (type.kind === 'enum') {
      this.names(type.members);
      out.unsigned(type.variants.length);
      for (const variant of type.variants) out.unsigned(variant);
    } else if (type.kind === 'interface') {
      out.unsigned(type.records.length);
      for (const record of type.records) out.unsigned(record);
    } else if (typeof type.parent === 'number') out.unsigned(type.parent);
    else this.string(type.parent);
  }

  private function(fn: FunctionProto): void {
    const { out } = this;
    this.string(fn.name);
    out.byte(FUNCTION_KINDS.indexOf(fn.kind));
    out.unsigned(fn.source);
    this.list(fn.params, ({ name, kind, defaultText }) => {
      this.string(name);
      out.byte(PARAM_KINDS.indexOf(kind));
      this.string(defaultText);
    });
    out.unsigned(fn.registers);
    out.unsigned(fn.captures);
    out.words(fn.code);
    this.list([...fn.handlers], (value) => out.signed(value));
    this.lines(fn.lines);
    this.string(fn.doc);
  }

  /** Writes address, line and column as differences from the previous row. */
  private lines(lines: Int32Array): void {
    this.out.unsigned(lines.length / 3);
    for (let i = 0; i < lines.length; i++) this.out.signed(lines[i] - (i < 3 ? 0 : lines[i - 3]));
  }
}

/**
 * Decodes the output of `encodeProgram`; assets are views of `bytes`. Checks only the layout; the verifier checks the
 * meaning.
 * @throws InvalidArtefact
 */
export function decodeProgram(bytes: Uint8Array): Program {
  const reader = new ByteReader(bytes);
  const program = new ProgramReader(reader).program();
  const assets = readAssets(reader);
  if (assets.length > 0) program.assets = assets;
  if (reader.left > 0) reader.bad(`${reader.left} bytes too many`);
  return program;
}

class ProgramReader {
  private readonly strings: string[];

  constructor(private readonly reader: ByteReader) {
    this.strings = this.list(() => reader.text());
  }

  private list<T>(read: () => T): T[] {
    const count = this.reader.count();
    const out: T[] = [];
    for (let i = 0; i < count; i++) out.push(read());
    return out;
  }

  private readonly string = (): string => this.strings[this.reader.below(this.strings.length, 'string')];
  private readonly names = (): string[] => this.list(this.string);

  program(): Program {
    const sources = this.list((): SourceFile => ({
      path: this.string(),
      text: this.reader.below(2, 'mark') === 1 ? this.string() : null,
    }));
    const constants = this.list(() => this.constant());
    const natives = this.names();
    const slots = this.names();
    const types = this.list(() => this.type());
    const functions = this.list(() => this.function());
    return {
      sources,
      constants,
      natives,
      slots,
      types,
      functions,
      entry: this.reader.below(functions.length, 'entry'),
    };
  }

  private constant(): Constant {
    const { reader } = this;
    switch (reader.below(CONSTANT_KINDS, 'kind of constant')) {
      case STRING:
        return { kind: 'string', value: this.string() };
      case INTEGER:
        return { kind: 'integer', value: reader.signed() };
      case BIG:
        return { kind: 'integer', value: this.bigInteger() };
      case FLOAT:
        return { kind: 'float', value: reader.double() };
      case DECIMAL:
        return { kind: 'decimal', value: this.string() };
      case REGEX:
        return { kind: 'regex', source: this.string(), flags: this.flags() };
      default:
        return { kind: 'names', value: this.names() };
    }
  }

  /** Reads an Integer beyond 2^52; the VM represents those beyond 2^53 as BigInt. */
  private bigInteger(): number | bigint {
    const text = this.string();
    if (!/^-?[1-9a-f][0-9a-f]{12,}$/.test(text)) this.reader.bad('a large Integer is malformed');
    const value = text[0] === '-' ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
    return value >= -BigInt(Number.MAX_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : value;
  }

  private flags(): string {
    const flags = this.string();
    return REGEX_FLAGS.test(flags) && new Set(flags).size === flags.length
      ? flags
      : this.reader.bad(`flags '${flags.slice(0, 10)}'`);
  }

  private type(): TypeProto {
    const { reader } = this;
    const kind = reader.below(TYPE_KINDS, 'kind of type');
    const name = this.string();
    switch (kind) {
      case RECORD:
        return {
          kind: 'record',
          name,
          fields: this.names(),
          types: this.names(),
          ctor: reader.unsigned(),
          methods: this.names().map((method): [string, number] => [method, reader.unsigned()]),
        };
      case ENUM:
        return { kind: 'enum', name, members: this.names(), variants: this.list(() => reader.unsigned()) };
      case INTERFACE:
        return { kind: 'interface', name, records: this.list(() => reader.unsigned()) };
      case ERROR:
        return { kind: 'error', name, parent: this.string() };
      default:
        return { kind: 'error', name, parent: reader.unsigned() };
    }
  }

  private function(): FunctionProto {
    const { reader } = this;
    // prettier-ignore
    return {
      name: this.string(),
      kind: FUNCTION_KINDS[reader.below(FUNCTION_KINDS.length, 'kind of function')],
      source: reader.unsigned(),
      params: this.list((): ParamProto => ({ name: this.string(), kind: PARAM_KINDS[reader.below(PARAM_KINDS.length, 'kind of parameter')], defaultText: this.string() })),
      registers: reader.unsigned(),
      captures: reader.unsigned(),
      code: reader.words(),
      handlers: Int32Array.from(this.list(() => this.word())),
      lines: this.lines(),
      doc: this.string(),
    };
  }

  private word(): number {
    const value = this.reader.signed();
    return value === (value | 0) ? value : this.reader.bad('a number does not fit in a 32-bit word');
  }

  private lines(): Int32Array {
    const rows = this.reader.count(3);
    const out = new Int32Array(rows * 3);
    for (let i = 0; i < out.length; i++) {
      const value = this.reader.signed() + (i < 3 ? 0 : out[i - 3]);
      if (value < 0 || value !== (value | 0)) this.reader.bad('a source position is out of range');
      out[i] = value;
    }
    return out;
  }
}
