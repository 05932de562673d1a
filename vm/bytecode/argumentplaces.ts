import type { ParamKind } from './program.js';

/** Assignment of a call's positional arguments to parameters. */
export interface ArgumentPlaces {
  /** For each parameter the index of its argument, −1 for none; for a rest parameter the index of its first one. */
  places: number[];
  /** Index after the last argument of the rest parameter. */
  restEnd: number;
  /** Number of arguments assigned to a parameter. */
  taken: number;
}

/**
 * Assigns `count` positional arguments to parameters, from the left. Required parameters after an optional or rest
 * parameter have priority: optional ones take arguments that remain, then the rest parameter takes the others.
 * @param isNamed whether parameter `i` is given by name, so that no argument is reserved for it
 * @param blockAt index of the parameter that receives a block, or −1
 */
export function argumentPlaces(
  params: readonly { kind: ParamKind }[],
  count: number,
  isNamed: (i: number) => boolean,
  blockAt = -1,
): ArgumentPlaces {
  let needed = 0;
  params.forEach(({ kind }, i) => {
    if (kind === 'required' && i !== blockAt && !isNamed(i)) needed++;
  });
  let next = 0;
  let restEnd = 0;
  const places = params.map(({ kind }, i) => {
    if (i === blockAt) return -1;
    const at = next;
    if (kind === 'rest') {
      restEnd = next = Math.max(at, count - needed);
      return at;
    }
    if (kind === 'required' && !isNamed(i)) needed--;
    const takes = kind === 'required' ? at < count : kind === 'optional' && count - at > needed;
    if (takes) next++;
    return takes ? at : -1;
  });
  return { places, restEnd, taken: next };
}
