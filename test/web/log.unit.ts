import t from 'tap';
import { get, serve } from './serve.js';

/** How often `text` holds `part`. */
function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

const PROGRAM = `app = web_app()
app.get("/raise") { |req| raise "went wrong" }
app.get("/function") { |req| ->(x) { x } }
app.get("/same_site") do |req|
  res = response("ok")
  res.set_cookie("a", "1", {same_site: "None"})
  res
end
LAYER
app.run(0)
`;

const LAYERS = { 'a handler alone': '', 'a filter': 'app.after { |req, res| nil }', 'app.error': 'app.error { |req, err| raise err }' };

for (const [name, layer] of Object.entries(LAYERS)) {
  t.test(`with ${name}, an error is logged once`, async (t) => {
    const { server, port } = await serve(t, PROGRAM.replace('LAYER', layer));
    t.equal((await get(port, '/raise')).status, 500);
    t.equal((await get(port, '/function')).status, 500);
    const { stderr } = await server.stop();
    t.equal(count(stderr, 'RuntimeError: went wrong'), 1, 'one that is raised', { stderr });
    t.equal(count(stderr, 'TypeError: '), 1, 'a value of no kind', { stderr });
    t.notMatch(stderr, /\bat .*\.js:\d+|node:/, 'no JavaScript stack');
  });
}

t.test('what app.error answers is logged once, with its request', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('LAYER', 'app.error { |req, err| response(err.message, 503) }'));
  t.same(await get(port, '/raise'), { status: 503, body: 'went wrong' });
  t.equal((await get(port, '/function')).status, 503);
  const { stderr } = await server.stop();
  t.match(stderr, /^request [\w-]+ GET \/raise failed:\nRuntimeError: went wrong\n/, { stderr });
  t.equal(count(stderr, 'RuntimeError: went wrong'), 1, { stderr });
  t.equal(count(stderr, 'TypeError: '), 1, { stderr });
  t.equal(count(stderr, ' failed:\n'), 2, { stderr });
});

t.test('app.error that fails itself is logged after the error that it was for', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('LAYER', 'app.error { |req, err| raise "worse" }'));
  t.equal((await get(port, '/raise')).status, 500);
  const { stderr } = await server.stop();
  t.match(stderr, /RuntimeError: went wrong[^]*RuntimeError: worse/, { stderr });
  t.equal(count(stderr, ' failed:\n'), 2, { stderr });
});

t.test('a refused cookie is warned of once', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('LAYER', ''));
  for (let i = 0; i < 3; i++) await get(port, '/same_site');
  const { stderr } = await server.stop();
  t.equal(count(stderr, 'app.svc:6'), 1, 'with its line', { stderr });
});
