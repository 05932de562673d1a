import { PAGE_STYLE, pagePolicy } from '../../pages.js';
import { SCRIPT } from './pagescript.js';

const STYLE = `${PAGE_STYLE}
header { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center } header div { flex: 1 1 16rem; min-width: 0 }
#state { min-width: 5em } #state.bad { color: var(--accent); font-weight: 600 }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .6rem; margin: .4rem 0 }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .7rem; min-width: 0 }
dt { color: var(--soft); font-size: .85rem } dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere } dd small { font-size: .8rem; color: var(--soft); display: block }
th { color: var(--soft); font-weight: 600; white-space: nowrap } td.name { font-family: ui-monospace, monospace; white-space: nowrap } .tables { max-width: 100% }
#requests td { white-space: nowrap } table + table { margin-top: .6rem }
tr.failed td.failures { color: var(--accent); font-weight: 600 }
details { border-bottom: 1px solid var(--line); padding: .2rem 0 } summary { cursor: pointer; overflow-wrap: anywhere } summary b { font-weight: 600 }
pre { font: .85rem/1.4 ui-monospace, monospace; margin: .2rem 0 .4rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
.bar { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .4rem 0 } p { margin: .3rem 0 } section[hidden] { display: none }
`;

/** Content-Security-Policy of the page: allows its own script and style, and its data. */
export const POLICY = `${pagePolicy(SCRIPT, STYLE, "connect-src 'self'; ")}; frame-ancestors 'none'`;

/** The page of `app.inspect`. It loads nothing but its data. */
export const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Inspector</title><style>${STYLE}</style></head>
<body><header><div><h1 id="title">Inspector</h1><p id="process"></p></div><p id="state" role="status"></p><button id="pause" type="button" aria-pressed="false">Pause</button></header>
<main>
<dl id="totals"></dl>
<section aria-labelledby="h-routes"><h2 id="h-routes">Routes</h2><div class="tables" tabindex="0" role="region" aria-labelledby="h-routes"><table id="routes"></table></div>
<p class="soft">Rates are those of the last 10 seconds, latencies those of the last minute. Steps measure the instructions of a request: each call of a function is one, and each iteration of a loop, or more if its body is long.</p></section>
<section aria-labelledby="h-requests"><h2 id="h-requests">Requests under way</h2><div class="tables" tabindex="0" role="region" aria-labelledby="h-requests"><table id="requests"></table></div></section>
<section aria-labelledby="h-threads"><h2 id="h-threads">Threads</h2><p id="waits" class="soft"></p>
<div class="bar"><label>Show <select id="which"><option value="">all</option><option value="ready">those that run</option><option value="waiting">those that wait</option></select></label>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label></div>
<div id="threads"></div><p id="more" class="soft"></p></section>
<section id="sockets-section" aria-labelledby="h-sockets" hidden><h2 id="h-sockets">WebSockets</h2><div class="tables" tabindex="0" role="region" aria-labelledby="h-sockets"><table id="sockets"></table><table id="rooms"></table></div></section>
<section id="resources-section" aria-labelledby="h-resources" hidden><h2 id="h-resources">Databases</h2><div class="tables" tabindex="0" role="region" aria-labelledby="h-resources"><table id="resources"></table></div></section>
<noscript><p>The page needs JavaScript.</p></noscript>
</main><script>${SCRIPT}</script></body></html>
`;
