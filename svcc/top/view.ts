import type { Inspected, RequestData, RouteData, ThreadData } from '../../natives/web/inspector/data.js';
import { visible } from '../../vm/values/text/visible.js';

/** The data that `svcc top` shows at one time. */
export interface Frame {
  data: Inspected;
  /** Process numbers of those that answered. */
  pids: readonly number[];
  /** Process numbers of those that did not answer. */
  silent: readonly number[];
  /** Processors in use: 1.5 is one and a half. */
  cpu: number;
}

/** Maximum rows of each table if the number of rows is not limited. */
const ROUTES = 20;
const REQUESTS = 10;
const THREADS = 15;
/** Rows above the tables; rows of the title of a table and the empty row before it. */
const HEAD = 5;
const TITLE = 2;
/** Maximum characters of a cell. */
const MAX_CELL = 40;

/** A row. Its kind decides its colour. */
export interface Row {
  text: string;
  kind: 'head' | 'title' | 'failed' | 'plain';
}

function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  return s < 3600
    ? `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`
    : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

function count(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

function size(bytes: number): string {
  return bytes < 1 << 30 ? `${(bytes / (1 << 20)).toFixed(1)} MiB` : `${(bytes / (1 << 30)).toFixed(1)} GiB`;
}

function rate(n: number): string {
  return n > 0 && n < 10 ? n.toFixed(1) : count(n);
}

function plural(n: number, word: string): string {
  return `${count(n)} ${word}${n === 1 ? '' : 's'}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

/** Makes the lines of a table. Columns whose title ends with `>` are right-aligned; only the last one may be wide. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [titles.map((title) => title.replace('>', '')), ...rows.map((row) => row.map(visible))];
  const widths = titles.map((_, i) => Math.min(MAX_CELL, Math.max(...all.map((row) => row[i].length))));
  return all.map((row) =>
    row
      .map((cell, i) => {
        if (i === row.length - 1 && !titles[i].endsWith('>')) return cell;
        const text = cut(cell, widths[i]);
        return titles[i].endsWith('>') ? text.padStart(widths[i]) : text.padEnd(widths[i]);
      })
      .join('  ')
      .trimEnd(),
  );
}

function head({ data, pids, silent, cpu }: Frame): string[] {
  const { memory, threads, requests, sockets, resources } = data;
  const who =
    pids.length === 1 && data.group === data.pid
      ? `process ${data.pid}`
      : `process ${data.group}, ${plural(pids.length, 'worker')}: ${pids.join(', ')}`;
  const waits = threads.waits.map(({ what, count: n }) => `${count(n)} ${what}`).join(', ');
  const more = [
    ...(sockets.routes.length > 0
      ? [`WebSockets: ${count(sockets.open)} open, ${count(sockets.opened)} since the start`]
      : []),
    ...resources.map(
      ({ name, connections, waiting, operations, seconds }) =>
        `${name}: ${plural(connections, 'connection')}, ${count(waiting)} waiting, ${plural(operations, 'statement')}${operations === 0 ? '' : ` of ${duration((1000 * seconds) / operations)}`}`,
    ),
  ].join('   ');
  return [
    `${data.program}: ${who}, port ${data.port}, up ${duration(data.uptime)}${silent.length === 0 ? '' : `; no answer from ${silent.join(', ')}`}`,
    `requests: ${rate(requests.perSecond)} /s, ${count(requests.total)} answered, ${count(requests.underWay)} under way   processor: ${Math.round(cpu * 100)} %   memory: ${size(memory.rss)}, heap ${size(memory.heap)} of ${size(memory.heapLimit)}`,
    `threads: ${count(threads.total)} of at most ${count(threads.limit)}, ${count(threads.ready)} ready${waits === '' ? '' : `; waiting for: ${waits}`}`,
    ...(more === '' ? [] : [more]),
  ].map(visible);
}

function routeCells(r: RouteData): string[] {
  const answered = [duration(r.p50), duration(r.p99), count(r.steps / r.total), count(r.mostSteps)];
  const known = r.total === 0 ? answered.map(() => '') : answered;
  return [r.route, rate(r.perSecond), count(r.total), count(r.underWay), ...known, count(r.failed)];
}

function requestCells({ route, age, steps, id, doing }: RequestData): string[] {
  return [route, duration(age), count(steps), id, doing];
}

function threadCells({ id, label, state, waitsFor, waited, age, steps, stack }: ThreadData): string[] {
  const doing = state === 'waiting' ? `has waited ${duration(waited)} for ${waitsFor}` : 'ready';
  return [String(id), label, duration(age), count(steps), doing, stack[0] ?? ''];
}

/** A table of the screen. `others` is the number of elements for which it has no row. */
interface Part {
  lines: string[];
  failed: boolean[];
  others: number;
  what: string;
}

function partsOf({ routes, otherRoutes, requests, threads }: Inspected): Part[] {
  return [
    {
      lines: table(
        ['ROUTE', '/S>', 'REQUESTS>', 'UNDER WAY>', 'P50>', 'P99>', 'MEAN STEPS>', 'MOST STEPS>', 'FAILED>'],
        routes.map(routeCells),
      ),
      failed: routes.map(({ failed }) => failed > 0),
      others: otherRoutes,
      what: 'route',
    },
    {
      lines: table(['REQUEST', 'AGE>', 'STEPS>', 'ID', 'HANDLER'], requests.shown.map(requestCells)),
      failed: [],
      others: requests.underWay - requests.shown.length,
      what: 'request',
    },
    {
      lines: table(['ID>', 'THREAD', 'AGE>', 'STEPS>', 'STATE', 'PLACE'], threads.shown.map(threadCells)),
      failed: [],
      others: threads.total - threads.shown.length,
      what: 'thread',
    },
  ];
}

/** Distributes rows among tables: reduces the largest ones until all fit. @param most maximum rows of each table */
function share(rows: number, wanted: readonly number[], most: readonly number[]): number[] {
  const given = wanted.map((n, i) => Math.min(n, most[i]));
  for (let over = given.reduce((a, b) => a + b, 0) - rows; over > 0; over--) given[given.indexOf(Math.max(...given))]--;
  return given.map((n) => Math.max(0, n));
}

/** Makes the rows of a frame. @param rows maximum number; Infinity: the output is no terminal */
export function rowsOf(frame: Frame, rows: number, columns: number): Row[] {
  const parts = partsOf(frame.data);
  const top = head(frame);
  const wanted = parts.map(({ lines, others }) => lines.length - 1 + (others > 0 ? 1 : 0));
  const most = rows === Infinity ? [ROUTES, REQUESTS, THREADS] : wanted;
  const room = rows === Infinity ? Infinity : rows - Math.max(HEAD, top.length) - TITLE * parts.length;
  const given = share(room, wanted, most);
  const all: Row[] = top.map((text) => ({ text, kind: 'head' }));
  parts.forEach((part, i) => all.push(...partRows(part, given[i])));
  return all.slice(0, rows).map(({ text, kind }) => ({ text: cut(text, columns), kind }));
}

function partRows({ lines: [title, ...lines], failed, others, what }: Part, room: number): Row[] {
  const hidden = others + lines.length > room ? others + lines.length - Math.max(0, room - 1) : others;
  const shown = lines.length + others - hidden;
  return [
    { text: '', kind: 'plain' },
    { text: title, kind: 'title' },
    ...lines.slice(0, shown).map((text, i): Row => ({ text, kind: failed[i] ? 'failed' : 'plain' })),
    ...(hidden > 0 ? [{ text: `… ${plural(hidden, `more ${what}`)}`, kind: 'plain' as const }] : []),
  ];
}
