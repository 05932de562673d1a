/** The input of the program `accesses`: lines of an access log, the same ones at every call. */
import { closeSync, openSync, writeSync } from 'node:fs';

const AREAS = ['/', '/items', '/items/', '/users/', '/search?q=', '/static/app-', '/api/orders/', '/login'];
const USERS = ['-', '-', '-', 'ann', 'bob', 'cleo', 'dan', 'eve'];
const STATUSES = [200, 200, 200, 200, 200, 200, 201, 304, 302, 404, 403, 500];
/** Characters that are written at once. */
const CHUNK = 1 << 20;

/** The minimal generator of Lehmer, which every program of the suite uses. */
function random(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 16_807) % 2_147_483_647;
    return state % n;
  };
}

function* lines(): Generator<string> {
  const below = random(20_260_328);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)];
  let second = 0;
  for (;;) {
    second += below(3) === 0 ? 1 : 0;
    const [hour, minute, rest] = [Math.floor(second / 3600) % 24, Math.floor(second / 60) % 60, second % 60];
    const time = [hour, minute, rest].map((n) => String(n).padStart(2, '0')).join(':');
    const area = pick(AREAS);
    const path = /[/=-]$/.test(area) && area !== '/' ? `${area}${below(200)}` : area;
    const status = pick(STATUSES);
    const request = below(400) === 0 ? '-' : `${below(5) === 0 ? 'POST' : 'GET'} ${path} HTTP/1.1`;
    const bytes = status === 304 ? 0 : below(40_000);
    const ms = below(20) === 0 ? below(3000) : below(120);
    yield `10.0.${below(4)}.${below(250)} - ${pick(USERS)} [28/Mar/2026:${time} +0000] "${request}" ${status} ${bytes} ${ms}\n`;
  }
}

/** Writes a log of at least so many bytes. */
export function writeAccessLog(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  let written = 0;
  let text = '';
  for (const line of lines()) {
    text += line;
    const isEnough = written + text.length >= bytes;
    if (text.length < CHUNK && !isEnough) continue;
    written += writeSync(file, text);
    text = '';
    if (isEnough) break;
  }
  closeSync(file);
}
