import { afterwards } from '../../../vm/calls/native.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions } from '../declare.js';
import { encodeAtOnce, encodeJson } from './encode.js';
import { withForms } from './forms.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from './jsonparse.js';
import { encodeSteps } from './steps.js';

/** Parses a JSON text, in pieces if it is long. @throws ValueError with line and column */
function parse(vm: NativeContext, text: string): Value | undefined {
  return text.length > MAX_STEP_CHARACTERS ? vm.inPieces('JSON', parseSteps(text)) : parseJson(text);
}

/** Calls `then` with the JSON text of a value, which is written in pieces if it is large. */
export function withJson(
  vm: NativeContext,
  value: Value,
  pretty: boolean,
  then: (json: string) => Value | undefined,
): Value | undefined {
  return withForms(vm, value, (form) => {
    const json = encodeAtOnce(form, pretty);
    return json !== null
      ? then(json)
      : afterwards(
          vm,
          () => vm.inPieces('JSON', encodeSteps(form, pretty)),
          (text) => then(text as string),
        );
  });
}

/** JSON text of a value, in pieces if it is large. */
export function toJson(vm: NativeContext, value: Value, pretty: boolean): Value | undefined {
  return withForms(vm, value, (form) => encodeAtOnce(form, pretty) ?? vm.inPieces('JSON', encodeSteps(form, pretty)));
}

/** The JSON functions. */
export const json = functions([
  [
    'json_parse',
    'text: String',
    'Any',
    'The value of a JSON text; ValueError with line and column when it is not valid.',
    parse,
  ],
  [
    'json_encode json_dump',
    'value: Any, pretty: Boolean = false',
    'String',
    'JSON text of a value, compact or indented by two blanks for each level.',
    toJson,
  ],
]);

export { encodeJson, parseJson };
