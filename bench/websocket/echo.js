/**
 * Echo with the plain `ws` package: the baseline of all ratios. `text` converts messages to strings and back, as any
 * language with strings must.
 */
import { WebSocketServer } from 'ws';

const [port, kind] = process.argv.slice(2);
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(port),
  perMessageDeflate: false,
  maxPayload: 1024 * 1024,
});
server.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on(
    'message',
    kind === 'text' ? (data) => socket.send(data.toString()) : (data) => socket.send(data, { binary: false }),
  );
});
