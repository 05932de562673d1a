import { ModuleState } from '../../../vm/calls/modulestate.js';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { joinPaths, type Position } from '../config/level.js';
import type { ListedRoute } from '../config/route.js';
import { Request } from '../request/request.js';
import type { RouteNames } from '../routing/names.js';
import { buildPath, buildQuery, PathProblem } from '../routing/paths.js';
import { parsePattern } from '../routing/pattern.js';
import type { App } from './app.js';
import { placeText } from './register.js';

/** The applications that a program has made. */
export const APPS = new ModuleState<App[]>(() => []);

/** Gives a route its name. @throws ValueError if another pattern has it */
export function nameRoute(app: App, name: string, route: ListedRoute): void {
  const known = app.addName(name, route);
  if (known === null) return;
  fail(
    Errors.ValueError,
    `the name "${name}" belongs to ${known.pattern}, registered at ${placeText(known.place)}: a name stands for one pattern`,
  );
}

/** Native `app.path_for`. */
export function pathIn(app: App, name: string, values: Hash): string {
  return pathOf([{ names: app.owner.names, prefix: '' }], name, values);
}

/** Native `path_for`: the routes of the application that answers the current request, or of the only one. */
export function pathFor(vm: NativeContext, name: string, values: Hash): string {
  const context = vm.scheduler.current?.context ?? null;
  if (context instanceof Request && context.root !== null)
    return pathOf([...namesAround(context.levels), { names: context.root.names, prefix: '' }], name, values);
  const apps = APPS.of(vm).filter(({ outer }) => outer.length === 0);
  if (apps.length === 1) return pathIn(apps[0], name, values);
  return fail(
    Errors.RuntimeError,
    apps.length === 0
      ? 'path_for: the program has no web application'
      : `path_for: the program has ${apps.length} web applications, and this thread answers no request; call path_for of one of them, as in app.path_for("${name}")`,
  );
}

/** Names of an application's routes, and the prefix below which it is mounted. */
interface Names {
  readonly names: RouteNames;
  readonly prefix: string;
}

/** The names of mounted applications, innermost first. */
function namesAround(levels: readonly Position[]): Names[] {
  return levels
    .flatMap(({ level, prefix }) => (level.owner === null ? [] : [{ names: level.owner.names, prefix }]))
    .reverse();
}

function pathOf(around: readonly Names[], name: string, values: Hash): string {
  for (const { names, prefix } of around) {
    const route = names.get(name);
    if (route !== undefined) return filled(name, joinPaths(prefix, route.pattern), values);
  }
  const known = around.flatMap(({ names }) => names.all());
  const near = nearest(name, known);
  return fail(
    Errors.ValueError,
    `there is no route named "${name}"${
      near !== null
        ? `, did you mean "${near}"?`
        : known.length === 0
          ? '; no route has a name'
          : `; there are ${known.join(', ')}`
    }`,
  );
}

function filled(name: string, pattern: string, values: Hash): string {
  const given = new Map(values.entries().map(([key, value]) => [toText(key), value]));
  const { names } = parsePattern(pattern);
  const missing = names.filter((param) => (given.get(param) ?? null) === null);
  if (missing.length > 0) fail(Errors.ValueError, missingText(name, pattern, missing, [...given.keys()], names));
  const query = [...given].filter(([key]) => !names.includes(key)).flatMap(([key, value]) => pairsOf(key, value));
  try {
    const path = buildPath(pattern, (param) => textOf(param, given.get(param) as Value));
    return query.length === 0 ? path : `${path}?${buildQuery(query)}`;
  } catch (error) {
    if (!(error instanceof PathProblem)) throw error;
    return fail(Errors.ValueError, `path_for "${name}": ${error.message}`);
  }
}

function missingText(
  name: string,
  pattern: string,
  missing: readonly string[],
  given: readonly string[],
  names: readonly string[],
): string {
  const near = nearest(
    missing[0],
    given.filter((key) => !names.includes(key)),
  );
  const hint = near === null ? '' : `; '${near}' was given`;
  return `path_for "${name}" needs ${missing.map((param) => `'${param}'`).join(', ')} for ${pattern}${hint}`;
}

function textOf(key: string, value: Value): string {
  if (PRINTED.has(typeName(value))) return toText(value);
  return fail(
    Errors.TypeError,
    `path_for: ${key} must be a String, a number, a Boolean or a Date, got ${typeName(value)}`,
  );
}

const PRINTED = new Set(['String', 'Boolean', 'Integer', 'Float', 'Date', 'Decimal']);

/** The pairs of a value in the query: none for nil, several for a Vector. */
function pairsOf(key: string, value: Value): [string, string][] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((item) => [key, textOf(key, item)]);
}
