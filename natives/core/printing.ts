/** Conversion of values to text, for natives. */
import { hasOwnText, ownTexts } from '../../vm/interpreter/ownoperators.js';
import type { Requests } from '../../vm/calls/caller.js';
import { native } from '../../vm/calls/native.js';
import { Errors, fail } from '../../vm/values/error.js';
import { STEP, type Steps } from '../../vm/values/steps.js';
import { ownMethod } from '../../vm/values/structured.js';
import { typeName } from '../../vm/values/types.js';
import { attempt } from '../../vm/values/cost.js';
import { inspect, toText } from '../../vm/values/text/text.js';
import { textSteps } from '../../vm/values/textsteps.js';
import type { Value } from '../../vm/values/value.js';
import type { Output } from '../../vm/host.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { isFull, whenRoom } from './backlog.js';

/** The text of a value, in pieces if it may take long. */
export function textOf(vm: NativeContext, value: Value, quoted: boolean): Value | undefined {
  return attempt(quoted ? inspect : toText, value, null) ?? vm.inPieces('text', textSteps(value, quoted));
}

const PAUSE = native('pause', '', 'Nil', 'Lets other threads run.', () => null);

/** A copy of a vector with records replaced by the texts of their own `to_s`. @throws TypeError */
export function* ownTextRequests(list: readonly Value[]): Requests {
  const out = list.slice();
  for (let i = 0; i < out.length; i++) {
    if (i % STEP === STEP - 1) yield { fn: PAUSE, args: [] };
    const fn = ownMethod(out[i], 'to_s');
    if (fn === undefined) continue;
    const text = yield { fn, args: [out[i]] };
    if (typeof text !== 'string') fail(Errors.TypeError, `to_s must return a String, got ${typeName(text)}`);
    out[i] = text;
  }
  return out;
}

/**
 * Prints the result of `make` for the texts of values, and returns `result`; in pieces if a value is large. Waits first
 * if the reader of `output` is slow.
 */
export function printed(
  vm: NativeContext,
  values: readonly Value[],
  quoted: boolean,
  make: (texts: string[]) => string,
  result: Value,
  output: Output = 'stdout',
): Value | undefined {
  if (isFull(vm, output)) return whenRoom(vm, output, () => printed(vm, values, quoted, make, result, output));
  const method = quoted ? 'inspect' : 'to_s';
  const own = values.map((value) => hasOwnText(value, method));
  if (own.includes(true))
    return ownTexts(vm, values.slice(), method, (parts) => shown(vm, parts, own, quoted, make, result, output));
  return shown(vm, values, own, quoted, make, result, output);
}

/** As `printed`; the values for which `isText` is true are texts already. */
function shown(
  vm: NativeContext,
  values: readonly Value[],
  isText: readonly boolean[],
  quoted: boolean,
  make: (texts: string[]) => string,
  result: Value,
  output: Output,
): Value | undefined {
  const show = (texts: string[]): Value => {
    vm.host[output](make(texts));
    return result;
  };
  const text = quoted ? inspect : toText;
  const texts = attempt((all) => all.map((value, i) => (isText[i] ? (value as string) : text(value))), values, null);
  if (texts !== undefined) return show(texts);
  return vm.inPieces(
    'text',
    (function* (): Steps {
      const texts: string[] = [];
      for (const [i, value] of values.entries())
        texts.push(isText[i] ? (value as string) : yield* textSteps(value, quoted));
      return show(texts);
    })(),
  );
}
