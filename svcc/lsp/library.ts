import { Library, type LibraryNative } from '../../compiler/analysis/library.js';
import { NativeFunction } from '../../vm/values/function.js';
import { HandleType } from '../../vm/values/handle.js';
import { BUILTIN_TYPES } from '../../vm/values/types.js';
import type { VM } from '../../vm/vm.js';

/** The documentation of the library, from the declarations of its functions and methods. */
export function documentedLibrary(vm: VM): Library {
  const functions: LibraryNative[] = [];
  const statics: LibraryNative[] = [];
  const ofType = (owner: string, natives: Iterable<NativeFunction>): void => {
    for (const { name, signature, result, doc } of natives) statics.push({ owner, name, signature, result, doc });
  };
  for (const [name, value] of vm.globals) {
    if (value instanceof NativeFunction) {
      functions.push({ owner: '', name, signature: value.signature, result: value.result, doc: value.doc });
      if (value.members !== null) ofType(name, value.members.methods.values());
    } else if (value instanceof HandleType) {
      if (value.make !== null)
        functions.push({ owner: '', name, signature: value.make.signature, result: name, doc: value.make.doc });
      ofType(value.name, value.statics.values());
    }
  }
  for (const [name, type] of BUILTIN_TYPES) ofType(name, type.statics.values());
  const methods = [...vm.methods.byKind].flatMap(([owner, natives]) =>
    [...natives].map(([name, { signature, result, doc }]): LibraryNative => ({ owner, name, signature, result, doc })),
  );
  return new Library(functions, methods, statics);
}
