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

/** Notes the scope in which `HERE` is looked up: it holds the names that can be written there. */
export function watchNames(names: Names): { scope: Scope | null } {
  const seen: { scope: Scope | null } = { scope: null };
  const lookup = names.lookup.bind(names);
  names.lookup = (name: string, module: ModuleScope, scope: Scope): Symbol => {
    if (name !== HERE) return lookup(name, module, scope);
    seen.scope ??= scope;
    return { kind: 'unknown', name, near: null };
  };
  return seen;
}

/** The names that can be written in a scope, inner ones first; names of the library excluded. */
export function visibleNames(module: ModuleScope, scope: Scope): VisibleName[] {
  const out = new Map<string, VisibleName>();
  const add = (name: string, symbol: Symbol, distance: number): void => {
    if (!out.has(name) && /^[\p{L}_]/u.test(name) && !/[.@%&]/.test(name) && name !== HERE)
      out.set(name, { name, symbol, distance });
  };
  let distance = 0;
  for (let s: Scope | null = scope; s !== null; s = s.parent, distance++)
    for (const [name, variable] of s.names) add(name, { kind: 'variable', variable }, distance);
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
