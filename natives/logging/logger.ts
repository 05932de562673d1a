import { Errors, ErrorValue, fail } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Hash } from '../../vm/values/hash.js';
import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Value } from '../../vm/values/value.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { PROCESS } from '../core/process.js';
import { spanOf, workOf } from '../core/work.js';
import { cut, FieldText, quoted } from './fieldtext.js';
import { type Entry, type Format, jsonLine, type Level, LEVELS, textLine } from './line.js';
import { Redaction } from './redaction.js';
import { OutputSink, type Sink } from './sink.js';

/** The names of levels that programs can set: `off` is above all. */
const SETTABLE: readonly string[] = [...LEVELS, 'off'];

export const LOG = new HandleType('Log');

export type Fields = readonly (readonly [name: string, value: Value])[];

/** What all loggers of a VM share. */
class LogSettings {
  readonly redaction = new Redaction();
  /** Index in LEVELS below which nothing is written. */
  least: number;
  /** The format that the program chose; null: readable on a terminal, else JSON. */
  private chosen: Format | null = null;
  private isColoured: boolean;
  private sink: Sink;
  private format: Format;

  constructor(private readonly vm: NativeContext) {
    const { env, isTerminal } = PROCESS.of(vm);
    this.sink = new OutputSink(vm.host, 'stderr');
    const onTerminal = isTerminal?.() === true;
    this.isColoured = onTerminal && (env.NO_COLOR ?? '') === '';
    this.format = onTerminal ? textLine(this.isColoured) : jsonLine;
    this.least = LEVELS.indexOf('info');
    const given = env.SVC_LOG ?? '';
    if (SETTABLE.includes(given)) this.level = given;
    else if (given !== '')
      vm.host.stderr(
        `warning: the environment variable SVC_LOG must be ${listed(SETTABLE)}, got '${given}'; info is used\n`,
      );
  }

  get level(): string {
    return SETTABLE[this.least];
  }

  /** @throws ValueError */
  set level(name: string) {
    const at = SETTABLE.indexOf(name);
    if (at < 0) {
      const near = nearest(name, SETTABLE);
      fail(
        Errors.ValueError,
        `there is no level '${name}'${near === null ? '' : `, did you mean '${near}'?`}; levels are ${listed(SETTABLE)}`,
      );
    }
    this.least = at;
  }

  get formatName(): string {
    return this.format === jsonLine ? 'json' : 'text';
  }

  /** @throws ValueError */
  set formatName(name: string) {
    if (name !== 'json' && name !== 'text')
      fail(Errors.ValueError, `the format of a log must be json or text, got '${name}'`);
    this.format = this.chosen = name === 'json' ? jsonLine : textLine(this.isColoured);
  }

  /** Sends further lines to `sink`: as JSON, unless the program has chosen a format. */
  use(sink: Sink): void {
    this.sink = sink;
    this.isColoured = false;
    this.format = this.chosen === null || this.chosen === jsonLine ? jsonLine : textLine(false);
  }

  write(entry: Entry): void {
    this.sink.write(this.format(entry));
  }

  flush(): Promise<void> {
    return this.sink.flush();
  }

  /** Writes an entry for the running thread. Never fails because of a value. */
  log(level: Level, message: string, groups: readonly Fields[]): void {
    const text = new FieldText(this.redaction);
    const own = new Map<string, string>();
    for (const fields of groups) for (const [name, value] of fields) own.set(name, text.field(name, value));
    this.write({
      time: this.vm.host.wallClock(),
      level,
      message: cut(message),
      own: [...own],
      context: this.context(),
    });
  }

  /** What the running thread works for. */
  private context(): [string, string][] {
    const context: [string, string][] = [];
    const id = workOf(this.vm)?.requestId;
    if (id !== undefined) context.push(['request_id', quoted(id)]);
    const span = spanOf(this.vm);
    if (span !== null) context.push(['trace_id', quoted(span.traceId)], ['span_id', quoted(span.spanId)]);
    return context;
  }
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;
}

/** The settings of a VM's log. */
export const SETTINGS = new ModuleState((vm: NativeContext) => new LogSettings(vm));

/** A logger with fields of its own: `log.with(user: 3)`. */
export class Logger extends Handle {
  readonly fields: Fields;

  /** @param fields later ones replace earlier ones of the same name */
  constructor(fields: Fields) {
    super();
    this.fields = [...new Map(fields)];
  }

  get type(): HandleType {
    return LOG;
  }

  override describe(): string {
    return `<Log ${this.fields.map(([name]) => name).join(' ')}>`;
  }
}

/** The fields of a receiver: those of `log.with`, none for `log` itself. */
export function fieldsOf(receiver: Value): Fields {
  return receiver instanceof Logger ? receiver.fields : [];
}

/** Named arguments as fields. */
export function fieldsFrom(hash: Hash): Fields {
  return [...hash.pairs()].map(([name, value]) => [String(name), value] as const);
}

/** The text of a message that is no error. */
export function messageText(message: Value): { text: string; fields: Fields } {
  if (typeof message === 'string') return { text: message, fields: [] };
  if (message instanceof ErrorValue) return { text: message.message, fields: [['error', message]] };
  return { text: '', fields: [['value', message]] };
}
