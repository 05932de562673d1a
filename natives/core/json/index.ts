import type { Value } from '../../../vm/values/value.js';
import { functions } from '../declare.js';
import { encodeJson } from './encode.js';
import { parseJson } from './parse.js';

/** The JSON functions. */
export const json = functions([
  ['json_parse', 'text: String', 'Any', 'The value of a JSON text; ValueError with line and column when it is not valid.', (_: unknown, text: string) => parseJson(text)],
  ['json_encode json_dump', 'value: Any, pretty: Boolean = false', 'String', 'JSON text of a value, compact or indented by two blanks a level.', (_: unknown, value: Value, pretty: boolean) => encodeJson(value, pretty)],
]);

export { encodeJson, parseJson };
