import { PRELUDE } from '../../compiler/generated/prelude.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { Closure, NativeFunction } from '../../vm/values/function.js';
import { HandleType } from '../../vm/values/handle.js';
import { RecordType } from '../../vm/values/structured.js';
import { TypeValue } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { createVm } from '../fullvm.js';
import { nodeHost } from '../host.js';
import type { Evaluator } from './evaluator.js';

/** What is known of a name, or why nothing is. */
export interface Documentation {
  text: string;
  problem: boolean;
}

/** A declaration of the library; `owner` is a type, or empty for functions. */
interface Entry {
  owner: string;
  name: string;
  head: string;
  doc: string;
}

/** Doc comment and head of a function of the prelude: `## |x| -> Vector: What …`, `def map__0(xs, f)`. */
const ITERATOR = /^## (?:(\|[^|]*\|) )?-> ([^:]+): (.*)\n(?:##.*\n)*def (\w+?)__\d(?:_2)?\(([^)]*)\)$/gm;

let entries: Entry[] | null = null;

/** All declarations of the library. Loads the whole library on first use, into a VM of its own. */
function library(): Entry[] {
  if (entries !== null) return entries;
  const silent = nodeHost({ stdout: () => {}, stderr: () => {} });
  const vm = createVm(silent, { process: { args: [], env: {} } });
  entries = [...functionsOf(vm), ...methodsOf(vm), ...iterators()];
  return entries;
}

function entryOf(native: NativeFunction, owner: string, name: string): Entry {
  const { signature, result, doc } = native;
  return { owner, name, head: `${owner === '' ? '' : `${owner}.`}${name}(${signature}) -> ${result}`, doc };
}

function* functionsOf(vm: VM): Iterable<Entry> {
  for (const [name, value] of vm.globals) {
    if (name.startsWith('%')) continue;
    if (value instanceof NativeFunction) yield entryOf(value, '', name);
    if (value instanceof HandleType || value instanceof TypeValue) {
      for (const [method, native] of value.statics) yield entryOf(native, name, method);
      if (value instanceof HandleType && value.make !== null) yield entryOf(value.make, '', name);
    }
  }
}

function* methodsOf(vm: VM): Iterable<Entry> {
  for (const [owner, table] of vm.methods.byKind)
    for (const [name, native] of table) if (!name.startsWith('%')) yield entryOf(native, owner, name);
}

/** Iterators, which are written in Svc. */
function* iterators(): Iterable<Entry> {
  for (const [, block = '', result, doc, name, parameters] of PRELUDE.matchAll(ITERATOR)) {
    const shown = name.replace(/_q$/, '?').replace(/_b$/, '!');
    const given = parameters.split(', ').slice(1, -1).join(', ');
    const head = `${shown}${given === '' ? '' : `(${given})`} { ${block === '' ? '' : `${block} `}… } -> ${result}`;
    yield { owner: 'Vector', name: shown, head: `Vector.${head}`, doc };
  }
}

/** Documentation of `upcase`, `String.upcase`, or a function or record of the session. */
export function documentation(query: string, evaluator: Evaluator): Documentation {
  const own = ownDocumentation(evaluator.valueOf(query));
  if (own !== null) return { text: own, problem: false };
  const [name, owner] = query.split('.').reverse();
  const all = library();
  const found = all.filter((entry) => entry.name === name && (owner === undefined || isOf(entry, owner)));
  if (found.length > 0) return { text: joined(found), problem: false };
  const same = all.find((entry) => entry.name === name && entry.owner !== '');
  const near =
    same === undefined
      ? nearest(
          name,
          all.map((entry) => entry.name),
        )
      : `${same.owner}.${name}`;
  const hint = near === null ? '' : `, did you mean '${near}'?`;
  return { text: `nothing is documented as '${query}'${hint}`, problem: true };
}

/** Types whose values have elements, for iterators. */
const ITERABLE = new Set(['Vector', 'Hash', 'Set', 'Range', 'Sequence', 'Lazy', 'Integer', 'String', 'Enum', 'Any']);

/** Whether `owner` has the method of an entry. Iterators are methods of all that has elements. */
function isOf(entry: Entry, owner: string): boolean {
  if (entry.owner === owner || entry.owner === 'Any') return true;
  return entry.owner === 'Vector' && entry.head.includes('{') && ITERABLE.has(owner);
}

/** Heads with their descriptions; equal descriptions once. */
function joined(found: readonly Entry[]): string {
  const byDoc = new Map<string, string[]>();
  for (const { head, doc } of found) {
    const heads = byDoc.get(doc);
    if (heads === undefined) byDoc.set(doc, [head]);
    else if (!heads.includes(head)) heads.push(head);
  }
  return [...byDoc].map(([doc, heads]) => `${heads.join('\n')}\n  ${doc}`).join('\n\n');
}

function ownDocumentation(value: Value | undefined): string | null {
  if (value instanceof RecordType) {
    const head = `record ${value.make?.fn.signature() ?? value.name}`;
    const methods = [...(value.methods?.values() ?? [])].map(({ fn }) => `  ${fn.signature()}`);
    return [head, ...described(value.make), ...methods].join('\n');
  }
  return value instanceof Closure ? [value.fn.signature(), ...described(value)].join('\n') : null;
}

function described(value: Closure | null): string[] {
  const doc = value?.fn.doc ?? '';
  return doc === '' ? [] : doc.split('\n').map((line) => `  ${line}`);
}
