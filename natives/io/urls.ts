/** Encoding of texts and hashes for URLs. */
import { Errors, fail } from '../../vm/values/error.js';
import type { Hash } from '../../vm/values/hash.js';
import { finish, STEP } from '../../vm/values/steps.js';
import { textSteps } from '../../vm/values/textsteps.js';
import type { Value } from '../../vm/values/value.js';
import { isLarge } from '../../vm/values/weight.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Row } from '../core/declare.js';
import { checkText } from '../core/limits.js';
import { made, madeInSteps } from '../core/strings/stepwise.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { decodePercent } from '../http/percent.js';

function encodeUrl(text: string): string {
  // encodeURIComponent keeps these characters, which RFC 3986 reserves.
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The pairs of a hash as a query. A vector makes a pair for each of its elements. */
function* querySteps(hash: Hash): Generator<void, string, void> {
  let out = '';
  for (const [key, value] of hash.entries()) {
    const name = yield* encodedSteps(key);
    for (const item of Array.isArray(value) ? value.slice() : [value]) {
      const pair = `${out === '' ? '' : '&'}${name}=${yield* encodedSteps(item)}`;
      checkText(out.length + pair.length);
      out += pair;
      yield;
    }
  }
  return out;
}

function* encodedSteps(value: Value): Generator<void, string, void> {
  return yield* madeInSteps(yield* textSteps(value, false), encodeUrl);
}

function urlEncoded(vm: NativeContext, value: string | Hash): Value | undefined {
  if (typeof value === 'string') return made(vm, 'url_encode', value, encodeUrl);
  return isLarge(value) || value.size > STEP ? vm.inPieces('url_encode', querySteps(value)) : finish(querySteps(value));
}

/** Positions where a text may be split: no escape is cut, and no character made of several escapes. */
const WHOLE = /(?<!%)(?<!%[0-9A-Fa-f])(?:%(?![89abAB])|[^%\udc00-\udfff])/g;

function decodeUrl(text: string): string {
  const bad = /%(?![0-9A-Fa-f]{2})/.exec(text);
  if (bad !== null)
    fail(
      Errors.ValueError,
      `url_decode(): ${JSON.stringify(text.slice(bad.index, bad.index + 3))} is not a percent escape`,
    );
  return decodePercent(text.replaceAll('+', ' ')) ?? notUtf8(text);
}

function notUtf8(text: string): never {
  const bad = text.match(/(?:%[0-9A-Fa-f]{2})+/g)?.find((escapes) => decodePercent(escapes) === null) ?? '';
  return fail(Errors.ValueError, `url_decode(): the bytes of ${JSON.stringify(bad.slice(0, 24))} are not UTF-8`);
}

// prettier-ignore
export const urlRows: readonly Row[] = [
  ['url_encode', 'value: String|Hash', 'String', 'The text encoded for use in a part of a URL, such as a query value; or the pairs of a hash as a query, `a=1&b=2`, with a pair for each element of a vector.', urlEncoded],
  ['url_decode', 'text: String', 'String', 'Decodes a text of url_encode; `+` also decodes to a blank. ValueError for an invalid escape, and for bytes that are not UTF-8.', (vm: NativeContext, text: string) => made(vm, 'url_decode', text, decodeUrl, WHOLE)],
];
