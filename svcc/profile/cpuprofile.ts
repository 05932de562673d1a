import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Profile } from '../../vm/watch/profile.js';

/** The profile for the developer tools of Chrome and for editors. */
export function cpuProfile({ nodes, samples, weights }: Profile): string {
  const hits = nodes.map(() => 0);
  for (const id of samples) hits[id - 1]++;
  const urls = new Map<string, string>();
  const urlOf = (file: string): string => {
    let url = urls.get(file);
    if (url === undefined) urls.set(file, (url = file === '' ? '' : pathToFileURL(resolve(file)).href));
    return url;
  };
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = samples.length === 0 ? 1 : total / samples.length;
  return JSON.stringify({
    nodes: nodes.map(({ id, frame, children, lines }) => ({
      id,
      callFrame: {
        functionName: frame.name,
        scriptId: '0',
        url: urlOf(frame.file),
        // Both count from 0; −1: unknown.
        lineNumber: frame.line - 1,
        columnNumber: frame.line === 0 ? -1 : 0,
      },
      hitCount: hits[id - 1],
      children: [...children.values()].map((child) => child.id),
      positionTicks: [...lines].map(([line, time]) => ({ line, ticks: Math.max(1, Math.round(time / mean)) })),
    })),
    startTime: 0,
    endTime: total,
    samples,
    // A sample lasts until the next one.
    timeDeltas: [0, ...weights.slice(0, -1)].slice(0, samples.length),
  });
}
