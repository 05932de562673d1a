import { ModuleState } from '../../vm/calls/modulestate.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { isLarge } from '../../vm/values/weight.js';
import { finish } from '../../vm/values/steps.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions } from './declare.js';
import { joinTexts } from './limits.js';
import { prettySteps } from './pretty.js';
import { printed } from './printing.js';

/** Source of input lines, which the host may store in `vm.modules` as `stdin`. */
export interface LineSource {
  /** Returns the next line without its end, or null when there are no more. */
  readLine(): Promise<string | null>;
}

function line(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** A single write for all values, so that lines of several fibers do not mix. */
function puts(vm: NativeContext, values: Value[]): Value | undefined {
  return printed(vm, values, false, (texts) => (texts.length === 0 ? '\n' : joinTexts(texts.map(line), '')), null);
}

function print(vm: NativeContext, values: Value[], separator: string, end: string): Value | undefined {
  return printed(vm, values, false, (texts) => joinTexts([joinTexts(texts, separator), end], ''), null);
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
  return source === null ? null : vm.waitForPromise('input', source.readLine());
}

// prettier-ignore
export const output = functions([
  ['puts', '*values: Any', 'Nil', 'Prints each value on its own line; without values an empty line.', puts],
  ['print', '*values: Any, sep: String = "", end: String = ""', 'Nil', 'Prints values without ending the line, with `sep` between them and `end` after the last.', print],
  ['p', '*values: Any', 'Any', 'Prints each value with its type, strings quoted, and returns its arguments.', inspected],
  ['pp', '*values: Any', 'Any', 'Prints nested data indented by two blanks for each level and returns its arguments.', pretty],
  ['input', 'prompt: String = ""', 'String?', 'Prints the prompt and waits for a line of standard input; nil at its end.', input],
]);
