import type { Caller } from '../../vm/calls/caller.js';
import { NativeFunction } from '../../vm/values/function.js';
import * as arithmetic from '../../vm/values/numbers/arithmetic.js';
import type { Value } from '../../vm/values/value.js';

/** The block of `select.with_index(from) { |x, i| … }` as a function of an element: it counts its calls. */
export class NumberedFunction extends NativeFunction {
  constructor(
    private readonly block: Value,
    private readonly from: Value,
  ) {
    let number = from;
    super('block', '*values: Any', 'Any', '', (vm: Caller, values: Value[]) => {
      const current = number;
      number = arithmetic.add(number, 1);
      return vm.invoke(block, [values.length === 1 ? values[0] : values, current], null);
    });
  }

  /** One that begins to count anew. */
  again(): NumberedFunction {
    return new NumberedFunction(this.block, this.from);
  }
}
