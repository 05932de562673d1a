/**
 * The local names known so far, innermost last. As in Ruby, `x -1` and `x [0]` are operations if `x` is a known
 * variable, and command calls otherwise.
 */
export class Names {
  private readonly uses = new Map<string, number>([['it', 1]]);
  private readonly trail: string[] = [];

  get count(): number {
    return this.trail.length;
  }

  has(name: string): boolean {
    return this.uses.has(name);
  }

  declare(name: string): void {
    const uses = this.uses.get(name);
    if (uses !== undefined && uses > 50) return;
    this.uses.set(name, (uses ?? 0) + 1);
    this.trail.push(name);
  }

  /** Forgets all but the first `count` declarations. */
  forget(count: number): void {
    while (this.trail.length > count) {
      const name = this.trail.pop() as string;
      const uses = (this.uses.get(name) ?? 1) - 1;
      if (uses === 0) this.uses.delete(name);
      else this.uses.set(name, uses);
    }
  }
}
