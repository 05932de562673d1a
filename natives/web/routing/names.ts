import type { TraceLine } from '../../../vm/values/error.js';

/** A route with a name. */
export interface NamedRoute {
  readonly pattern: string;
  readonly place: TraceLine | null;
}

/** The names of an application's routes, and of those of applications mounted in it. */
export class RouteNames {
  private readonly own = new Map<string, NamedRoute>();
  private readonly mounted = new Map<string, NamedRoute>();

  /** Names a route. Returns another route that has the name already, which keeps it; null if there is none. */
  add(name: string, route: NamedRoute): NamedRoute | null {
    const known = this.own.get(name);
    // The same path with another method may have the same name.
    if (known !== undefined) return known.pattern === route.pattern ? null : known;
    this.own.set(name, route);
    return null;
  }

  /** Notes the name of a mounted application's route; the application's own names and earlier ones come first. */
  adopt(name: string, route: NamedRoute): void {
    if (!this.mounted.has(name)) this.mounted.set(name, route);
  }

  get(name: string): NamedRoute | undefined {
    return this.own.get(name) ?? this.mounted.get(name);
  }

  /** All names in order of their registration. */
  all(): string[] {
    return [...new Set([...this.own.keys(), ...this.mounted.keys()])];
  }

  entries(): [string, NamedRoute][] {
    return this.all().map((name) => [name, this.get(name) as NamedRoute]);
  }
}
