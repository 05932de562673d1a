/** The script of the inspector's page. It makes elements by the DOM only: names of a program are never markup. */
export const SCRIPT = String.raw`'use strict';
{
const PERIOD = 1000;
const byId = (id) => document.getElementById(id);
const address = location.pathname.replace(/\/+$/, '') + '/data';
let paused = false, last = null, timer = 0;

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}
function put(node, text) { if (node.textContent !== text) node.textContent = text; }
function duration(ms) {
  if (ms < 1) return (ms * 1000).toFixed(0) + ' µs';
  if (ms < 1000) return (ms < 10 ? ms.toFixed(1) : ms.toFixed(0)) + ' ms';
  const s = ms / 1000;
  if (s < 60) return s.toFixed(1) + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min ' + Math.floor(s % 60) + ' s';
  return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
}
function size(bytes) { return bytes < 2 ** 30 ? (bytes / 2 ** 20).toFixed(1) + ' MiB' : (bytes / 2 ** 30).toFixed(1) + ' GiB'; }
function count(n) { return Math.round(n).toLocaleString('en-US'); }
function rate(n) { return n === 0 ? '0' : n < 10 ? n.toFixed(1) : count(n); }

/** Fills a table: columns are [title, class], rows are lists of texts. Cells that stay the same are not touched. */
function fill(table, columns, rows, empty) {
  if (table.tHead === null) {
    const head = table.createTHead().insertRow();
    for (const [title, name] of columns) { const cell = element('th', title, name); cell.scope = 'col'; head.append(cell); }
    table.createTBody();
  }
  const body = table.tBodies[0];
  const shown = rows.length === 0 ? [{ cells: [empty] }] : rows;
  while (body.rows.length > shown.length) body.deleteRow(-1);
  shown.forEach(({ cells, name }, i) => {
    const row = body.rows[i] || body.insertRow();
    row.className = name || '';
    while (row.cells.length > cells.length) row.deleteCell(-1);
    cells.forEach((text, j) => {
      const cell = row.cells[j] || row.insertCell();
      cell.className = rows.length === 0 ? 'soft' : columns[j][1] || '';
      cell.colSpan = rows.length === 0 ? columns.length : 1;
      put(cell, text);
    });
  });
}

function totals(data) {
  // The first time, the mean since the start.
  const cpu = last === null || last.pid !== data.pid ? data.cpu / data.uptime : (data.cpu - last.cpu) / Math.max(1, data.uptime - last.uptime);
  const { memory, threads, requests, sockets } = data;
  const values = [
    ['Requests', rate(requests.perSecond) + ' /s', count(requests.total) + ' answered, ' + count(requests.underWay) + ' under way'],
    ['Processor', (100 * cpu).toFixed(0) + ' %', duration(data.cpu) + ' since the start'],
    ['Threads', count(threads.total), count(threads.ready) + ' ready, ' + count(threads.waiting) + ' wait, at most ' + count(threads.limit)],
    ['Heap', size(memory.heap), 'of ' + size(memory.heapLimit)],
    ['Memory', size(memory.rss), size(memory.external) + ' outside of the heap'],
  ];
  if (sockets.routes.length > 0) values.push(['WebSockets', count(sockets.open), count(sockets.opened) + ' since the start']);
  const list = byId('totals');
  while (list.children.length > values.length) list.lastChild.remove();
  values.forEach(([title, value, more], i) => {
    let box = list.children[i];
    if (!box) {
      box = element('div');
      const text = element('dd');
      text.append(element('span'), element('small'));
      box.append(element('dt'), text);
      list.append(box);
    }
    put(box.firstChild, title);
    put(box.lastChild.firstChild, value);
    put(box.lastChild.lastChild, more);
  });
}

const threads = new Map();
function newThread(id) {
  const box = element('details'), summary = element('summary'), parts = { box, what: element('b'), state: element('span'), stack: element('pre') };
  summary.append(parts.what, parts.state);
  box.append(summary, parts.stack);
  threads.set(id, parts);
  return parts;
}
function showThreads(data) {
  const which = byId('which').value, term = byId('filter').value.trim().toLowerCase();
  const shown = data.threads.shown.filter((thread) => {
    const state = thread.state === 'waiting' ? 'waiting' : 'ready';
    const text = [thread.id, thread.label, thread.waitsFor, ...thread.stack].join('\n').toLowerCase();
    return (which === '' || which === state) && (term === '' || text.includes(term));
  });
  const list = byId('threads'), ids = new Set(shown.map((thread) => thread.id));
  for (const [id, { box }] of threads) if (!ids.has(id)) { box.remove(); threads.delete(id); }
  shown.forEach((thread, i) => {
    const parts = threads.get(thread.id) || newThread(thread.id);
    put(parts.what, thread.id + ' ' + thread.label);
    const state = thread.state === 'waiting' ? 'has waited ' + duration(thread.waited) + ' for ' + thread.waitsFor : 'runs';
    put(parts.state, ': ' + state + ', ' + duration(thread.age) + ' old, ' + count(thread.steps) + (thread.steps === 1 ? ' step' : ' steps') + (thread.stack.length > 0 ? ', ' + thread.stack[0] : ''));
    put(parts.stack, thread.stack.length > 0 ? thread.stack.join('\n') : 'no function of the program');
    // Moving an element takes its focus away.
    if (list.children[i] !== parts.box) list.insertBefore(parts.box, list.children[i] || null);
  });
  const hidden = data.threads.total - data.threads.shown.length;
  put(byId('more'), (shown.length === 0 ? 'No thread matches. ' : '') + (hidden > 0 ? count(hidden) + ' more threads are not shown.' : ''));
  put(byId('waits'), data.threads.waits.map(({ what, count: n }) => count(n) + (n === 1 ? ' waits for ' : ' wait for ') + what).join(', '));
}

function show(data) {
  document.title = data.program + ' – Inspector';
  put(byId('title'), data.program === '' ? 'Inspector' : data.program);
  put(byId('process'), 'process ' + data.pid + (data.group === data.pid ? '' : ', a worker of ' + data.group) + ', port ' + data.port + ', running for ' + duration(data.uptime));
  totals(data);
  const n = 'n';
  fill(byId('routes'), [['Route', 'name'], ['/s', n], ['Requests', n], ['Under way', n], ['p50', n], ['p99', n], ['Mean steps', n], ['Most steps', n], ['Failed', 'n failures']],
    data.routes.map((r) => ({ name: r.failed > 0 ? 'failed' : '', cells: [r.route, rate(r.perSecond), count(r.total), count(r.underWay), ...(r.total === 0 ? ['', '', '', ''] : [duration(r.p50), duration(r.p99), count(r.steps / r.total), count(r.mostSteps)]), count(r.failed)] }))
      .concat(data.otherRoutes > 0 ? [{ cells: [count(data.otherRoutes) + ' more'] }] : []), 'No request so far.');
  const others = data.requests.underWay - data.requests.shown.length;
  fill(byId('requests'), [['Route', 'name'], ['Age', n], ['Steps', n], ['Handler', ''], ['Request id', 'soft']],
    data.requests.shown.map((r) => ({ cells: [r.route, duration(r.age), count(r.steps), r.doing, r.id] })).concat(others > 0 ? [{ cells: [count(others) + ' more'] }] : []), 'None.');
  showThreads(data);
  byId('sockets-section').hidden = data.sockets.routes.length === 0;
  fill(byId('sockets'), [['Route', 'name'], ['Open', n]], data.sockets.routes.map((r) => ({ cells: [r.route, count(r.open)] })), 'None.');
  const { rooms, otherRooms } = data.sockets;
  fill(byId('rooms'), [['Room', ''], ['Members', n]], rooms.map((r) => ({ cells: [r.name, count(r.members)] })).concat(otherRooms > 0 ? [{ cells: [count(otherRooms) + ' more'] }] : []), 'No rooms.');
  byId('resources-section').hidden = data.resources.length === 0;
  fill(byId('resources'), [['Database', 'name'], ['Connections', n], ['Waiting', n], ['Statements', n], ['Mean time', n]],
    data.resources.map((r) => ({ cells: [r.name, count(r.connections), count(r.waiting), count(r.operations), r.operations === 0 ? '' : duration(1000 * r.seconds / r.operations)] })), 'None.');
  last = data;
}

function state(text, isBad) {
  put(byId('state'), text);
  byId('state').className = isBad ? 'bad' : 'soft';
}
async function update() {
  clearTimeout(timer);
  if (paused || document.hidden) return;
  try {
    const response = await fetch(address, { cache: 'no-store', signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(await response.text());
    const data = await response.json();
    if (!paused) { show(data); state('live', false); }
  } catch (error) {
    if (!paused) state(error instanceof TypeError || error.name === 'TimeoutError' ? 'no answer' : 'refused', true);
  }
  timer = setTimeout(update, PERIOD);
}
byId('pause').addEventListener('click', () => {
  paused = !paused;
  byId('pause').setAttribute('aria-pressed', String(paused));
  state(paused ? 'paused' : 'live', false);
  if (!paused) update();
});
for (const id of ['which', 'filter']) byId(id).addEventListener('input', () => { if (last !== null) showThreads(last); });
document.addEventListener('visibilitychange', () => { if (!document.hidden) update(); });
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
  if (event.key === '/') { event.preventDefault(); byId('filter').focus(); }
  if (event.key === 'p') byId('pause').click();
});
update();
}
`;
