/** Conversion of values to text, for natives. */
import { hasOwnText, ownTexts } from '../../vm/interpreter/ownoperators.js';
import type { Steps } from '../../vm/values/steps.js';
import { attempt } from '../../vm/values/cost.js';
import { inspect, toText } from '../../vm/values/text/text.js';
import { textSteps } from '../../vm/values/textsteps.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** The text of a value, in pieces if it may take long. */
export function textOf(vm: NativeContext, value: Value, quoted: boolean): Value | undefined {
  return attempt(quoted ? inspect : toText, value, null) ?? vm.inPieces('text', textSteps(value, quoted));
}

/**
 * Prints the result of `make` for the texts of values, and returns `result`; in pieces if a value is large. `write` is
 * standard output if it is not given.
 */
export function printed(
  vm: NativeContext,
  values: readonly Value[],
  quoted: boolean,
  make: (texts: string[]) => string,
  result: Value,
  write: (text: string) => void = (text) => vm.host.stdout(text),
): Value | undefined {
  if (!quoted && values.some(hasOwnText))
    return ownTexts(vm, values.slice(), (parts) => printed(vm, parts, quoted, make, result, write));
  const show = (texts: string[]): Value => {
    write(make(texts));
    return result;
  };
  const texts = attempt((all) => all.map(quoted ? inspect : toText), values, null);
  if (texts !== undefined) return show(texts);
  return vm.inPieces(
    'text',
    (function* (): Steps {
      const texts: string[] = [];
      for (const value of values) texts.push(yield* textSteps(value, quoted));
      return show(texts);
    })(),
  );
}
