/**
 * Effect on other requests of four handlers that endlessly repeat one operation on values of a megabyte: latencies of a
 * probe of 50 requests per second, delay of `timeout`, and time for the server to stop. `npx tsx
 * bench/fairness/operators.ts [PART]` selects the operations that contain PART.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '../shared/server.js';
import { median, quantile } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { VALUES, WORKS } from './works.js';

const LOOPS = 4;
const PROBES = Number(process.env.PROBES ?? 100);
const PROBE_MS = 20;
const DRAIN_SECONDS = 1;
const ONLY = process.argv[2] ?? '';
const works = WORKS.filter((work) => work.includes(ONLY));

const program = `${VALUES}
works = [
${works.map((work) => `  ->() { ${work.replaceAll('\n', '; ')} }`).join(',\n')}
]
app = web_app()
app.set("drain_seconds", ${DRAIN_SECONDS})
app.get("/loop/:n") do |req|
  work = works[to_int(req.params["n"])]
  loop { work() }
end
app.get("/probe") { |req| "ok" }
app.get("/timeout/:n") do |req|
  work = works[to_int(req.params["n"])]
  start = clock_ms()
  begin
    timeout(0.2) { loop { work() } }
  rescue TimeoutError
    next (clock_ms() - start - 200).to_s()
  rescue e
    next e.to_s()
  end
end
app.run
`;

const agent = new Agent({ keepAlive: true });

/** Milliseconds until the whole response has arrived, and its body. */
function ask(port: number, path: string): Promise<{ ms: number; body: string }> {
  return new Promise((done, failed) => {
    const start = performance.now();
    get({ port, host: '127.0.0.1', path, agent }, (res) => {
      let body = '';
      res.on('data', (data: Buffer) => (body += data.toString()));
      res.on('end', () => done({ ms: performance.now() - start, body }));
    }).on('error', failed);
  });
}

function startLoops(port: number, work: number): (() => void)[] {
  return Array.from({ length: LOOPS }, () => {
    const request = get({ port, host: '127.0.0.1', path: `/loop/${work}`, agent: false }, (res) => res.resume()).on(
      'error',
      () => {},
    );
    return () => void request.destroy();
  });
}

/** Latencies of an open-loop probe, in milliseconds. */
async function probe(port: number): Promise<number[]> {
  const answers: Promise<{ ms: number }>[] = [];
  const start = performance.now();
  for (let i = 0; i < PROBES; i++) {
    await sleep(Math.max(0, start + i * PROBE_MS - performance.now()));
    answers.push(ask(port, '/probe'));
  }
  return (await Promise.all(answers)).map(({ ms }) => ms);
}

const folder = mkdtempSync(join(tmpdir(), 'svc-operators-'));
const file = join(folder, 'app.svc');
writeFileSync(file, program);
const rows: { p99: number; cells: string[] }[] = [];
const all: number[] = [];
const server = await Server.start(() => ['dist/svcc.js', 'run', file]);
try {
  for (let i = 0; i < works.length; i++) {
    const stop = startLoops(server.port, i);
    await sleep(300);
    const latencies = await probe(server.port);
    const late: number[] = [];
    for (let n = 0; n < 3; n++) late.push(Number((await ask(server.port, `/timeout/${i}`)).body));
    for (const end of stop) end();
    await sleep(200);
    const idle = (await ask(server.port, '/probe')).ms;
    all.push(...latencies);
    const p99 = quantile(latencies, 0.99);
    rows.push({
      p99,
      cells: [
        works[i].replaceAll('\n', '; '),
        digits(median(latencies)),
        digits(p99),
        digits(Math.max(...latencies)),
        digits(Math.max(...late)),
        digits(idle),
      ],
    });
    console.error(rows[rows.length - 1].cells.join(' | '));
  }
  // The loops of the last operation run while the server stops.
  startLoops(server.port, works.length - 1);
  await sleep(300);
  const seconds = await server.terminate();
  console.log(
    `SIGTERM beside ${LOOPS} loops: the process ended after ${seconds.toFixed(2)} s (drain_seconds is ${DRAIN_SECONDS}).`,
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
  agent.destroy();
}
console.log(`All works together: p50 ${digits(median(all))} ms, p99 ${digits(quantile(all, 0.99))} ms.`);
rows.sort((a, b) => b.p99 - a.p99);
console.log(
  table(
    [`beside ${LOOPS} loops of`, 'p50 ms', 'p99 ms', 'max ms', 'timeout late, ms', 'probe after, ms'],
    rows.map(({ cells }) => cells),
  ),
);
