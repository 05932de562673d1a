import type { Names } from '../resolve/outernames.js';
import type { ModuleScope, Scope, Symbol } from '../symbols.js';

/** Stands where a name is being written. No program has this name. */
export const HERE = 'svc__here__';

/** A name that can be written at a place. */
export interface VisibleName {
  name: string;
  symbol: Symbol;
  /** Number of scopes between the place and the declaration. */
  distance: number;
}

/** The place where `HERE` stands: its scope, and the names that were known there. */
export interface Viewpoint {
  scope: Scope | null;
  /** The names of the scope and of those around it, before later statements have added theirs. */
  known: Map<Scope, Set<string>>;
}

/** Notes the scope in which `HERE` is looked up. */
export function watchNames(names: Names): Viewpoint {
  const seen: Viewpoint = { scope: null, known: new Map() };
  const lookup = names.lookup.bind(names);
  names.lookup = (name: string, module: ModuleScope, scope: Scope): Symbol => {
    if (name !== HERE) return lookup(name, module, scope);
    if (seen.scope === null) {
      seen.scope = scope;
      for (let s: Scope | null = scope; s !== null; s = s.parent) seen.known.set(s, new Set(s.names.keys()));
    }
    return { kind: 'unknown', name, near: null };
  };
  return seen;
}

/** The names that can be written in a scope, inner ones first; names of the library excluded. */
export function visibleNames(module: ModuleScope, scope: Scope, known = new Map<Scope, Set<string>>()): VisibleName[] {
  const out = new Map<string, VisibleName>();
  const add = (name: string, symbol: Symbol, distance: number): void => {
    if (!out.has(name) && /^[\p{L}_]/u.test(name) && !/[.@%&]/.test(name) && name !== HERE)
      out.set(name, { name, symbol, distance });
  };
  let distance = 0;
  for (let s: Scope | null = scope; s !== null; s = s.parent, distance++)
    for (const [name, variable] of s.names)
      if (known.get(s)?.has(name) !== false) add(name, { kind: 'variable', variable }, distance);
  offers(module, add, distance, new Set());
  return [...out.values()];
}

function offers(
  module: ModuleScope,
  add: (name: string, symbol: Symbol, distance: number) => void,
  distance: number,
  seen: Set<ModuleScope>,
): void {
  seen.add(module);
  for (const [name, symbol] of module.symbols) add(name, symbol, distance);
  for (const other of module.merged) {
    if (seen.has(other)) continue;
    const visible = (name: string, symbol: Symbol, far: number): void => {
      if (other.offers(name)) add(name, symbol, far);
    };
    for (const [name, variable] of other.main.root.names) visible(name, { kind: 'variable', variable }, distance + 1);
    offers(other, visible, distance + 1, seen);
  }
}
