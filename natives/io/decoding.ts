import type { Bytes } from '../../vm/values/bytes.js';
import { finish } from '../../vm/values/steps.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** Bytes whose text is decoded at once. */
const DECODED_AT_ONCE = 1 << 18;

/**
 * The text of bytes that an asynchronous operation has read; for `subject` and `hint` see `Bytes.textSteps`. @throws
 * ValueError
 */
export async function decodeLater(
  vm: NativeContext,
  bytes: Bytes,
  signal: AbortSignal,
  subject: string,
  hint: string,
): Promise<string> {
  const steps = bytes.textSteps(subject, hint);
  return bytes.length <= DECODED_AT_ONCE ? finish(steps) : ((await vm.laterInPieces(steps, signal)) as string);
}
