import { FixedPaths } from './fixedpaths.js';
import { decodePercent } from '../../http/percent.js';
import { ESCAPED_SLASH, parsePattern } from './pattern.js';
import { RouteTree } from './tree.js';

/** A matched route: its value, and the names and decoded values of its parameters in the pattern's order. */
export interface Match<T> {
  readonly value: T;
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/**
 * Result for a path with a bad percent-escape or an escaped NUL, answered with 400. (HTTP parsers refuse a raw NUL.)
 */
export const BAD_PATH = Symbol('bad path');

const NONE: readonly string[] = Object.freeze([]);

/** The routes of one method: a map of paths without parameters, and a trie of all routes. */
class Routes<T> {
  readonly fixed = new FixedPaths<Match<T>>();
  readonly tree = new RouteTree<T>();
}

/** The path decoded once, with data slashes marked differently from separators; null when it is invalid. */
function decodePath(path: string): string | null {
  if (path.includes('%00')) return null;
  return decodePercent(path.replace(/%2f/gi, ESCAPED_SLASH));
}

/**
 * Router for `/a/:name/f-:part.json/*rest` patterns. Regardless of registration order, each segment from left to right
 * prefers a literal, then a literal with parts, `:name`, `*rest`. All are compared with the percent-decoded segment. A
 * trailing slash is significant.
 */
export class Router<T> {
  private readonly methods = new Map<string, Routes<T>>();
  // Routes for GET, kept in a field: most requests use it, and reading it costs less than the Map.
  private gets: Routes<T> | undefined = undefined;

  /**
   * Adds a route. `duplicateOf` is the value registered earlier for the same pattern (names may differ), which stays in
   * force, or null. Throws an Error that quotes the pattern when it is malformed.
   */
  add(method: string, pattern: string, value: T): { duplicateOf: T | null } {
    const parsed = parsePattern(pattern);
    const routes = this.methods.get(method) ?? new Routes<T>();
    this.methods.set(method, routes);
    if (method === 'GET') this.gets = routes;
    const known = routes.tree.add(parsed, value);
    if (known !== null) return { duplicateOf: known.value };
    const isFixed = parsed.segments.every(({ kind }) => kind === 'literal');
    if (isFixed) routes.fixed.set(pattern, { value, names: NONE, values: NONE });
    return { duplicateOf: null };
  }

  /**
   * The most specific route of `method` for a path as sent, without query. null if there is none, BAD_PATH if it cannot
   * be decoded.
   */
  find(method: string, path: string): Match<T> | typeof BAD_PATH | null {
    const routes = method === 'GET' ? this.gets : this.methods.get(method);
    if (routes === undefined) return path.includes('%') && decodePath(path) === null ? BAD_PATH : null;
    const fixed = routes.fixed.get(path);
    if (fixed !== undefined) return fixed;
    const { tree } = routes;
    const leaf = tree.find(path);
    // Few paths contain escapes, so the first search assumes none; it detects most of them in passing.
    if (tree.metEscape || ((leaf === null || leaf.mayHideEscape) && path.includes('%')))
      return this.findDecoded(tree, path);
    return leaf === null ? null : { value: leaf.value, names: leaf.names, values: tree.values(leaf) };
  }

  /** The methods that have a route for `path`, in order of their first registration; used for `Allow`. */
  methodsFor(path: string): string[] {
    const found: string[] = [];
    for (const method of this.methods.keys()) {
      const match = this.find(method, path);
      if (match !== null && match !== BAD_PATH) found.push(method);
    }
    return found;
  }

  private findDecoded(tree: RouteTree<T>, path: string): Match<T> | typeof BAD_PATH | null {
    const decoded = decodePath(path);
    if (decoded === null) return BAD_PATH;
    const leaf = tree.find(decoded);
    if (leaf === null) return null;
    const values = tree.values(leaf).map((text) => text.replaceAll(ESCAPED_SLASH, '/'));
    return { value: leaf.value, names: leaf.names, values };
  }
}
