/** Renders the page of jobs as HTML and CSS without scripts. */
import { escapeHtml } from '../../web/pages/escaping.js';
import { type ListedJob, STATES } from '../listing.js';
import type { Count } from '../store.js';

/** Maximum characters shown of a job's data. */
const MAX_DATA = 2000;

export const STYLE = `
:root { color-scheme: light dark; --line: #d8dde4; --soft: #5b6675; --bad: #b3261e; --back: #f6f7f9; --card: #fff; --link: #1557b0 }
@media (prefers-color-scheme: dark) { :root { --line: #3a424d; --soft: #9aa6b5; --bad: #ff8a80; --back: #15191e; --card: #1d2228; --link: #8ab4f8 } }
* { box-sizing: border-box } body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem; background: var(--back) }
h1 { font-size: 1.4rem; margin: 0 0 1rem } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem } p { color: var(--soft) }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line) }
th, td { padding: .45rem .8rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top } th { font-weight: 600; color: var(--soft) }
.n { text-align: right; font-variant-numeric: tabular-nums } .bad { color: var(--bad); font-weight: 600 } a { color: var(--link) }
nav { display: flex; flex-wrap: wrap; gap: .4rem; margin: 1.4rem 0 .8rem } nav a { padding: .25rem .8rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); text-decoration: none }
nav a[aria-current] { border-color: var(--link); font-weight: 600 } td time { white-space: nowrap } .error { overflow-wrap: anywhere }
pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem } summary { cursor: pointer }
button { font: inherit; padding: .2rem .9rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); color: inherit; cursor: pointer }
`;

/** The content of the page. */
export interface View {
  readonly label: string;
  readonly counts: readonly Count[];
  readonly state: string;
  /** The name whose jobs are listed; null: all. */
  readonly name: string | null;
  /** Number of the page, from 1. */
  readonly page: number;
  readonly jobs: readonly ListedJob[];
  /** Whether there are further pages. */
  readonly hasMore: boolean;
  /** The last part of the page's path, for links that also work below a prefix. */
  readonly here: string;
  /** A hidden field for forms; empty without sessions. */
  readonly token: string;
}

function link({ here }: View, state: string, name: string | null, page = 1): string {
  const query = new URLSearchParams({ state });
  if (name !== null) query.set('name', name);
  if (page > 1) query.set('page', String(page));
  return escapeHtml(`./${here}?${query.toString()}`);
}

function table(head: string, rows: readonly string[]): string {
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>\n`;
}

function overview(view: View): string {
  const names = [...new Set(view.counts.map(({ name }) => name))].sort();
  if (names.length === 0) return '<p>There are no jobs.</p>\n';
  const count = (name: string, state: string): number =>
    view.counts.find((entry) => entry.name === name && entry.state === state)?.count ?? 0;
  const cell = (name: string, state: string): string => {
    const n = count(name, state);
    if (n === 0) return '<td class="n">0</td>';
    return `<td class="n"><a${state === 'dead' ? ' class="bad"' : ''} href="${link(view, state, name)}">${n}</a></td>`;
  };
  const head = `<th scope="col">Name</th>${STATES.map((state) => `<th scope="col" class="n">${state}</th>`).join('')}`;
  const rows = names.map(
    (name) => `<tr><th scope="row">${escapeHtml(name)}</th>${STATES.map((state) => cell(name, state)).join('')}</tr>`,
  );
  return table(head, rows);
}

function tabs(view: View): string {
  const links = STATES.map((state) => {
    const total = view.counts
      .filter((entry) => entry.state === state && (view.name === null || entry.name === view.name))
      .reduce((sum, { count }) => sum + count, 0);
    const current = state === view.state ? ' aria-current="page"' : '';
    return `<a href="${link(view, state, view.name)}"${current}>${state} ${total}</a>`;
  });
  return `<nav aria-label="States">${links.join('\n')}</nav>\n`;
}

function time(ms: number | null): string {
  if (ms === null) return '';
  const date = new Date(ms);
  // JavaScript cannot represent this date.
  if (Number.isNaN(date.getTime())) return String(ms);
  const text = date.toISOString();
  return `<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')}</time>`;
}

function details({ data, error, key, priority, createdAt }: ListedJob): string {
  const shown = data.length > MAX_DATA ? `${data.slice(0, MAX_DATA)}…` : data;
  const facts = [
    key === null ? '' : `key ${escapeHtml(key)}`,
    priority === 0 ? '' : `priority ${priority}`,
    `pushed ${time(createdAt)}`,
  ];
  const [first = ''] = error?.split('\n', 1) ?? [];
  const summary = error === null ? 'data' : `<span class="error">${escapeHtml(first)}</span>`;
  const trace = error === null ? '' : `<pre>${escapeHtml(error)}</pre>`;
  return `<details><summary>${summary}</summary>${trace}<pre>${escapeHtml(shown)}</pre><p>${facts.filter((fact) => fact !== '').join(' · ')}</p></details>`;
}

function retryForm({ here, token, state, name }: View, { id, name: own }: ListedJob): string {
  const filter = name === null ? '' : `<input type="hidden" name="name" value="${escapeHtml(name)}">`;
  return `<form method="post" action="./${escapeHtml(here === '' ? '' : `${here}/`)}retry">${token}<input type="hidden" name="id" value="${id}"><input type="hidden" name="state" value="${state}">${filter}<button aria-label="Retry job ${id}, ${escapeHtml(own)}">Retry</button></form>`;
}

function list(view: View): string {
  const { jobs, state, page, hasMore, name } = view;
  const title = `<h2>Jobs ${state === 'dead' ? 'that failed for good' : `that are ${state}`}${name === null ? '' : `: ${escapeHtml(name)}`}</h2>\n`;
  if (jobs.length === 0) return `${title}<p>There are none.</p>\n`;
  const canRetry = state === 'dead' || state === 'scheduled';
  const when = state === 'dead' ? 'Died' : state === 'scheduled' ? 'Runs' : 'Due';
  const head = `<th scope="col" class="n">Id</th><th scope="col">Name</th><th scope="col" class="n">Attempts</th><th scope="col">${when} (UTC)</th><th scope="col">Details</th>${canRetry ? '<th scope="col"></th>' : ''}`;
  const rows = jobs.map((job) => {
    const retry = canRetry ? `<td>${retryForm(view, job)}</td>` : '';
    return `<tr><td class="n">${job.id}</td><td>${escapeHtml(job.name)}</td><td class="n">${job.attempt}</td><td>${time(state === 'dead' ? job.endedAt : job.runAt)}</td><td>${details(job)}</td>${retry}</tr>`;
  });
  const links = [
    page > 1 ? `<a rel="prev" href="${link(view, state, name, page - 1)}">previous</a>` : '',
    hasMore ? `<a rel="next" href="${link(view, state, name, page + 1)}">next</a>` : '',
  ].join('');
  return `${title}${table(head, rows)}${links === '' ? '' : `<nav aria-label="Pages">${links}</nav>\n`}`;
}

/** The page as HTML. */
export function pageOf(view: View): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jobs</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Jobs of ${escapeHtml(view.label)}</h1>
${overview(view)}${tabs(view)}${list(view)}</main>
</body>
</html>
`;
}
