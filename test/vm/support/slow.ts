import { methods, native } from '../../../vm/calls/native.js';
import { Errors, ErrorValue, SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import type { FakeHost } from './host.js';

const SLOW = new HandleType('Slow');

class Slow extends Handle {
  get type(): HandleType {
    return SLOW;
  }
}

/** Returns the value after a turn of the event loop; raises an error for the text `fail`. */
function later(vm: VM, value: Value): undefined {
  return vm.wait('test', (resume, failed) => {
    vm.host.defer(() => {
      if (value === 'fail') failed(new SvcError(new ErrorValue(Errors.ValueError, 'failed later')));
      else resume(value);
    });
  });
}

// prettier-ignore
const onHandle = methods('Slow', [
  ['answer', 'value: Any', 'Any', '', (vm: VM, _self, value) => later(vm, value)],
  ['[]', 'value: Any', 'Any', '', (vm: VM, _self, value) => later(vm, value)],
  ['good', '', 'Any', '', (vm: VM) => later(vm, 'good')],
  ['bad', '', 'Any', '', (vm: VM) => later(vm, 'fail')],
]);
for (const method of onHandle) SLOW.methods.set(method.name, method);

/** Natives that wait, for every call instruction. */
export const slowNatives: readonly NativeFunction[] = [
  native('later', 'value: Any', 'Any', '', later),
  native('slow', '', 'Slow', '', () => new Slow()),
  // Advances the host's clock.
  native('burn', 'ms: Integer', 'Nil', '', (vm: VM, ms: number) => void ((vm.host as FakeHost).time += ms)),
  native('crash', '', 'Any', '', () => (null as unknown as string[]).length),
  native('overflow', '', 'Any', '', function again(): number {
    return again() + 1;
  }),
];
