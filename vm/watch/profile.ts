/** A function in samples. */
export interface SampledFrame {
  readonly name: string;
  /** Empty for the library. */
  readonly file: string;
  /** Where the function begins. */
  readonly line: number;
  readonly kind: 'function' | 'library' | 'native' | 'group';
}

/** A function with the functions that called it. */
export class ProfileNode {
  /** Microseconds in which this function itself ran. */
  self = 0;
  /** Microseconds in which it, or a native that it called, ran, by lines. */
  readonly lines = new Map<number, number>();
  readonly children = new Map<SampledFrame, ProfileNode>();

  constructor(
    readonly id: number,
    readonly frame: SampledFrame,
    readonly parent: ProfileNode | null,
  ) {}
}

/** What threads of one group waited for at one place. */
export interface WaitTotal {
  readonly group: string;
  readonly what: string;
  readonly where: string;
  count: number;
  milliseconds: number;
}

/** Maximum number of nodes. Samples that would need more count for their callers. */
const MAX_NODES = 200_000;
/** Maximum number of samples in the order of time: about three hours. */
const MAX_SAMPLES = 1 << 21;
const MAX_GROUPS = 1000;
const MAX_WAITS = 10_000;
const OTHERS = '(others)';

/** Samples of a program, as a tree for each group of threads and in the order of time. Its size is limited. */
export class Profile {
  readonly root = new ProfileNode(1, { name: '(root)', file: '', line: 0, kind: 'group' }, null);
  readonly nodes: ProfileNode[] = [this.root];
  /** Nodes and microseconds of samples in the order of time. */
  readonly samples: number[] = [];
  readonly weights: number[] = [];
  readonly waits = new Map<string, WaitTotal>();
  private readonly groups = new Map<string, SampledFrame>();

  /** Adds a sample of a stack, outermost function first; `line` is that of its innermost function that is no native. */
  add(group: string, stack: readonly SampledFrame[], line: number, microseconds: number): void {
    let node = this.child(this.root, this.groupFrame(group));
    for (const frame of stack) {
      const child = this.child(node, frame);
      if (child === node) break;
      node = child;
    }
    node.self += microseconds;
    const at = node.frame.kind === 'native' ? node.parent : node;
    if (line > 0 && at !== null) at.lines.set(line, (at.lines.get(line) ?? 0) + microseconds);
    if (this.samples.length >= MAX_SAMPLES) this.thin();
    this.samples.push(node.id);
    this.weights.push(microseconds);
  }

  addWait(group: string, what: string, where: string, milliseconds: number): void {
    let key = `${group}\n${what}\n${where}`;
    if (this.waits.size >= MAX_WAITS && !this.waits.has(key)) {
      key = OTHERS;
      group = what = OTHERS;
      where = '';
    }
    let total = this.waits.get(key);
    if (total === undefined) this.waits.set(key, (total = { group, what, where, count: 0, milliseconds: 0 }));
    total.count++;
    total.milliseconds += milliseconds;
  }

  /** The child of a node for a function; the node itself if there are too many. */
  private child(node: ProfileNode, frame: SampledFrame): ProfileNode {
    let child = node.children.get(frame);
    if (child !== undefined) return child;
    if (this.nodes.length >= MAX_NODES) return node;
    child = new ProfileNode(this.nodes.length + 1, frame, node);
    this.nodes.push(child);
    node.children.set(frame, child);
    return child;
  }

  private groupFrame(name: string): SampledFrame {
    let frame = this.groups.get(name);
    if (frame !== undefined) return frame;
    if (this.groups.size >= MAX_GROUPS && name !== OTHERS) return this.groupFrame(OTHERS);
    frame = { name, file: '', line: 0, kind: 'group' };
    this.groups.set(name, frame);
    return frame;
  }

  /** Merges neighbouring samples: each first one of two stands for both. */
  private thin(): void {
    const { samples, weights } = this;
    for (let i = 0; i + 1 < samples.length; i += 2) {
      samples[i / 2] = samples[i];
      weights[i / 2] = weights[i] + weights[i + 1];
    }
    samples.length = weights.length = samples.length >> 1;
  }
}
