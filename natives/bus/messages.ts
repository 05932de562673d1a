import { afterwards } from '../../vm/calls/native.js';
import { Bytes } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { bufferOf } from '../core/bytes/texts.js';
import { withJson } from '../core/json/index.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../core/json/jsonparse.js';

/** Maximum characters of a message. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** First character of a payload that is Bytes in base64. No JSON text begins with it. */
const BYTES = 'b';

/** Checks the length of a payload. @param what names the function in the error @throws ValueError */
export function checkLength(what: string, characters: number): void {
  if (characters > MAX_CHARACTERS)
    fail(
      Errors.ValueError,
      `${what}: a message may have 8 MiB (${MAX_CHARACTERS} characters), got ${characters}; store it and send where it is`,
    );
}

/**
 * For natives: calls `then` with the payload of a value: Bytes, or what JSON can carry. Return the result of this call.
 * @throws ValueError
 */
export function withPayload(
  vm: NativeContext,
  what: string,
  value: Value,
  then: (payload: string) => Value | undefined,
): Value | undefined {
  const checked = (payload: string): Value | undefined => {
    checkLength(what, payload.length);
    return then(payload);
  };
  if (!(value instanceof Bytes)) return withJson(vm, value, false, checked);
  checkLength(what, value.length);
  return checked(bytesPayload(value));
}

/** Makes a payload of Bytes. */
export function bytesPayload(bytes: Bytes): string {
  return BYTES + bufferOf(bytes).toString('base64');
}

/** For natives: calls `then` with the value of a payload. Return the result of this call. */
export function withValue(
  vm: NativeContext,
  payload: string,
  then: (value: Value) => Value | undefined,
): Value | undefined {
  if (payload.startsWith(BYTES)) return then(new Bytes(new Uint8Array(Buffer.from(payload.slice(1), 'base64'))));
  if (payload.length <= MAX_STEP_CHARACTERS) return then(parseJson(payload));
  return afterwards(vm, () => vm.inPieces('JSON', parseSteps(payload)), then);
}

/** Makes the topic of an engine: engines carry neither NUL nor lone surrogates. @param kind prefix of the topic */
export function wireTopic(kind: string, topic: string): string {
  return /["\\\x00-\x1f\ud800-\udfff]/.test(topic) ? kind + JSON.stringify(topic).slice(1, -1) : kind + topic;
}
