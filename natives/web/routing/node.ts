import { compareParts } from './pattern.js';

/** Position of a parameter: its segment, and the literals around it (null for a whole segment). */
export interface Capture {
  depth: number;
  literals: readonly string[] | null;
  isRest: boolean;
}

/** The end of a route in the trie. */
export interface Leaf<T> {
  value: T;
  names: readonly string[];
  captures: readonly Capture[];
  /** Whether a matching path may contain a "%" that the search did not inspect. */
  mayHideEscape: boolean;
}

/** An edge for a segment with literal and named parts. */
interface PartsEdge<T> {
  literals: readonly string[];
  node: RouteNode<T>;
}

function commonLength(codes: readonly number[], text: string, at: number): number {
  let length = 0;
  while (length < codes.length && at + length < text.length && codes[length] === text.charCodeAt(at + length)) length++;
  return length;
}

/**
 * A node of the radix trie. `codes` is the text on the edge to it. Its children start with different characters and are
 * kept in a small hash table keyed by that character. Only nodes right after a slash have `parts`, `param` or `rest`;
 * `depth` is then the number of that segment.
 */
export class RouteNode<T> {
  leaf: Leaf<T> | null = null;
  parts: PartsEdge<T>[] | null = null;
  param: RouteNode<T> | null = null;
  rest: Leaf<T> | null = null;
  /** Whether only literal text may follow, so that a search need not backtrack to this node. */
  isPlain = true;
  depth = 0;
  length = 0;
  private codes: readonly number[] = [];
  private first = 0;
  private sibling: RouteNode<T> | null = null;
  private used = 0;
  private mask = 0;
  // With a single slot, `only` is its content: most nodes have one child, and one load fewer means one cache miss
  // fewer.
  private only: RouteNode<T> | null = null;
  private slots: (RouteNode<T> | null)[] = [null];

  /** The child whose text is at `at`, which is before the end of `path`. Compares in place, without allocating. */
  next(path: string, at: number): RouteNode<T> | null {
    const child = this.childAt(path.charCodeAt(at));
    if (child === null) return null;
    const length = child.length;
    if (length === 1) return child;
    if (at + length > path.length) return null;
    const codes = child.codes;
    for (let i = 1; i < length; i++) if (path.charCodeAt(at + i) !== codes[i]) return null;
    return child;
  }

  /** Returns the node after the literal `text`, creating it if necessary. */
  literal(text: string): RouteNode<T> {
    let node: RouteNode<T> = this;
    let at = 0;
    while (at < text.length) {
      const child = node.childAt(text.charCodeAt(at));
      if (child === null) return node.append(text.slice(at));
      const length = commonLength(child.codes, text, at);
      node = length === child.length ? child : node.split(child, length);
      at += length;
    }
    return node;
  }

  /** Returns the node after a segment that is a parameter. */
  paramChild(depth: number): RouteNode<T> {
    this.branch(depth);
    return (this.param ??= new RouteNode());
  }

  /** Returns the node after a segment with parts. */
  partsChild(literals: readonly string[], depth: number): RouteNode<T> {
    this.branch(depth);
    const parts = (this.parts ??= []);
    let low = 0;
    for (let high = parts.length; low < high;) {
      const middle = (low + high) >> 1;
      const order = compareParts(parts[middle].literals, literals);
      if (order === 0) return parts[middle].node;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    const node = new RouteNode<T>();
    parts.splice(low, 0, { literals, node });
    return node;
  }

  /** Records that the segment number `depth` may be something other than literal text. */
  branch(depth: number): void {
    this.depth = depth;
    this.isPlain = false;
  }

  private setCodes(codes: readonly number[]): void {
    this.codes = codes;
    this.length = codes.length;
    this.first = codes[0];
  }

  private childAt(code: number): RouteNode<T> | null {
    let child = this.mask === 0 ? this.only : this.slots[code & this.mask];
    while (child !== null && child.first !== code) child = child.sibling;
    return child;
  }

  private append(text: string): RouteNode<T> {
    const node = new RouteNode<T>();
    node.setCodes(Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
    this.used++;
    const size = this.used > this.slots.length ? this.slots.length * 2 : this.slots.length;
    this.fill(size, [...this.children(), node]);
    return node;
  }

  /** Inserts a node for the first `length` characters between this node and `child`. */
  private split(child: RouteNode<T>, length: number): RouteNode<T> {
    const middle = new RouteNode<T>();
    middle.setCodes(child.codes.slice(0, length));
    this.fill(
      this.slots.length,
      this.children().map((node) => (node === child ? middle : node)),
    );
    child.setCodes(child.codes.slice(length));
    middle.used = 1;
    middle.fill(1, [child]);
    return middle;
  }

  private children(): RouteNode<T>[] {
    const nodes: RouteNode<T>[] = [];
    for (const chain of this.slots) for (let node = chain; node !== null; node = node.sibling) nodes.push(node);
    return nodes;
  }

  /** Rebuilds the table with `size` slots, a power of two, for these children. */
  private fill(size: number, children: readonly RouteNode<T>[]): void {
    this.mask = size - 1;
    this.slots = new Array<null>(size).fill(null);
    for (const node of children) {
      const slot = node.first & this.mask;
      node.sibling = this.slots[slot];
      this.slots[slot] = node;
    }
    this.only = this.slots[0];
  }
}
