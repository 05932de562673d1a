import { createVm } from '../../../svcc/execute.js';
import { nodeHost } from '../../../svcc/host.js';
import { Request, type RequestParts } from '../../../natives/web/request.js';
import { Response } from '../../../natives/web/response.js';
import { Signal, SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Value } from '../../../vm/values/value.js';

let warnings = '';

const vm = createVm(nodeHost({ stdout: () => {}, stderr: (text) => (warnings += text) }), { process: { args: [], env: {} } });

/** What was written to stderr since the last call. */
export function takeWarnings(): string {
  const text = warnings;
  warnings = '';
  return text;
}

/** A request with these header fields (name, value, …), one character a byte as node gives them. */
export function requestWith(...rawHeaders: string[]): Request {
  return new Request({ method: 'GET', path: '/', query: '', rawHeaders, body: Buffer.alloc(0) } as unknown as RequestParts);
}

/** A request with an Authorization header, in the bytes of UTF-8. */
export function authorized(value: string): Request {
  return requestWith('Authorization', Buffer.from(value).toString('latin1'));
}

/** Calls a function of svcauth; an error becomes the text `Type: message`, a halt its response's text. */
export function call(name: string, ...args: Value[]): Value {
  try {
    return vm.invokeNative(vm.globals.get(name) as NativeFunction, args, null) as Value;
  } catch (error) {
    if (error instanceof SvcError) return `${error.value.type.name}: ${error.value.message}`;
    if (error instanceof Signal && error.payload instanceof Response) return haltText(error.payload);
    throw error;
  }
}

function haltText({ status, body, contentType, fields }: Response): string {
  return `halt ${status} ${body} (${contentType}) ${fields.join(': ')}`;
}
