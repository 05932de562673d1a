import { methods } from '../../../vm/calls/native.js';
import { Signal } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Hash } from '../../../vm/values/hash.js';
import { nest, NestingProblem } from '../request/nested.js';
import { REQUEST, type Request } from '../request/request.js';
import { refusalTo } from '../response/refusals.js';
import { FORM_TYPE } from '../../http/mediatype.js';

/** The fields by the structure of their names. Ends the request with 400 if they contradict one another. */
function nested(request: Request, what: string, pairs: readonly [string, string][]): Hash {
  try {
    return nest(pairs);
  } catch (error) {
    if (!(error instanceof NestingProblem)) throw error;
    throw new Signal('halt', refusalTo(request, 400, `Bad Request: ${what}: ${error.message}`));
  }
}

function valuesOf(pairs: readonly [string, string][], key: string): string[] {
  return pairs.filter(([name]) => name === key).map(([, value]) => value);
}

const OVERRIDES = new Set(['PUT', 'PATCH', 'DELETE']);

/** The method that the field `_method` of a POST form asks for; null if there is none. */
export function overriddenMethod(request: Request): string | null {
  const { method, upload } = request.parts;
  if (method !== 'POST' || (upload === null && request.contentType !== FORM_TYPE)) return null;
  const given = request.form.get('_method');
  const asked = typeof given === 'string' ? given.toUpperCase() : '';
  return OVERRIDES.has(asked) ? asked : null;
}

/** Methods of SvcRequest for repeated and structured fields. */
// prettier-ignore
export const formNatives: NativeFunction[] = methods('SvcRequest', [
  ['query_all', 'key: String', 'Vector', 'All values of a repeated query parameter.', (_vm, req: Request, key: string) => valuesOf(req.queryPairs(), key)],
  ['form_all', 'key: String', 'Vector', 'All values of a repeated form field.', (_vm, req: Request, key: string) => valuesOf(req.formPairs(), key)],
  ['query_nested', '', 'Hash', 'The query by the structure of its names: `a[]=1` is a vector, `b[c]=2` a hash. Halts with 400 if names contradict one another.', (_vm, req: Request) => (req.nestedQuery ??= nested(req, 'query', req.queryPairs()))],
  ['form_nested', '', 'Hash', 'The form by the structure of its names: `a[]=1` is a vector, `b[c]=2` a hash. Halts with 400 if names contradict one another.', (_vm, req: Request) => (req.nestedForm ??= nested(req, 'form', req.formPairs()))],
]);
for (const fn of formNatives) REQUEST.methods.set(fn.name, fn);
