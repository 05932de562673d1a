import t, { type Test } from 'tap';
import { handOutMs } from '../../clock.js';
import { isInShare } from '../../share.js';
import { get, serve } from '../support/serve.js';
import { ALIVE, alive, attack, HEAD, LONG, Probe } from './attack.js';

// Programs that fill the memory, each beside a handler that must answer. SVC_LONG=1 runs all kinds, 20 times each, in
// heaps of three sizes.
const TIMES = LONG ? Number(process.env.SVC_TIMES ?? 20) : 1;
const HEAPS = (process.env.SVC_HEAPS ?? (LONG ? '300,600,1500' : '150')).split(',').map(Number);
/**
 * Maximum milliseconds of the server's processor time for one answer to the other client. A full collection of the
 * largest heap takes about one second, and may need as much new memory as there is.
 */
const MAX_ANSWER_MS = 2000 + handOutMs(Math.max(...HEAPS) * 2 ** 20);
/** Size in MB of the heap that the programs are written for. In a smaller one, their larger numbers shrink with it. */
const FULL_HEAP = 300;
/** Servers that run at the same time. */
const WIDTH = LONG ? 1 : 2;
/** The kinds of a run without SVC_LONG=1: those that differ most. */
const SOME =
  'twice|rescued in|^split$|chars|a text doubled|vector doubled$|hash that|texts repeated|ranges|(flatten|printing|copy) of shared|threads that|sort_by|base64|paste|Bytes (joined|decompressed)';
const ONLY = new RegExp(process.env.SVC_BOMB ?? (LONG ? '' : SOME));

/** The code of a program, with numbers that fit a heap. */
function scaled(body: string, heap: number): string {
  const factor = Math.min(1, heap / FULL_HEAP);
  return body.replace(/\d+(_\d{3})+/g, (number) => String(Math.round(Number(number.replaceAll('_', '')) * factor)));
}

/** Bodies of handlers by what they do. */
const BOMBS: Readonly<Record<string, string>> = {
  'JSON of a vector that holds another twice':
    'v = ["some text"]\n40.times { v = [v, v] }\njson_encode(v).length.to_s()',
  'MemoryError rescued in a loop':
    'loop do\n  begin\n    all = []\n    loop { all.push("text #{all.length}") }\n  rescue MemoryError\n    all = nil\n  end\nend',
  'a large native rescued in a loop':
    't = "ab " * 20_000_000\nloop do\n  begin\n    all = []\n    loop { all.push(t.chars()) }\n  rescue MemoryError\n    all = nil\n  end\nend',
  split: 't = "a b " * 20_000_000\nall = []\nloop { all.push(t.split(" ")) }',
  'split at a regex': 't = "a,b;" * 20_000_000\nall = []\nloop { all.push(t.split(/[,;]/)) }',
  chars: 't = "ab" * 50_000_000\nall = []\nloop { all.push(t.chars()) }',
  lines: 't = "a\\n" * 50_000_000\nall = []\nloop { all.push(t.lines()) }',
  bytes: 't = "ab" * 50_000_000\nall = []\nloop { all.push(t.bytes()) }',
  'Bytes joined': 'b = Bytes("a" * 5_000_000)\nall = []\nloop { all.push(b + b) }',
  'small Bytes': 'all = []\nloop { all.push(Bytes([1, 2, 3])) }',
  'Bytes of a builder':
    'w = bytes_builder()\nb = Bytes("a" * 1000)\nall = []\nloop do\n  w.add(b)\n  all.push(w.to_bytes) if w.length % 1_000_000 == 0\nend',
  'Bytes decompressed': 'b = Bytes("\\0" * 20_000_000).gzip\nall = []\nloop { all.push(b.gunzip) }',
  'Bytes in hexadecimal': 'b = Bytes("a" * 20_000_000)\nall = []\nloop { all.push(b.hex) }',
  scan: 't = "ab " * 30_000_000\nall = []\nloop { all.push(t.scan(/a/)) }',
  'a text doubled':
    't = "x"\nall = []\nloop do\n  t = t.length < 100_000_000 ? t + t : "x"\n  all.push(t.upcase())\nend',
  'a text doubled by interpolation':
    't = "x"\nall = []\nloop do\n  t = t.length < 100_000_000 ? "#{t}#{t}" : "x"\n  all.push(t.upcase())\nend',
  'a vector doubled': 'v = [1, 2]\nall = []\nloop do\n  v = v.length < 20_000_000 ? v + v : [1, 2]\n  all.push(v)\nend',
  'a vector doubled by concat': 'v = [1, 2]\nloop { v.concat(v) }',
  'a vector pushed to': 'v = []\nloop { v.push(nil) }',
  'a hash that grows': 'h = {}\nn = 0\nloop { h["key #{n += 1}"] = n }',
  'gsub that grows': 't = "a" * 1000\nloop { t = t.gsub("a", "aaaaaaaa") }',
  'gsub with a block': 't = "a" * 1000\nloop { t = t.gsub(/a/) { |x| x * 8 } }',
  'texts repeated': 'all = []\nloop { all.push(("some text " * 5_000_000).upcase()) }',
  'vectors repeated': 'all = []\nloop { all.push([1, 2, 3] * 5_000_000) }',
  'ranges to vectors': 'all = []\nloop { all.push((1..10_000_000).to_a()) }',
  'flatten of shared vectors': 'v = [1, 2, 3]\n30.times { v = [v, v] }\nv.flatten().length.to_s()',
  'the text of shared vectors': 'v = [1, 2, 3]\n30.times { v = [v, v] }\nv.to_s().length.to_s()',
  'the inspection of shared hashes': 'v = {a: "x"}\n30.times { v = {a: v, b: v} }\nv.inspect().length.to_s()',
  'pretty printing of shared vectors': 'v = [1, 2, 3]\n30.times { v = [v, v] }\npp v\n"printed"',
  'a copy of shared vectors to a thread':
    'v = ["text"] * 1000\nall = []\nloop { all.push(await(spawn { v.map { |x| [x, v] } })) }',
  'map that builds texts': 'all = []\nloop { all.push((1..1_000_000).map { |i| "number #{i} of many" }) }',
  'closures kept': 'all = []\nloop do\n  v = [1, 2, 3]\n  all.push(-> { v.length })\nend',
  'channels filled': 'ch = channel(1_000_000_000)\nloop { ch.send("text " * 3 + "end") }',
  'threads that hold memory':
    'tasks = (1..200).map { |i| spawn { v = (1..1_000_000).map { |k| "#{i} #{k}" }\n sleep(1)\n v.length } }\nawait(tasks).sum().to_s()',
  'sort_by keys': 'v = (1..5_000_000).to_a()\nall = []\nloop { all.push(v.sort_by { |x| "key #{x}" }) }',
  group_by: 'all = []\nloop { all.push((1..1_000_000).group_by { |i| "group #{i}" }) }',
  'sort of many': 'v = (1..5_000_000).map { |i| (i * 7919) % 5_000_011 }\nall = []\nloop { all.push(v.sort()) }',
  csv_parse: 't = "id,name\\n" + "1,some name\\n" * 3_000_000\nall = []\nloop { all.push(csv_parse(t)) }',
  csv_dump: 'rows = (1..300_000).map { |i| [i, "name #{i}"] }\nall = []\nloop { all.push(csv_dump(rows)) }',
  base64: 't = "some text " * 5_000_000\nloop { t = base64_encode(t) }',
  url_encode: 't = "é" * 5_000_000\nloop { t = url_encode(t) }',
  html_escape: 't = "&" * 5_000_000\nloop { t = html_escape(t) }',
  'JSON parsed': 't = "[" + "[1, {\\"a\\": []}]," * 2_000_000 + "1]"\nall = []\nloop { all.push(json_parse(t)) }',
  combinations: 'all = []\nloop { all.push((1..3000).to_a().combination(2)) }',
  product: 'v = (1..3000).to_a()\nall = []\nloop { all.push(v.product(v)) }',
  paste: 'v = (1..1_000_000).to_a()\npaste(v, "x" * 1_000_000).length.to_s()',
  padding: 'all = []\nloop { all.push("x".ljust(50_000_000, "ab").upcase()) }',
  format: 'all = []\nloop { all.push(format("%050000000d", 1).upcase()) }',
  'errors with long messages':
    'all = []\nloop do\n  begin\n    raise "x" * 10_000_000 + all.length.to_s()\n  rescue => e\n    all.push(e.message.upcase())\n  end\nend',
  'large Integers': 'n = 3 ** 500_000\nall = []\nloop { all.push(n + all.length) }',
};

async function fill(t: Test, name: string, body: string, heap: number): Promise<void> {
  const { server, port } = await serve(
    t,
    `app = web_app()\napp.set("drain_seconds", 1)\n${ALIVE}app.get("/bomb") do |req|\n${scaled(body, heap)}\nend\napp.run(0)\n`,
    { env: { NODE_OPTIONS: `--max-old-space-size=${heap}` } },
  );
  await get(port, '/alive');
  const probe = new Probe(port, server.child.pid ?? null);
  const others = new Set<string>();
  for (let n = 0; n < TIMES; n++) {
    const { text } = await attack(port, `GET /bomb ${HEAD}Connection: close\r\n\r\n`, {
      patience: 120_000,
      enough: (text) => /\r\n\r\n./.test(text),
    });
    if (!/^HTTP\/1\.1 (200|500) /.test(text)) others.add(text.slice(0, 200));
    if (server.child.exitCode !== null || server.child.signalCode !== null) break;
  }
  await probe.end();
  const { stderr, exitCode } = await server.stop();
  const slowest = Math.max(...probe.latencies);
  if (process.env.SVC_SHOW !== undefined)
    t.comment(
      `${heap} MB, ${name}: ${probe.latencies.length} probes, slowest ${slowest.toFixed(0)} ms, exit ${exitCode}`,
    );
  t.strictSame([...others], [], 'each request gets an answer');
  t.strictSame(probe.wrong, [], 'other clients are answered');
  t.ok(slowest < MAX_ANSWER_MS, `slowest answer: ${slowest.toFixed(0)} ms of processor time`);
  t.equal(exitCode, 0, 'the server survives');
  t.notMatch(stderr, /internal error|heap out of memory|\.[jt]s:\d/, 'no internals in the log');
}

t.setTimeout(24 * 3_600_000);
t.jobs = WIDTH;
for (const heap of HEAPS) {
  for (const [name, body] of Object.entries(BOMBS)) {
    if (ONLY.test(name) && isInShare(name))
      t.test(`filling a heap of ${heap} MB: ${name}`, (t) => fill(t, name, body, heap));
  }
}

/** Size in MB of a heap in which no thread of the tests below has allocated much, compared with the heap. */
const WIDE_HEAP = 300;
const little = (texts: number, wait: string): string => `v = (1..${texts}).map { |k| "#{i} #{k}" }\n${wait}\nv.length`;

t.test('thousands of threads of a request that hold a little memory each', (t) =>
  fill(
    t,
    'little',
    `tasks = (1..5000).map { |i| spawn { ${little(3000, 'sleep(10)')} } }\nawait(tasks).sum().to_s()`,
    WIDE_HEAP,
  ),
);

t.test('thousands of requests that hold a little memory each', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("drain_seconds", 1)
${ALIVE}i = 0
held = channel(0)
app.get("/bomb") do |req|
${little(6000, 'held.recv')}
end
app.get("/release") { |req| held.close }
app.run(0)
`,
    { env: { NODE_OPTIONS: `--max-old-space-size=${WIDE_HEAP}` } },
  );
  const statuses = new Map<number | undefined, number>();
  const requests = Array.from({ length: 2500 }, async () => {
    const reply = await attack(port, `GET /bomb ${HEAD}Connection: close\r\n\r\n`, { patience: 120_000 });
    const [status] = reply.statuses;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 500 && statuses.get(500) === 1) await get(port, '/release');
  });
  await Promise.all(requests);
  t.strictSame(
    new Set(statuses.keys()),
    new Set([200, 500]),
    `each request gets an answer: ${[...statuses].join(' ')}`,
  );
  await alive(t, port, 'afterwards');
  const { stderr, exitCode } = await server.stop();
  t.equal(exitCode, 0, 'the server survives');
  t.notMatch(stderr, /internal error|heap out of memory|\.[jt]s:\d/, 'no internals in the log');
});
