import { afterwards } from '../../../vm/calls/native.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import { finish, type Steps } from '../../../vm/values/steps.js';
import { EnumType, RecordType } from '../../../vm/values/structured.js';
import { kindName } from '../../../vm/values/types.js';
import { isLarge } from '../../../vm/values/weight.js';
import type { Value } from '../../../vm/values/value.js';
import { completed } from './complete.js';
import { type Path, type Problem, Reader, UNFIT } from './reader.js';
import { quickly } from './quick.js';
import { CONVERTERS } from './convert.js';
import { describe, type FieldType } from './types.js';
import { quote } from '../../../vm/values/text/text.js';

/** The path of a value in messages: `lines[1].text`, `limits["a"]`. */
function pathText(path: Path | null): string {
  const parts: string[] = [];
  for (let at = path; at !== null; at = at.parent) {
    const { step } = at;
    if ('field' in step) parts.push(at.parent === null ? step.field : `.${step.field}`);
    else if ('index' in step) parts.push(`[${step.index}]`);
    else parts.push(`[${typeof step.key === 'string' ? JSON.stringify(step.key) : kindName(step.key)}]`);
  }
  return parts.reverse().join('');
}

/** Members of an enum, and characters of a text, that a message shows. */
const MAX_SHOWN = 20;
const MAX_TEXT = 40;

function wanted(type: FieldType): string {
  if (type?.length !== 1 || !(type[0].type instanceof EnumType) || type[0].type.variants.size > 0)
    return describe(type);
  const { name, members } = type[0].type;
  return `${name} (${members.slice(0, MAX_SHOWN).join(', ')}${members.length > MAX_SHOWN ? ', …' : ''})`;
}

/** The type of a value, or a text itself where some texts fit. */
function shownValue(type: FieldType, value: Value): string {
  const isMeant = (type ?? []).some(
    (one) =>
      one.type instanceof EnumType ||
      (typeof one.type === 'string' && one.type !== 'Float' && CONVERTERS.has(one.type)),
  );
  return typeof value === 'string' && isMeant ? quote(value.slice(0, MAX_TEXT)) : kindName(value);
}

function problemText(path: Path | null, problem: Problem): string {
  const name = pathText(path);
  switch (problem.kind) {
    case 'missing':
      return `field '${name}' is missing`;
    case 'unknown':
      return `there is no field '${name}'`;
    case 'deep':
      return `'${name.slice(0, 40)}…' is nested too deeply`;
    case 'limit':
      return `field '${name}' ${problem.text}`;
    default:
      return `field '${name}' must be ${wanted(problem.type)}, got ${shownValue(problem.type, problem.value)}`;
  }
}

/** A record made of a hash, as of JSON. @throws ValueError that names the field that does not fit */
export function fromJson(vm: NativeContext, type: Value, data: Hash, strict: boolean): Value | undefined {
  if (!(type instanceof RecordType))
    return fail(Errors.AttributeError, `only records have the method 'from_json', got ${kindName(type)}`);
  const large = isLarge(data);
  const quick = large || strict ? UNFIT : quickly(type)(data, 0);
  if (quick !== UNFIT) return quick;
  const report = (path: Path | null, problem: Problem): never =>
    fail(Errors.ValueError, `${type.name}.from_json(): ${problemText(path, problem)}`);
  const reader = new Reader({ report, strict, texts: null });
  // `report` throws, so the value is read.
  const steps = reader.record(type, data, null, 0) as Steps;
  const finished = (record: Value): Value | undefined => completed(vm, reader.incomplete, () => record);
  if (!large) return finished(finish(steps));
  return afterwards(vm, () => vm.inPieces('from_json', steps), finished);
}
