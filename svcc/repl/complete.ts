import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PRELUDE } from '../../compiler/generated/prelude.js';
import { keywords } from '../../compiler/layout/words.js';
import { fieldsOf } from '../../vm/calls/members.js';
import { NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { EnumType, RecordValue } from '../../vm/values/structured.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { libraryNames } from '../library.js';
import { COMMANDS } from './commands.js';
import type { Evaluator } from './evaluator.js';
import { chainBefore, type Link } from './receiver.js';

/** Words that can follow, and the text that they replace. */
export type Completions = [words: string[], replaced: string];

/** What is known of a receiver: its value, or only the name of its type. */
type Known = { value: Value } | { type: string } | null;

/** Keys and elements beyond this number are not suggested. */
const MAX_KEYS = 1000;
const PLAIN_KEY = /^[A-Za-z_]\w*$/;
const NAME = /^[A-Za-z_]\w*[?!]?$/;

/** Values that stand for their types. */
const SAMPLES: Readonly<Record<string, Value>> = {
  String: '',
  Integer: 0,
  Float: new Float(0),
  Boolean: true,
  Nil: null,
};

/** Types whose values have elements, for iterators. */
const ITERABLE = new Set(['Vector', 'Hash', 'Set', 'Range', 'Sequence', 'Lazy', 'Integer', 'String', 'Enum', 'Any']);

let iterators: string[] | null = null;

/** Names of the methods that are written in Svc. */
function iteratorNames(): string[] {
  return (iterators ??= [
    ...new Set(
      [...PRELUDE.matchAll(/^def (\w+?)__\d/gm)].map(([, name]) => name.replace(/_q$/, '?').replace(/_b$/, '!')),
    ),
  ]);
}

/** Suggests how a line may continue. */
export class Completer {
  constructor(private readonly evaluator: Evaluator) {}

  private get vm(): VM {
    return this.evaluator.vm;
  }

  complete(line: string): Completions {
    const command = /^\s*(:[a-z]*)$/.exec(line);
    if (command !== null)
      return [
        Object.keys(COMMANDS)
          .map((name) => `:${name} `)
          .filter((word) => word.startsWith(command[1])),
        command[1],
      ];
    const path = /^\s*:load\s+(\S*)$/.exec(line);
    if (path !== null) return files(path[1]);
    const key = /^(.*)\[(:|["'])(\w*)$/s.exec(line);
    if (key !== null) return this.keys(key[1], key[2], key[3]);
    const dot = lastDot(line);
    if (dot !== null) return this.members(line.slice(0, dot.at), line.slice(dot.end));
    const word = /(?<![\w:]|(?<!\.)\.)[A-Za-z_]\w*$/.exec(line)?.[0] ?? '';
    return word === '' ? [[], ''] : [matching(this.names(), word), word];
  }

  private *names(): Iterable<string> {
    yield* this.evaluator.session.names();
    yield* keywords();
    yield* libraryNames();
  }

  private keys(receiver: string, opener: string, start: string): Completions {
    const known = this.known(chainBefore(receiver));
    const hash = known !== null && 'value' in known ? fieldsOf(known.value) : null;
    if (hash === null) return [[], ''];
    const closer = opener === ':' ? ']' : `${opener}]`;
    const names = plainKeys(hash).filter((name) => name.startsWith(start));
    return [names.sort().map((name) => name + closer), start];
  }

  private members(receiver: string, start: string): Completions {
    const known = this.known(chainBefore(receiver));
    if (known === null) return [[], start];
    const names = 'value' in known ? this.membersOf(known.value) : this.membersOfType(known.type);
    return [matching(names, start), start];
  }

  private *membersOf(value: Value): Iterable<string> {
    const fields = fieldsOf(value);
    if (fields !== null) yield* plainKeys(fields);
    if (value instanceof RecordValue) yield* value.type.methods?.keys() ?? [];
    if (value instanceof EnumType) yield* value.members;
    yield* this.vm.methods.names(value);
    if (hasElements(value)) yield* iteratorNames();
  }

  private membersOfType(type: string): Iterable<string> {
    if (Object.hasOwn(SAMPLES, type)) return this.membersOf(SAMPLES[type]);
    const handle = this.vm.globals.get(type);
    const own = handle instanceof HandleType ? handle.methods : this.vm.methods.table(type);
    const more = ITERABLE.has(type) ? iteratorNames() : [];
    return [...own.keys(), ...this.vm.methods.table('Any').keys(), ...more];
  }

  /** What a chain leads to, as far as that is known without running code. */
  private known(links: readonly Link[] | null): Known {
    let known: Known = null;
    for (const link of links ?? []) {
      known = this.follow(known, link);
      if (known === null) return null;
    }
    return known;
  }

  private follow(before: Known, link: Link): Known {
    switch (link.kind) {
      case 'literal':
        return { type: link.type };
      case 'name':
        return this.named(link.name);
      case 'member':
        return before === null ? null : this.member(before, link.name);
      case 'index':
        return before !== null && 'value' in before ? element(before.value, link.text) : null;
      default:
        return before !== null && 'value' in before ? called(before.value) : before;
    }
  }

  private named(name: string): Known {
    const value = this.evaluator.valueOf(name) ?? this.vm.globals.get(name);
    if (value !== undefined) return { value };
    return name === 'nil' ? { type: 'Nil' } : name === 'true' || name === 'false' ? { type: 'Boolean' } : null;
  }

  private member(before: Exclude<Known, null>, name: string): Known {
    if ('type' in before) {
      const sample = Object.hasOwn(SAMPLES, before.type) ? SAMPLES[before.type] : undefined;
      const native =
        sample === undefined ? this.vm.methods.table(before.type).get(name) : this.vm.methods.find(sample, name);
      return resultOf(native);
    }
    const { value } = before;
    if (value instanceof EnumType) {
      const member = value.member(name);
      if (member !== undefined) return { value: member };
    }
    const native = this.vm.methods.find(value, name);
    const field = native === undefined || value instanceof RecordValue ? fieldsOf(value)?.get(name) : undefined;
    return field === undefined ? resultOf(native) : { value: field };
  }
}

function hasElements(value: Value): boolean {
  if (Array.isArray(value) || value instanceof Hash || typeof value === 'string' || typeof value === 'number')
    return true;
  return value instanceof Handle
    ? value.items() !== null
    : value !== null && typeof value === 'object' && 'lo' in value;
}

/** The result of calling a value: the type is known for natives. */
function called(value: Value): Known {
  return value instanceof NativeFunction ? resultOf(value) : null;
}

function resultOf(native: NativeFunction | undefined): Known {
  const type = native?.result.replace(/\?$/, '');
  return type === undefined || !/^[A-Z]\w*$/.test(type) || type === 'Any' ? null : { type };
}

/** `value[text]` for an index that is a literal. */
function element(value: Value, text: string): Known {
  const [, key] = /^(?::|"|')(\w+)["']?$/.exec(text) ?? [];
  const found =
    Array.isArray(value) && /^-?\d+$/.test(text)
      ? value.at(Number(text))
      : key === undefined
        ? undefined
        : fieldsOf(value)?.get(key);
  return found === undefined ? null : { value: found };
}

function plainKeys(hash: Hash): string[] {
  const names: string[] = [];
  for (const [key] of hash.pairs()) {
    if (typeof key === 'string' && PLAIN_KEY.test(key)) names.push(key);
    if (names.length >= MAX_KEYS) break;
  }
  return names;
}

function matching(names: Iterable<string>, start: string): string[] {
  return [...new Set(names)].filter((name) => NAME.test(name) && name.startsWith(start)).sort();
}

/** Where the last dot of a line begins and ends, if only a name follows. */
function lastDot(line: string): { at: number; end: number } | null {
  const match = /(&?\.)([A-Za-z_]\w*[?!]?)?$/.exec(line);
  if (match === null || line[match.index - 1] === '.') return null;
  return { at: match.index, end: match.index + match[1].length };
}

/** Files and folders whose path begins with `start`. */
function files(start: string): Completions {
  const folder = start.endsWith('/') ? start : dirname(start);
  try {
    const paths = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.name.endsWith('.svc'))
      .map((entry) => join(folder, entry.name) + (entry.isDirectory() ? '/' : ''));
    return [paths.filter((path) => path.startsWith(start)), start];
  } catch {
    return [[], start];
  }
}
