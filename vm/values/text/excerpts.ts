/**
 * Parts of texts with memory of their own. V8 represents a part of 13 or more units by a reference to the whole text,
 * which then stays in memory as long as the part.
 */

/** Units of the shortest part that refers to the whole. */
const REFERRING = 13;
/** Units that are copied together, for all parts in them. */
const COPIED = 1024;
/** Units of the longest part that is copied: a copy takes time. */
const LONGEST = 65_536;
/** Units of a text up to which its parts may refer to it. */
const SHORT = 2048;

/**
 * Returns parts of one text. A part up to LONGEST that is kept keeps a piece of COPIED units at most, or its own length;
 * a longer one keeps the text.
 */
export class Excerpts {
  /** The piece that was copied last, and where in the text it is. */
  private copy = '';
  private from = 0;
  private to = 0;

  constructor(private readonly text: string) {}

  /** The units from `start` to before `end`; fastest if one call follows another in the order of the text. */
  take(start: number, end: number): string {
    const length = end - start;
    if (length < REFERRING || length > LONGEST || this.text.length <= SHORT) return this.text.slice(start, end);
    if (start < this.from || end > this.to) {
      this.from = start;
      this.to = Math.max(start + COPIED, end);
      // V8 joins texts when a part of them is taken, in new memory.
      this.copy = `${this.text.slice(start, this.to)} `;
    }
    return this.copy.slice(start - this.from, end - this.from);
  }
}
