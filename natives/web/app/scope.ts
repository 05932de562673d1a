import { Errors, fail } from '../../../vm/values/error.js';
import { Closure, NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import { joinPaths, Layer, type Level, newLevel, NO_POSITIONS, type Position } from '../config/level.js';
import { parsePattern } from '../routing/pattern.js';
import { App } from './app.js';
import { withPatterns } from './register.js';

export const GROUP = new HandleType('SvcGroup');

/** Where routes are registered: an application or a group of it. */
export interface Scope {
  readonly app: App;
  /** Before the patterns of routes; empty for an application. */
  readonly prefix: string;
  /** Receives the layers and filters that are registered here. */
  readonly level: Level;
  /** What is around the routes besides the application, outermost first. */
  readonly levels: readonly Position[];
}

/** Routes with a common prefix, layers and filters: created by `app.group`. */
export class Group extends Handle implements Scope {
  readonly app: App;
  readonly level = newLevel();
  readonly levels: readonly Position[];

  constructor(
    outer: Scope,
    readonly prefix: string,
  ) {
    super();
    this.app = outer.app;
    this.levels = [...outer.levels, { level: this.level, prefix }];
  }

  get type(): HandleType {
    return GROUP;
  }

  override describe(): string {
    return `<SvcGroup ${this.prefix === '' ? '/' : this.prefix}>`;
  }
}

/** The scope of the receiver of a registration. */
export function scopeOf(handle: App | Group): Scope {
  return handle instanceof App ? { app: handle, prefix: '', level: handle, levels: NO_POSITIONS } : handle;
}

/** The whole prefix of a group or mount in a scope: without a slash at its end. @throws ValueError */
export function prefixIn({ prefix }: Scope, given: string): string {
  const whole = prefix + given.replace(/\/+$/, '');
  if (given.includes('*')) fail(Errors.ValueError, `a prefix has no "*": ${JSON.stringify(given)}`);
  checkPattern(whole === '' ? '/' : given.startsWith('/') ? whole : given);
  return whole;
}

function checkPattern(pattern: string): void {
  withPatterns(() => parsePattern(pattern));
}

/** The whole pattern of a path in a scope. @throws ValueError for a path without a leading slash */
export function patternIn({ prefix }: Scope, path: string): string {
  if (!path.startsWith('/')) checkPattern(path);
  return joinPaths(prefix, path);
}

/** A layer of a scope for requests of `path`. @throws ValueError for a malformed path */
export function layerOf(scope: Scope, fn: Value, path: string | null): Layer {
  if (path !== null) {
    checkPattern(path);
    checkPattern(patternIn(scope, path));
  }
  return new Layer(fn, path);
}

function isFunction(value: Value): boolean {
  return value instanceof Closure || value instanceof NativeFunction;
}

/** Adds the functions of an option such as `before:` of a route or group: one or a Vector of them. @throws TypeError */
export function addFunctions(layers: Layer[], option: string, given: Value): void {
  if (given === null) return;
  for (const fn of Array.isArray(given) ? given : [given]) {
    if (!isFunction(fn))
      fail(Errors.TypeError, `${option}: must be a function or a Vector of functions, got ${typeName(fn)}`);
    layers.push(new Layer(fn, null));
  }
}

/** The levels of a route with functions of its own. */
export function routeLevels({ levels }: Scope, pattern: string, before: Value, use: Value): readonly Position[] {
  if (before === null && use === null) return levels;
  const level = newLevel();
  addFunctions(level.before, 'before', before);
  addFunctions(level.middleware, 'use', use);
  return [...levels, { level, prefix: pattern }];
}
