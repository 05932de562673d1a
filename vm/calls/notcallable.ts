import { Errors, failForNil } from '../values/error.js';
import { HandleType } from '../values/handle.js';
import { EnumType } from '../values/structured.js';
import { BUILTIN_TYPES, kindName, TypeValue } from '../values/types.js';
import type { Value } from '../values/value.js';

/** What makes a value of a built-in type that cannot be called, by the name of the type. */
const INSTEAD: Readonly<Record<string, string>> = {
  Nil: 'write nil',
  Boolean: 'write `x ? true : false`',
  Integer: '`to_int(x)` converts',
  Float: '`to_float(x)` converts',
  Number: '`to_int(x)` and `to_float(x)` convert',
  String: '`x.to_s` converts',
  Vector: '`x.to_a` converts, `[…]` makes one',
  Hash: '`x.to_h` converts, `{…}` makes one',
  Range: 'write `a..b`',
  Regex: 'write `/…/` or `regex(text)`',
  Function: 'write `->(x) { … }`',
  Record: 'declare one: `record Name(field)`',
  Enum: 'declare one: `enum Name(member, …)`',
  Type: '`type(x)` returns the name of a type',
};

/** Fails because a value that is no function is called. @throws TypeError */
export function failToCall(callee: Value): never {
  return failForNil(Errors.TypeError, reason(callee), callee === null ? 'called' : null);
}

function reason(callee: Value): string {
  if (callee instanceof TypeValue) {
    if (BUILTIN_TYPES.get(callee.name) !== callee)
      return `${callee.name} is an interface, not a function: call a record that has it`;
    return `${callee.name} is a type, not a function: ${INSTEAD[callee.name]}`;
  }
  if (callee instanceof EnumType)
    return `${callee.name} is an enum, not a function: write ${callee.name}.${callee.members[0]}`;
  if (callee instanceof HandleType) return `${callee.name} is a type, not a function`;
  return `${kindName(callee)} is not a function`;
}
