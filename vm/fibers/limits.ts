/** Counters checked at every safepoint and call. A plain object: V8 reads its fields faster than typed-array elements. */
export class Limits {
  /** Safepoints left in the running slice. */
  fuel = 0;
  /** Depth above which frames go to the heap. */
  depth = 0;
}
