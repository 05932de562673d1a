/** Characters kept of the beginning and of the end of an output. */
const KEPT = 32_768;

/** Collects output of any length in limited memory: its beginning and its end. */
export class Capture {
  private head = '';
  private tail = '';
  /** Number of characters left out in the middle. */
  private leftOut = 0;

  add(text: string): void {
    const room = KEPT - this.head.length;
    if (room > 0) this.head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === '') return;
    this.tail += rest.length > 2 * KEPT ? rest.slice(-KEPT) : rest;
    if (rest.length > 2 * KEPT) this.leftOut += rest.length - KEPT;
    if (this.tail.length <= 2 * KEPT) return;
    this.leftOut += this.tail.length - KEPT;
    this.tail = this.tail.slice(-KEPT);
  }

  /** Returns what was collected, and begins anew. */
  take(): string {
    const { head, tail, leftOut } = this;
    this.head = this.tail = '';
    this.leftOut = 0;
    return leftOut === 0 ? head + tail : `${head}\n… ${leftOut} characters left out …\n${tail}`;
  }
}
