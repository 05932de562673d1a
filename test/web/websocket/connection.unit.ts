import t from 'tap';
import * as library from 'ws';
import { type Connection, connectionClass, give, type Owner } from '../../../natives/web/websocket/connection.js';

/** A connection of a server, as `ws` makes it, and what its owner is told. */
function connection(): { ws: Connection; owner: Owner; told: unknown[][] } {
  const Made = connectionClass(library) as unknown as new (
    address: null,
    protocols: undefined,
    options: object,
  ) => Connection;
  const told: unknown[][] = [];
  const owner: Owner = {
    received: (data, isBinary) => void told.push(['received', String(data), isBinary]),
    pinged: (data) => void told.push(['pinged', String(data)]),
    ignoreRest: () => void told.push(['ignoreRest']),
    ended: (code, reason) => void told.push(['ended', code, String(reason)]),
  };
  return { ws: new Made(null, undefined, {}), owner, told };
}

t.test('the owner of a connection gets its events; there is no table of listeners', async (t) => {
  const { ws, owner, told } = connection();
  give(ws, owner);
  t.equal(ws._events, undefined, 'an empty one takes 184 bytes');
  ws.emit('message', Buffer.from('hi'), false);
  ws.emit('ping', Buffer.from('p'));
  ws.emit('error', new Error('broken'));
  ws.emit('close', 1000, Buffer.from('bye'));
  t.strictSame(told, [['received', 'hi', false], ['pinged', 'p'], ['ignoreRest'], ['ended', 1000, 'bye']]);
});

t.test('listeners that a connection has stay, and others can be added', async (t) => {
  const { ws, owner } = connection();
  const first = (): void => {};
  ws.on('open', first);
  give(ws, owner);
  t.strictSame(ws.listeners('open'), [first]);
  const { ws: other } = connection();
  give(other, owner);
  t.strictSame([other.eventNames(), other.listenerCount('open'), other.off('open', first)], [[], 0, other]);
  other.on('open', first);
  t.strictSame(other.eventNames(), ['open']);
});
