import { afterwards } from '../../../vm/calls/native.js';
import { hasOwnText, ownTexts } from '../../../vm/interpreter/ownoperators.js';
import { toText } from '../../../vm/values/text/text.js';
import { textSteps } from '../../../vm/values/textsteps.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';

/** Calls `then` with the text of a value: by the record's own `to_s`, and in pieces if it is large. */
export function withText(
  vm: NativeContext,
  value: Value,
  then: (text: string) => Value | undefined,
): Value | undefined {
  if (typeof value === 'string') return then(value);
  if (hasOwnText(value)) return ownTexts(vm, [value], 'to_s', ([text]) => then(text as string));
  if (!isLarge(value)) return then(toText(value));
  const text = (): Value | undefined => vm.inPieces('text', textSteps(value, false));
  return afterwards(vm, text, (whole) => then(whole as string));
}
