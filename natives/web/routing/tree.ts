import { type Capture, type Leaf, RouteNode } from './node.js';
import { matchParts, type Pattern, type Segment } from './pattern.js';

const SLASH = 0x2f;
const PERCENT = 0x25;

function captureOf(segment: Segment, depth: number): Capture[] {
  if (segment.kind === 'literal') return [];
  return [{ depth, literals: segment.kind === 'parts' ? segment.literals : null, isRest: segment.kind === 'rest' }];
}

function mayHideEscape(segment: Segment): boolean {
  return segment.kind === 'rest' || (segment.kind === 'literal' && segment.text.includes('%'));
}

/**
 * The routes of one method, as a radix trie. At the start of a segment a search tries literal text, then segments with
 * parts (more literal text first), then `:name`, then `*rest`, so it meets the most specific route first. Each node
 * corresponds to one position of a path, so a search visits each node and measures each segment at most once.
 * The scratch fields avoid allocations. A search calls no outside code, so one set serves all searches.
 */
export class RouteTree<T> {
  /** Whether the last search saw a "%" in a segment that it did not compare with literal text. */
  metEscape = false;
  private readonly root = new RouteNode<T>();
  private path = '';
  private search = 0;
  // Start and end of each segment that is not a literal, and the number of the search that measured it.
  private readonly starts: number[] = [];
  private readonly stops: number[] = [];
  private readonly searches: number[] = [];
  private readonly offsets: number[] = [];

  /**
   * Adds a route and returns null. If an equal pattern (names may differ) exists, keeps and returns its leaf instead.
   */
  add({ segments, names }: Pattern, value: T): Leaf<T> | null {
    const leaf: Leaf<T> = {
      value,
      names,
      captures: segments.flatMap(captureOf),
      mayHideEscape: segments.some(mayHideEscape),
    };
    let node = this.root;
    for (const [depth, segment] of segments.entries()) {
      node = node.literal('/');
      if (segment.kind === 'rest') return this.addRest(node, depth, leaf);
      node = this.child(node, segment, depth);
    }
    const known = node.leaf;
    node.leaf ??= leaf;
    return known;
  }

  /** Returns the leaf of the most specific route for `path`. A "%" is treated as an ordinary character. */
  find(path: string): Leaf<T> | null {
    this.path = path;
    this.search++;
    this.metEscape = false;
    return this.from(this.root, 0);
  }

  /** The texts of the parameters for the leaf found by the last search. */
  values({ captures }: Leaf<T>): string[] {
    // An array literal has no spare capacity, unlike one that has grown by push.
    if (captures.length === 1 && captures[0].literals === null) return [this.text(captures[0])];
    const values: string[] = [];
    for (const capture of captures) {
      if (capture.literals === null) values.push(this.text(capture));
      else this.pushParts(capture.depth, capture.literals, values);
    }
    return values;
  }

  private addRest(node: RouteNode<T>, depth: number, leaf: Leaf<T>): Leaf<T> | null {
    const known = node.rest;
    node.branch(depth);
    node.rest ??= leaf;
    return known;
  }

  private child(node: RouteNode<T>, segment: Exclude<Segment, { kind: 'rest' }>, depth: number): RouteNode<T> {
    if (segment.kind === 'literal') return node.literal(segment.text);
    return segment.kind === 'param' ? node.paramChild(depth) : node.partsChild(segment.literals, depth);
  }

  /** Searches below `node`, whose text ends at `at`. */
  private from(node: RouteNode<T>, at: number): Leaf<T> | null {
    const path = this.path;
    for (;;) {
      if (at === path.length) return node.leaf ?? this.restFrom(node, at);
      const child = node.next(path, at);
      if (!node.isPlain) {
        const leaf = child === null ? null : this.from(child, at + child.length);
        return leaf ?? this.fromOthers(node, at);
      }
      if (child === null) return null;
      node = child;
      at += child.length;
    }
  }

  private fromOthers(node: RouteNode<T>, at: number): Leaf<T> | null {
    const stop = this.stopOf(node.depth, at);
    if (node.parts !== null) {
      for (const edge of node.parts) {
        const leaf = matchParts(edge.literals, this.path, at, stop, this.offsets) ? this.from(edge.node, stop) : null;
        if (leaf !== null) return leaf;
      }
    }
    const { param } = node;
    if (param !== null && stop > at) {
      const leaf = stop === this.path.length ? param.leaf : this.from(param, stop);
      if (leaf !== null) return leaf;
    }
    return this.restFrom(node, at);
  }

  private restFrom(node: RouteNode<T>, at: number): Leaf<T> | null {
    if (node.rest !== null) this.starts[node.depth] = at;
    return node.rest;
  }

  /** Returns where the segment that begins at `start` ends. Measured once a search, as `searches` records. */
  private stopOf(depth: number, start: number): number {
    if (this.searches[depth] === this.search) return this.stops[depth];
    const path = this.path;
    let stop = start;
    for (; stop < path.length; stop++) {
      const code = path.charCodeAt(stop);
      if (code === SLASH) break;
      if (code === PERCENT) this.metEscape = true;
    }
    this.searches[depth] = this.search;
    this.starts[depth] = start;
    this.stops[depth] = stop;
    return stop;
  }

  private text({ depth, isRest }: Capture): string {
    return this.path.slice(this.starts[depth], isRest ? this.path.length : this.stops[depth]);
  }

  private pushParts(depth: number, literals: readonly string[], values: string[]): void {
    const { path, offsets } = this;
    matchParts(literals, path, this.starts[depth], this.stops[depth], offsets);
    for (let i = 0; i < 2 * literals.length - 2; i += 2) values.push(path.slice(offsets[i], offsets[i + 1]));
  }
}
