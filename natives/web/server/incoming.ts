import { IncomingMessage } from 'node:http';
import { asksForWebSocket } from '../websocket/handshake.js';

/**
 * A request whose `upgrade` is true only for WebSockets and CONNECT. Node reads it once the header is complete: with a
 * listener for upgrades it detaches its parser from the connection, which leaves the body unread, so an unknown protocol
 * must be ignored before that (RFC 9110, 7.8).
 */
export class Incoming extends IncomingMessage {
  /** What node's parser found. */
  private asked: boolean | null = null;

  get upgrade(): boolean {
    return this.asked === true && (this.method === 'CONNECT' || asksForWebSocket(this));
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked;
  }
}
