import type { Region } from '../../bytecode/flow.js';

/** A forward jump: its start, the innermost region around the start, its target. */
export interface Edge {
  from: number;
  region: Region | null;
  to: number;
}

/** A labelled block, loop or try in the generated code, with its range `[start, end)` of bytecode addresses. */
export interface Scope {
  kind: 'block' | 'loop' | 'try';
  start: number;
  end: number;
  /** Address of the handler of a try. */
  handler: number;
}

const RANK = { block: 0, try: 1, loop: 2 };

/**
 * Turns each forward jump into a `break` out of a labelled block that ends at its target. A block starts at its first
 * jump, or further out: before each region around the jump that ends before the target, and before each block that it
 * would cross. By the verifier's rules neither leaves a region that contains the target, so all scopes nest: there is
 * no irreducible case.
 */
export function placeScopes(edges: readonly Edge[], regions: readonly Region[]): Scope[] {
  const first = new Map<number, number>();
  for (const { from, region, to } of edges) {
    let start = from;
    for (let around = region; around !== null && around.end <= to; around = around.parent)
      start = Math.min(start, around.start);
    first.set(to, Math.min(start, first.get(to) ?? start));
  }
  const blocks: Scope[] = [];
  const stack: Scope[] = [];
  for (const end of [...first.keys()].sort((p, q) => p - q)) {
    let start = first.get(end) as number;
    while (stack.length > 0 && stack[stack.length - 1].end > start)
      start = Math.min(start, (stack.pop() as Scope).start);
    const block: Scope = { kind: 'block', start, end, handler: -1 };
    stack.push(block);
    blocks.push(block);
  }
  return [...blocks, ...regions].sort((p, q) => p.start - q.start || q.end - p.end || RANK[p.kind] - RANK[q.kind]);
}
