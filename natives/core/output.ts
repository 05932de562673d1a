import { ModuleState } from '../../vm/calls/modulestate.js';
import { native } from '../../vm/calls/native.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { isLarge } from '../../vm/values/weight.js';
import { finish } from '../../vm/values/steps.js';
import type { Output } from '../../vm/host.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { isFull, whenRoom } from './backlog.js';
import { functions, methodsOf } from './declare.js';
import { type LineSource, linesOf } from './inputlines.js';
import { joinTexts } from './limits.js';
import { prettySteps } from './pretty.js';
import { printed } from './printing.js';
import { strictFloat, strictInteger } from './strings/parsenumbers.js';

function line(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** A single write for all values, so that lines of several fibers do not mix. */
function puts(vm: NativeContext, values: Value[], output?: Output): Value | undefined {
  const make = (texts: string[]): string => (texts.length === 0 ? '\n' : joinTexts(texts.map(line), ''));
  return printed(vm, values, false, make, null, output);
}

function print(vm: NativeContext, values: Value[], separator: string, end: string, output?: Output): Value | undefined {
  return printed(vm, values, false, (texts) => joinTexts([joinTexts(texts, separator), end], ''), null, output);
}

function warn(vm: NativeContext, values: Value[]): Value | undefined {
  return values.length === 0 ? null : puts(vm, values, 'stderr');
}

/** The return value of `p` and `pp`: their arguments. */
function given(values: Value[]): Value {
  return values.length === 0 ? null : values.length === 1 ? values[0] : values;
}

function inspected(vm: NativeContext, values: Value[]): Value | undefined {
  if (values.length === 0) return null;
  const types = values.map(typeName);
  return printed(
    vm,
    values,
    true,
    (texts) =>
      joinTexts(
        texts.map((text, i) => `(${types[i]}) ${text}\n`),
        '',
      ),
    given(values),
  );
}

function pretty(vm: NativeContext, values: Value[]): Value | undefined {
  if (isFull(vm, 'stdout')) return whenRoom(vm, 'stdout', () => pretty(vm, values));
  const steps = prettyAll(vm, values);
  return values.some(isLarge) ? vm.inPieces('text', steps) : finish(steps);
}

function* prettyAll(vm: NativeContext, values: Value[]): Generator<void, Value, void> {
  const texts: string[] = [];
  for (const value of values) texts.push(`${yield* prettySteps(value)}\n`);
  if (texts.length > 0) vm.host.stdout(joinTexts(texts, ''));
  return given(values);
}

/** Where `input` reads lines; null: nowhere. */
export const STDIN = new ModuleState<LineSource | null>(() => null);

function input(vm: NativeContext, prompt: string): Value | undefined {
  if (prompt !== '') vm.host.stdout(prompt);
  const source = STDIN.of(vm);
  return source === null ? null : linesOf(source).next(vm, false);
}

const inputLine = native('input', 'prompt: String', 'String?', '', input);

/** The number written in the next line; nil at the end of the input. @throws ValueError */
function inputNumber(vm: NativeContext, prompt: string, parse: (text: string) => Value | undefined): Value | undefined {
  return vm.callThen(inputLine, [prompt], {
    done: (text) => (text === null ? null : parse(text as string)),
  });
}

// prettier-ignore
export const output = functions([
  ['puts', '*values: Any', 'Nil', 'Prints each value on its own line; without values an empty line.', (vm: NativeContext, values: Value[]) => puts(vm, values)],
  ['print', '*values: Any, sep: String = "", end: String = ""', 'Nil', 'Prints values without ending the line, with `sep` between them and `end` after the last.', (vm: NativeContext, values: Value[], separator: string, end: string) => print(vm, values, separator, end)],
  ['warn', '*values: Any', 'Nil', 'Prints each value on its own line of standard error.', warn],
  ['p', '*values: Any', 'Any', 'Prints each value with its type, strings quoted, and returns its arguments.', inspected],
  ['pp', '*values: Any', 'Any', 'Prints nested data indented by two blanks for each level and returns its arguments.', pretty],
  ['input', 'prompt: String = ""', 'String?', 'Prints the prompt and waits for a line of standard input; nil at its end. ValueError for a line that is not UTF-8; the next call reads the line after it.', input],
  ['input_int', 'prompt: String = ""', 'Integer?', 'Like `input`, for an Integer; ValueError for other texts.', (vm: NativeContext, prompt: string) => inputNumber(vm, prompt, (text) => strictInteger(vm, text))],
  ['input_float', 'prompt: String = ""', 'Float?', 'Like `input`, for a Float; ValueError for other texts.', (vm: NativeContext, prompt: string) => inputNumber(vm, prompt, strictFloat)],
]);

const OUTPUT = new HandleType('Output');
const INPUT = new HandleType('Input');

/** Standard output or standard error, as a value. */
export class OutputHandle extends Handle {
  readonly type = OUTPUT;

  constructor(readonly name: Output) {
    super();
  }

  override describe(): string {
    return `<${this.name}>`;
  }
}

/** Standard input, as a value. */
export class InputHandle extends Handle {
  readonly type = INPUT;

  override describe(): string {
    return '<stdin>';
  }
}

// prettier-ignore
export const outputMethods = methodsOf('Output', [
  ['puts', '*values: Any', 'Nil', 'Prints each value on its own line; without values an empty line.', (vm: NativeContext, out: OutputHandle, values: Value[]) => puts(vm, values, out.name)],
  ['print write', '*values: Any', 'Nil', 'Prints values without ending the line.', (vm: NativeContext, out: OutputHandle, values: Value[]) => print(vm, values, '', '', out.name)],
]);
for (const method of outputMethods) OUTPUT.methods.set(method.name, method);

// prettier-ignore
export const inputMethods = methodsOf('Input', [
  ['read_line', '', 'String?', 'Waits for a line, without its end; nil at the end of the input.', (vm: NativeContext) => input(vm, '')],
  ['each_line', '', 'Vector', 'Without a block: all lines, without their ends.', allLines],
]);
for (const method of inputMethods) INPUT.methods.set(method.name, method);

/** A vector of the next line of standard input; nil at its end. */
export function nextLine(vm: NativeContext): Value | undefined {
  const source = STDIN.of(vm);
  return source === null ? null : linesOf(source).next(vm, true);
}

function allLines(vm: NativeContext): Value | undefined {
  const source = STDIN.of(vm);
  return source === null ? [] : linesOf(source).all(vm);
}

/** Values that programs know by name: standard input, output and error. */
export const STREAMS: Readonly<Record<string, Value>> = {
  stdin: new InputHandle(),
  stdout: new OutputHandle('stdout'),
  stderr: new OutputHandle('stderr'),
};
