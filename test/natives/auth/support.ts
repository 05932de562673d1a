import { createVm } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { Request, type RequestParts } from '../../../natives/web/request/request.js';
import { Response } from '../../../natives/web/response/response.js';
import { native } from '../../../vm/calls/native.js';
import type { Outcome } from '../../../vm/fibers/fiber.js';
import { Signal, SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Handle } from '../../../vm/values/handle.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';

let warnings = '';

const host = nodeHost({ stdout: () => {}, stderr: (text) => (warnings += text) });
/** Milliseconds by which the host's clock is ahead. */
let ahead = 0;

const vm = createVm({ ...host, now: () => host.now() + ahead }, { process: { args: [], env: {} } });

/** Advances the clock of the host, which is not that of the time of day. */
export function pass(ms: number): void {
  ahead += ms;
}

/** Text written to stderr since the last call. */
export function takeWarnings(): string {
  const text = warnings;
  warnings = '';
  return text;
}

/** A request with header fields (name, value, …) in Latin-1, as node decodes them. */
export function requestWith(...rawHeaders: string[]): Request {
  return new Request({
    method: 'GET',
    path: '/',
    query: '',
    rawHeaders,
    body: Buffer.alloc(0),
  } as unknown as RequestParts);
}

/** A request with a method, header fields and a form as body. */
export function sent(method: string, headers: string[], form = ''): Request {
  return new Request({
    method,
    path: '/',
    query: '',
    rawHeaders: headers,
    body: Buffer.from(form),
    upload: null,
    maxPairs: 100,
  } as unknown as RequestParts);
}

/** A new session that holds these values. */
export function sessionWith(values: Record<string, Value> = {}): Handle & { data: Hash } {
  const session = call('session', requestWith()) as unknown as Handle & { data: Hash };
  for (const [key, value] of Object.entries(values)) session.data.set(key, value);
  return session;
}

/** A request with an Authorization header in UTF-8. */
export function authorized(value: string): Request {
  return requestWith('Authorization', Buffer.from(value).toString('latin1'));
}

/** Calls a function of svcauth. Returns an error as `Type: message`, and a halt as the text of its response. */
export function call(name: string, ...args: Value[]): Value {
  try {
    return vm.invokeNative(vm.globals.get(name) as NativeFunction, args, null) as Value;
  } catch (error) {
    if (error instanceof SvcError || error instanceof Signal) return thrownText(error);
    throw error;
  }
}

/** Calls a function that waits, in its own thread. */
export function callWaiting(name: string, ...args: Value[]): Promise<Value> {
  return started(name, ...args).result;
}

/** Starts a call of a function that waits; `cancel` ends its thread. */
export function started(name: string, ...args: Value[]): { result: Promise<Value>; cancel: () => void } {
  let end = (_value: Value): void => {};
  const result = new Promise<Value>((resolve) => (end = resolve));
  const caller = native(name, '', 'Any', '', () => vm.invokeNative(vm.globals.get(name) as NativeFunction, args, null));
  const fiber = vm.spawnNative(name, caller, (outcome) => end(outcome.ok ? outcome.value : thrownText(outcome.error)));
  return { result, cancel: () => vm.scheduler.cancel(fiber) };
}

function thrownText(error: (Outcome & { ok: false })['error']): string {
  if (error instanceof SvcError) return `${error.value.type.name}: ${error.value.message}`;
  return error.payload instanceof Response ? haltText(error.payload) : error.kind;
}

function haltText({ status, body, contentType, fields }: Response): string {
  return `halt ${status} ${body} (${contentType}) ${fields.join(': ')}`;
}
