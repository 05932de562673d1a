/**
 * Limits the bytes that all WebSockets of a server hold together: half-received messages, received ones that wait, and
 * queued outgoing data.
 */
export class Budget {
  private used = 0;

  constructor(private readonly limits: { readonly websocket_bytes: number }) {}

  get exceeded(): boolean {
    return this.used > this.limits.websocket_bytes;
  }

  /** Records that one holder's bytes changed from `before` to `after`. */
  change(before: number, after: number): void {
    this.used += after - before;
  }
}
