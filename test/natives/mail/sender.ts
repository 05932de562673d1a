import { createVm } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { native } from '../../../vm/calls/native.js';
import { SvcError } from '../../../vm/values/error.js';
import { NameList, type NativeFunction } from '../../../vm/values/function.js';
import type { Value } from '../../../vm/values/value.js';

/** A VM that sends mails, and calls of its functions with named arguments. */
export class Sender {
  readonly vm;

  constructor(env: Record<string, string> = {}) {
    this.vm = createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), { process: { args: [], env } });
  }

  /** Starts a call; `cancel` ends its thread. */
  start(name: string, args: Record<string, Value>): { result: Promise<Value>; cancel: () => void } {
    const { vm } = this;
    const names = new NameList(Object.keys(args), null);
    let end = (_value: Value): void => {};
    const result = new Promise<Value>((resolve) => (end = resolve));
    const call = native(name, '', 'Any', '', () =>
      vm.invokeNative(vm.globals.get(name) as NativeFunction, Object.values(args), names),
    );
    const fiber = vm.spawnNative(name, call, (outcome) => {
      if (outcome.ok) end(outcome.value);
      else if (outcome.error instanceof SvcError) {
        const { type, message, details } = outcome.error.value;
        end(`${type.name}${details === null ? '' : ` ${String(details.code)}`}: ${message}`);
      } else end(outcome.error.kind);
    });
    return { result, cancel: () => vm.scheduler.cancel(fiber) };
  }

  call(name: string, args: Record<string, Value> = {}): Promise<Value> {
    return this.start(name, args).result;
  }

  send(args: Record<string, Value> = {}): Promise<Value> {
    return this.call('mail_send', {
      to: 'ann@example.org',
      subject: 'Hello',
      text: 'Good day',
      from: 'me@example.org',
      ...args,
    });
  }
}
