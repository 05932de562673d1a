import { native } from '../../../vm/calls/native.js';

/** Lets the running thread, and those that it starts, run for another request, as the web library does. */
export const serves = native('serves', 'request: Any', 'Nil', '', (vm, request) => {
  vm.scheduler.current!.context = request as object;
  return null;
});
