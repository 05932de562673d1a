import { type Closure, NativeFunction } from '../../vm/values/function.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Value } from '../../vm/values/value.js';
import { methodsOf, type Row } from '../core/declare.js';
import type { OutputHandle } from '../core/output.js';
import { type Level, LEVELS } from './line.js';
import { type Fields, fieldsFrom, fieldsOf, LOG, Logger, messageText, SETTINGS } from './logger.js';
import { MAX_NAME } from './redaction.js';
import { openSink, type Sink } from './sink.js';

/** The message, and the fields of further arguments: a Hash has names for them. */
function argumentsOf([message = null, ...rest]: Value[]): { message: Value; further: Fields } {
  const [first] = rest;
  if (rest.length === 0) return { message, further: [] };
  return { message, further: rest.length === 1 && first instanceof Hash ? fieldsFrom(first) : [['values', rest]] };
}

/** Writes a line, if the level is high enough. */
function write(
  vm: NativeContext,
  level: Level,
  receiver: Value,
  given: Value[],
  named: Hash,
  block: Closure | null,
): Value | undefined {
  const settings = SETTINGS.of(vm);
  if (LEVELS.indexOf(level) < settings.least) return null;
  const { message, further } = argumentsOf(given);
  const done = (message: Value): null => {
    const { text, fields } = messageText(message);
    settings.log(level, text, [fieldsOf(receiver), fields, further, fieldsFrom(named)]);
    return null;
  };
  if (block === null) return done(message);
  return vm.callThen(block, [], {
    done,
  });
}

const PURPOSES: Readonly<Record<Level, string>> = {
  debug: 'details for its developers, which are not written unless the level is `debug`',
  info: 'what happens in normal operation',
  warn: 'what is unusual, and does not keep the program from its work',
  error: 'what failed; an error as `message` or as a field is written with its backtrace',
};

function levelRow(level: Level): Row {
  const impl = (
    vm: NativeContext,
    log: Value,
    message: Value[],
    named: Hash,
    block: Closure | null,
  ): Value | undefined => write(vm, level, log, message, named, block);
  const doc = `Writes a line with a message and fields: ${PURPOSES[level]}. A block is called for the message only if the line is written.`;
  return [level, '*message: Any, **fields, &block: Function?', 'Nil', doc, impl];
}

/** Sends further lines to a file, or to a stream. */
function to(vm: NativeContext, target: string | OutputHandle): Value | undefined {
  const use = (sink: Sink): null => {
    SETTINGS.of(vm).use(sink);
    return null;
  };
  const sink = openSink(vm, target);
  return sink instanceof Promise ? vm.waitForPromise('log', sink.then(use)) : use(sink);
}

function redact(vm: NativeContext, names: string[]): null {
  for (const name of names) {
    if (name.length > MAX_NAME)
      fail(Errors.ValueError, `log.redact: the name of a field has at most ${MAX_NAME} characters`);
  }
  for (const name of names) SETTINGS.of(vm).redaction.add(name);
  return null;
}

/** Methods of `log`, and of loggers with fields. */
// prettier-ignore
export const logging: readonly NativeFunction[] = methodsOf('Log', [
  ...LEVELS.map(levelRow),
  ['with', '**fields', 'Log', 'A logger whose lines have these fields as well.', (_: unknown, log: Value, fields: Hash) => new Logger([...fieldsOf(log), ...fieldsFrom(fields)])],
  ['level', '', 'String', 'The lowest level that is written: debug, info, warn, error, or off for none. `log.level = "debug"` sets it; a ValueError for other names.', (vm: NativeContext) => SETTINGS.of(vm).level],
  ['format', '', 'String', 'The form of lines: json, or text for people. `log.format = "text"` sets it; a ValueError for other names.', (vm: NativeContext) => SETTINGS.of(vm).formatName],
  ['to', 'target: String|Output', 'Nil', 'Sends lines to a file, at its end, or to stdout or stderr; waits until the file is open. FileNotFoundError or IOError if it cannot be.', (vm: NativeContext, _log: Value, target: string | OutputHandle) => to(vm, target)],
  ['redact', '*names: String', 'Nil', 'Adds names of fields whose values are replaced by [redacted], at any depth.', (vm: NativeContext, _log: Value, names: string[]) => redact(vm, names)],
  ['flush', '', 'Nil', 'Waits until the lines written so far are in the file.', (vm: NativeContext) => vm.waitForPromise('log', SETTINGS.of(vm).flush().then(() => null))],
]);
for (const method of logging) LOG.methods.set(method.name, method);

const setters: Readonly<Record<string, (vm: NativeContext, log: Value, value: string) => void>> = {
  level: (vm, _log, value) => void (SETTINGS.of(vm).level = value),
  format: (vm, _log, value) => void (SETTINGS.of(vm).formatName = value),
};
for (const [name, impl] of Object.entries(setters))
  LOG.setters.set(name, new NativeFunction(`${name}=`, 'value: String', 'Nil', '', impl, 'Log'));

/** Gives the function `log` its methods. */
export function installLogging(vm: NativeContext): void {
  const log = vm.globals.get('log');
  if (log instanceof NativeFunction) log.members = LOG;
  vm.define(logging);
}
