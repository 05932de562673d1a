import { PAGE_STYLE, pagePolicy } from '../../natives/pages.js';
import type { Profile, SampledFrame } from '../../vm/watch/profile.js';
import { SCRIPT } from './pagescript.js';

const STYLE = `${PAGE_STYLE}
.bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .4rem 0 }
.bar label { display: flex; gap: .4rem; align-items: center; min-width: 0 }
canvas { display: block; width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 6px; cursor: pointer }
#details { min-height: 3.2em; margin: .4rem 0; overflow-wrap: anywhere } #details b { font-weight: 600 }
td button { border: 0; background: none; padding: 0; text-align: left; color: var(--accent); overflow-wrap: anywhere }
#matches { min-width: 9em }
`;

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A page that shows a profile without any other file. */
export function profilePage(profile: Profile, program: string, cpuMicroseconds: number): string {
  const data = JSON.stringify(dataOf(profile, cpuMicroseconds)).replace(/</g, '\\u003c');
  const policy = pagePolicy(SCRIPT, STYLE);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Profile of ${escapeHtml(program)}</title><style>${STYLE}</style></head>
<body><header><h1>Profile of ${escapeHtml(program)}</h1><p id="summary"></p></header>
<main>
<div class="bar"><label>Show <select id="group"></select></label>
<label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label><span id="matches" class="soft" role="status"></span>
<button id="out" type="button">Zoom out</button></div>
<canvas id="flame" tabindex="0" role="application" aria-label="Flame graph. Arrow keys choose a function, Enter zooms in, Escape zooms out." aria-describedby="details"></canvas>
<p id="details" role="status" class="soft">Choose a function: point at it, or use the arrow keys. Click or Enter zooms in, Escape zooms out, / searches.</p>
<h2>Functions</h2><div class="tables"><table id="functions"></table></div>
<h2>Waiting</h2><p class="soft">Time in which threads waited, which takes no processor time; all threads together.</p><div class="tables"><table id="waits"></table></div>
<noscript><p>The flame graph needs JavaScript.</p></noscript>
</main>
<script type="application/json" id="data">${data}</script>
<script>${SCRIPT}</script></body></html>
`;
}

/** What the script reads: nodes as `[parent, frame, self, lines]`, parents first, by their indexes. */
function dataOf({ nodes, waits, samples }: Profile, cpu: number): object {
  const frames = new Map<SampledFrame, number>();
  const rows = nodes.map(({ parent, frame, self, lines }) => {
    if (!frames.has(frame)) frames.set(frame, frames.size);
    return [parent === null ? -1 : parent.id - 1, frames.get(frame), self, [...lines]];
  });
  const longest = [...waits.values()].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 200);
  return {
    cpu,
    samples: samples.length,
    frames: [...frames.keys()].map(({ name, file, line, kind }) => [name, file, line, kind]),
    nodes: rows,
    waits: longest.map(({ group, what, where, count, milliseconds }) => [group, what, where, count, milliseconds]),
  };
}
