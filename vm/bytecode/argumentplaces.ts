import type { ParamKind } from './program.js';

/** Which positional arguments the parameters of a call take. */
export interface ArgumentPlaces {
  /** For each parameter the index of its argument, -1 for none; for a rest parameter that of its first one. */
  places: number[];
  /** Index behind the last argument of the rest parameter. */
  restEnd: number;
  /** Number of arguments that found a parameter. */
  taken: number;
}

/**
 * Hands `count` positional arguments to parameters, from the left. Required parameters behind an optional one or a rest get theirs first: an optional
 * one takes what they leave over, a rest what is left then.
 * @param isNamed whether parameter `i` is given by name: no argument is kept back for it
 * @param blockAt index of the parameter that a block arrives in, or -1
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
