/** Files that are read before other requests are answered. */
export const PORTION = 4;

/** What is asked while a search through many files goes on. */
export interface Patience {
  /** Lets other work be done. Returns whether the answer is still wanted. */
  pause(): Promise<boolean>;
}
