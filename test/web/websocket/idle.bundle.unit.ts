import t from 'tap';
import { Measured } from '../support/pump.js';
import { rawPeer } from './peers.js';

const PROGRAM = `app = web_app()
app.websocket("/") do |ws|
  while msg = ws.recv
    ws.send(msg)
  end
end
app.run(0, "127.0.0.1")
`;

/** Connections that are open before the first look, when functions are still compiled, and those after it. */
const FIRST = 300;
const MORE = 1500;
/** Bytes of the heap for an idle connection; about 2,700 of them are node's and those of the package `ws`. */
const BOUND = 4300;

t.test('an idle connection takes little memory', async (t) => {
  const measured = await Measured.start(t, PROGRAM);
  const open = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await rawPeer(t, measured.port, '/');
  };
  await open(FIRST);
  const before = await measured.heap();
  await open(MORE);
  const each = ((await measured.heap()) - before) / MORE;
  t.ok(each < BOUND, `${each.toFixed(0)} bytes each`);
  t.comment(`${each.toFixed(0)} bytes each`);
});
