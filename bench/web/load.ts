/** Load from wrk: requests of a scenario over keep-alive connections. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scenario } from './scenarios.js';

const CONNECTIONS = 50;

export interface Load {
  requests: number;
  seconds: number;
}

export function wrkIsInstalled(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

const luaText = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;

function script({ body }: Scenario, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`);
  if (body !== undefined) lines.push('wrk.method = "POST"', `wrk.body = ${luaText(body)}`);
  const path = join(mkdtempSync(join(tmpdir(), 'svc-bench-')), 'requests.lua');
  writeFileSync(path, lines.join('\n'));
  return path;
}

/**
 * Headers that a client sends with every request: those of the scenario, and the cookie from a first response. Throws
 * if that response is wrong.
 */
export async function prepared(scenario: Scenario, port: number): Promise<Record<string, string>> {
  const url = `http://127.0.0.1:${port}${scenario.path}`;
  const method = scenario.body === undefined ? 'GET' : 'POST';
  const headers = { ...scenario.headers };
  const first = await fetch(url, { method, headers, body: scenario.body });
  await first.arrayBuffer();
  const cookies = first.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  if (cookies.length > 0) headers.Cookie = cookies.join('; ');
  const second = await fetch(url, { method, headers, body: scenario.body });
  const body = await second.text();
  if (second.status !== 200 || !scenario.right(body))
    throw new Error(`wrong answer in ${scenario.name}: ${second.status} ${body.slice(0, 200)}`);
  return headers;
}

/** Runs wrk for a number of seconds. Throws if a request failed. */
export async function load(
  scenario: Scenario,
  headers: Record<string, string>,
  port: number,
  seconds: number,
): Promise<Load> {
  const child = spawn('wrk', [
    '-t1',
    // Of 500 connections that open at once, some wait more than wrk's two seconds until the system takes them.
    '--timeout=10s',
    `-c${scenario.connections ?? CONNECTIONS}`,
    `-d${seconds}s`,
    '-s',
    script(scenario, headers),
    `http://127.0.0.1:${port}${scenario.path}`,
  ]);
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await new Promise((done) => child.once('close', done));
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`requests failed:\n${output}`);
  const [, requests, elapsed] = /(\d+) requests in ([\d.]+)s/.exec(output) ?? [];
  if (requests === undefined) throw new Error(`wrk printed:\n${output}`);
  return { requests: Number(requests), seconds: Number(elapsed) };
}
