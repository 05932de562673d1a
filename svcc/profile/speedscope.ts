import type { Profile, ProfileNode, SampledFrame } from '../../vm/watch/profile.js';

/** Maximum number of samples that are written in the order of time; more are written by functions. */
const MAX_ORDERED = 50_000;
/** Maximum number of groups with a view of their own. */
const MAX_VIEWS = 50;

/** The profile for https://www.speedscope.app: one view of everything, then one for each route or thread. */
export function speedscope(profile: Profile, name: string, exporter: string): string {
  const frames = new Map<SampledFrame, number>();
  const frameIndex = (frame: SampledFrame): number => {
    let index = frames.get(frame);
    if (index === undefined) frames.set(frame, (index = frames.size));
    return index;
  };
  const stacks = profile.nodes.map(() => [] as number[]);
  // Parents precede their children.
  for (const node of profile.nodes)
    if (node.parent !== null) stacks[node.id - 1] = [...stacks[node.parent.id - 1], frameIndex(node.frame)];
  const views = viewsOf(profile).map(({ title, samples, weights, depth }) => ({
    type: 'sampled',
    name: title,
    unit: 'microseconds',
    startValue: 0,
    endValue: weights.reduce((sum, weight) => sum + weight, 0),
    samples: samples.map((id) => stacks[id - 1].slice(depth)),
    weights,
  }));
  const shared = [...frames.keys()].map(({ name: text, file, line }) => ({
    name: text,
    ...(file === '' ? {} : { file, line }),
  }));
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter,
    activeProfileIndex: 0,
    shared: { frames: shared },
    profiles: views,
  });
}

interface View {
  title: string;
  /** Numbers of nodes. */
  samples: number[];
  weights: number[];
  /** Outermost frames that are left out. */
  depth: number;
}

function viewsOf({ root, nodes, samples, weights }: Profile): View[] {
  const isOrdered = samples.length <= MAX_ORDERED;
  const busy = nodes.filter(({ self }) => self > 0);
  const all = isOrdered ? samples : busy.map(({ id }) => id);
  const times = isOrdered ? weights : busy.map(({ self }) => self);
  const groups = [...root.children.values()].sort((a, b) => totalOf(b) - totalOf(a)).slice(0, MAX_VIEWS);
  const groupIds = nodes.map(() => 0);
  for (const node of nodes)
    if (node.parent !== null) groupIds[node.id - 1] = node.parent === root ? node.id : groupIds[node.parent.id - 1];
  const views: View[] = [{ title: 'all threads', samples: all, weights: times, depth: 0 }];
  for (const group of groups) {
    const own = all.flatMap((id, i) => (groupIds[id - 1] === group.id ? [i] : []));
    const view = { samples: own.map((i) => all[i]), weights: own.map((i) => times[i]), depth: 1 };
    views.push({ title: group.frame.name, ...view });
  }
  return views;
}

/** Microseconds of a node and all below it. */
function totalOf(top: ProfileNode): number {
  let total = 0;
  const left = [top];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    total += node.self;
    left.push(...node.children.values());
  }
  return total;
}
