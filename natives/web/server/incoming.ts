import { IncomingMessage } from 'node:http';
import { isRefused } from '../connection/badrequests.js';
import { owesResponses } from '../connection/lane.js';
import { asksForWebSocket } from '../websocket/handshake.js';

/**
 * A request whose `upgrade` is true only for WebSockets and CONNECT. Node reads it once the header is complete: with a
 * listener for upgrades it detaches its parser from the connection, which leaves the body unread, so an unknown protocol
 * must be ignored before that (RFC 9110, 7.8).
 */
export class Incoming extends IncomingMessage {
  /**
   * Whether it asks for another protocol before earlier requests on its connection are answered. It is answered after
   * them, as an ordinary request: frames must not come between their responses. Decided once, because node reads
   * `upgrade` again when it has parsed the body.
   */
  isEarly = false;
  /** What node's parser found. */
  private asked: boolean | null = null;

  get upgrade(): boolean {
    return this.asked === true && !this.isEarly && (this.method === 'CONNECT' || asksForWebSocket(this));
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked;
    if (asked === true) this.isEarly = isRefused(this.socket) || owesResponses(this.socket);
  }
}
