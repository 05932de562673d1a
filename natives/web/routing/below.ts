import { BAD_PATH, Router } from './router.js';

/**
 * The paths that a pattern stands for as the place of layers: those that match it and those below. With `/*` at its end
 * only those below. Compares as the router does, so that no escape or parameter leads past a layer to a route.
 */
export class Below {
  private readonly router = new Router<true>();
  private readonly isEverything: boolean;

  /** @throws Error that quotes the pattern when it is malformed */
  constructor(pattern: string) {
    const trimmed = pattern.replace(/\/+$/, '');
    this.isEverything = trimmed === '' && pattern !== '';
    if (this.isEverything) return;
    this.router.add('GET', trimmed, true);
    if (!/\/\*[^/]*$/.test(trimmed)) this.router.add('GET', `${trimmed}/*`, true);
  }

  covers(path: string): boolean {
    if (this.isEverything) return true;
    const match = this.router.find('GET', path);
    return match !== null && match !== BAD_PATH;
  }
}
