import type { Value } from '../../../vm/values/value.js';
import { Below } from '../routing/below.js';
import type { RouteNames } from '../routing/names.js';

/** A layer or filter: a function, and the paths of the requests that it sees. */
export class Layer {
  /** What `path` means below each prefix under which the level can be reached. */
  private readonly paths = new Map<string, Below>();

  /** @param path pattern of a path below the level's prefix; null for all requests of the level */
  constructor(
    readonly fn: Value,
    readonly path: string | null,
  ) {}

  /** Whether the layer sees a request of its level, which is reached under `prefix`. */
  covers(prefix: string, path: string): boolean {
    return this.path === null || this.below(prefix, this.path).covers(path);
  }

  private below(prefix: string, path: string): Below {
    let below = this.paths.get(prefix);
    if (below === undefined) this.paths.set(prefix, (below = new Below(joinPaths(prefix, path))));
    return below;
  }
}

/** The functions around a set of routes: those of an application, of a group, or the options of one route. */
export interface Level {
  readonly middleware: Layer[];
  readonly before: Layer[];
  readonly after: Layer[];
  /** What only an application has; null for groups and routes. */
  readonly owner: Owner | null;
  /** How sessions of an application travel; null without `app.sessions`. */
  readonly sessions?: object | null;
}

/** What an application has besides layers: functions that answer in place of a route, names of routes. */
export interface Owner {
  notFound: Value;
  onError: Value;
  readonly names: RouteNames;
}

/** A level, and the path pattern below which it is reached. */
export interface Position {
  readonly level: Level;
  readonly prefix: string;
}

/** The positions of a route that has only the application around it. */
export const NO_POSITIONS: readonly Position[] = Object.freeze([]);

/** A level without functions. */
export function newLevel(): Level {
  return { middleware: [], before: [], after: [], owner: null };
}

/** A pattern below a prefix: `/` is the prefix itself. */
export function joinPaths(prefix: string, path: string): string {
  return path === '/' && prefix !== '' ? prefix : prefix + path;
}

/** Positions as seen from an application that reaches them under a further prefix. */
export function under(prefix: string, positions: readonly Position[]): readonly Position[] {
  return prefix === '' ? positions : positions.map(({ level, prefix: own }) => ({ level, prefix: prefix + own }));
}
