/** The script of the page of a profile. It makes elements by the DOM only: names of a program are never markup. */
export const SCRIPT = String.raw`'use strict';
{
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const ROW = 20, PAD = 4, LEAST = 0.4;
const frames = data.frames.map(([name, file, line, kind], index) => ({ index, name, file, line, kind, key: name.toLowerCase() + ' ' + file.toLowerCase() }));
const nodes = data.nodes.map(([parent, frame, self, lines]) => ({ parent: null, at: parent, frame: frames[frame], self, lines, total: self, children: [] }));
for (const node of nodes) if (node.at >= 0) { node.parent = nodes[node.at]; node.parent.children.push(node); }
for (let i = nodes.length - 1; i > 0; i--) nodes[i].parent.total += nodes[i].total;
for (const node of nodes) node.children.sort((a, b) => b.total - a.total);
const root = nodes[0];
let top = root, focus = root, chosen = null, hovered = null, term = '', boxes = [], width = 0;
const canvas = byId('flame'), details = byId('details'), search = byId('search'), out = byId('out'), group = byId('group');

function seconds(us) { return us >= 1e6 ? (us / 1e6).toFixed(2) + ' s' : us >= 1e3 ? (us / 1e3).toFixed(1) + ' ms' : Math.round(us) + ' µs'; }
function share(part, whole) { return whole === 0 ? '0 %' : (100 * part / whole).toFixed(1) + ' %'; }
function element(tag, text, name) { const e = document.createElement(tag); e.textContent = text; if (name) e.className = name; return e; }
function placeOf(frame) { return frame.file === '' ? (frame.kind === 'native' ? 'library, native' : frame.kind === 'library' ? 'library' : '') : frame.file + ':' + frame.line; }
function isMatch(frame) { return term !== '' && frame.key.includes(term); }

function colour(frame, dark) {
  let h = 0;
  for (let i = 0; i < frame.name.length; i++) h = (h * 31 + frame.name.charCodeAt(i)) >>> 0;
  const [hue, sat] = { function: [8 + h % 40, 75], library: [195 + h % 25, 45], native: [255 + h % 35, 35], group: [210, 8] }[frame.kind];
  return 'hsl(' + hue + ' ' + sat + '% ' + (dark ? 32 + h % 7 : 72 + h % 9) + '%)';
}

function depthOf(node) {
  let most = 1;
  const left = [[node, 1]];
  while (left.length > 0) {
    const [one, depth] = left.pop();
    if (depth > most) most = depth;
    if (depth < 1000) for (const child of one.children) if (child.total / Math.max(1, focus.total) * width >= LEAST) left.push([child, depth + 1]);
  }
  return most;
}

function layout() {
  boxes = [];
  const chain = [];
  for (let node = focus; node !== null; node = node === top ? null : node.parent) chain.unshift(node);
  chain.forEach((node, depth) => boxes.push({ node, x: 0, y: depth * ROW, w: width }));
  const left = [[focus, 0, chain.length - 1]];
  while (left.length > 0) {
    const [node, x, depth] = left.pop();
    let at = x;
    for (const child of node.children) {
      const w = child.total / Math.max(1, focus.total) * width;
      if (w < LEAST) break;
      boxes.push({ node: child, x: at, y: (depth + 1) * ROW, w });
      left.push([child, at, depth + 1]);
      at += w;
    }
  }
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  width = canvas.clientWidth || 600;
  let above = 0;
  for (let node = focus; node !== top; node = node.parent) above++;
  const height = Math.min(30000 / ratio, (above + depthOf(focus)) * ROW + 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + 'px';
  layout();
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const styles = getComputedStyle(document.documentElement);
  const c = canvas.getContext('2d');
  c.scale(ratio, ratio);
  c.font = '12px system-ui, sans-serif';
  c.textBaseline = 'middle';
  for (const { node, x, y, w } of boxes) {
    c.globalAlpha = term !== '' && !isMatch(node.frame) ? 0.35 : 1;
    c.fillStyle = isMatch(node.frame) ? styles.getPropertyValue('--match') : colour(node.frame, dark);
    c.fillRect(x, y, Math.max(0.5, w - (w > 3 ? 1 : 0)), ROW - 1);
    if (node === chosen || node === hovered) {
      c.globalAlpha = 1;
      c.strokeStyle = styles.getPropertyValue('--text');
      c.lineWidth = node === chosen ? 2 : 1;
      c.strokeRect(x + 1, y + 1, Math.max(1, w - 3), ROW - 3);
    }
    if (w < 28) continue;
    c.globalAlpha = 1;
    c.fillStyle = isMatch(node.frame) ? (dark ? '#000' : '#fff') : dark ? '#fff' : '#1c2430';
    let text = node === root ? 'all threads' : node.frame.name;
    const room = w - 2 * PAD;
    if (c.measureText(text).width > room) {
      let low = 0, high = text.length;
      while (low < high) { const m = (low + high + 1) >> 1; if (c.measureText(text.slice(0, m) + '…').width <= room) low = m; else high = m - 1; }
      text = low === 0 ? '' : text.slice(0, low) + '…';
    }
    c.fillText(text, x + PAD, y + ROW / 2);
  }
  out.disabled = focus === top;
}

function hotLines(frame) {
  const lines = new Map();
  let sum = 0;
  for (const node of nodes) if (node.frame === frame) for (const [line, time] of node.lines) { lines.set(line, (lines.get(line) || 0) + time); sum += time; }
  return [...lines].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([line, time]) => 'line ' + line + ' ' + share(time, sum)).join(', ');
}

function describe(node) {
  if (node === null) return;
  const { frame } = node;
  details.textContent = '';
  details.append(element('b', node === root ? 'all threads' : frame.name), ' ' + placeOf(frame));
  details.append(document.createElement('br'));
  const lines = hotLines(frame);
  details.append(seconds(node.total) + ' (' + share(node.total, top.total) + '), itself ' + seconds(node.self) + ' (' + share(node.self, top.total) + ')' + (lines === '' ? '' : '; ' + lines));
}

function nodeAt(event) {
  const area = canvas.getBoundingClientRect();
  const x = event.clientX - area.left - 1, y = event.clientY - area.top - 1;
  const box = boxes.find((b) => y >= b.y && y < b.y + ROW && x >= b.x && x < b.x + b.w);
  return box === undefined ? null : box.node;
}

function zoom(node) { focus = node; chosen = node; describe(node); draw(); }
function zoomOut() { if (focus !== top) zoom(focus.parent); }

canvas.addEventListener('mousemove', (event) => {
  const node = nodeAt(event);
  if (node === hovered) return;
  hovered = node;
  describe(node);
  draw();
});
canvas.addEventListener('mouseleave', () => { hovered = null; describe(chosen); draw(); });
canvas.addEventListener('click', (event) => { const node = nodeAt(event); if (node !== null) zoom(node); });
out.addEventListener('click', zoomOut);

function neighbour(step) {
  if (chosen === top || chosen.parent === null) return chosen;
  const all = chosen.parent.children, at = all.indexOf(chosen) + step;
  return all[Math.min(all.length - 1, Math.max(0, at))];
}
canvas.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (chosen === null) chosen = focus;
  let next = null;
  if (event.key === 'ArrowDown') next = chosen.children[0] || chosen;
  else if (event.key === 'ArrowUp') next = chosen === top ? chosen : chosen.parent;
  else if (event.key === 'ArrowRight') next = neighbour(1);
  else if (event.key === 'ArrowLeft') next = neighbour(-1);
  else if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); zoom(chosen); return; }
  else if (event.key === 'Escape' || event.key === 'Backspace') { event.preventDefault(); zoomOut(); return; }
  else return;
  event.preventDefault();
  chosen = next;
  if (!boxes.some((b) => b.node === chosen)) { focus = chosen.parent === null ? chosen : chosen.parent; }
  describe(chosen);
  draw();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === search || event.target === group) return;
  event.preventDefault();
  search.focus();
});

function matched() {
  let sum = 0;
  const left = [top];
  while (left.length > 0) {
    const node = left.pop();
    if (isMatch(node.frame) && node !== root) sum += node.total;
    else left.push(...node.children);
  }
  return sum;
}
search.addEventListener('input', () => {
  term = search.value.trim().toLowerCase();
  byId('matches').textContent = term === '' ? '' : 'found in ' + share(matched(), top.total);
  draw();
});
search.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  search.value = '';
  search.dispatchEvent(new Event('input'));
  canvas.focus();
});

function functionTable() {
  const totals = frames.map(() => 0), selves = frames.map(() => 0), open = frames.map(() => 0);
  const left = [[top, false]];
  while (left.length > 0) {
    const [node, isDone] = left.pop();
    const i = node.frame.index;
    if (isDone) { open[i]--; continue; }
    // A function that calls itself counts once.
    if (open[i]++ === 0) totals[i] += node.total;
    selves[i] += node.self;
    left.push([node, true]);
    for (const child of node.children) left.push([child, false]);
  }
  const rows = frames.filter((f) => f.kind !== 'group' && totals[f.index] > 0).sort((a, b) => selves[b.index] - selves[a.index] || totals[b.index] - totals[a.index]);
  const table = byId('functions');
  table.textContent = '';
  const head = document.createElement('tr');
  for (const [text, name] of [['itself', 'n'], ['', 'n'], ['with callees', 'n'], ['', 'n'], ['function', ''], ['place', '']]) head.append(element('th', text, name));
  table.append(head);
  for (const frame of rows.slice(0, 100)) {
    const row = document.createElement('tr'), i = frame.index;
    for (const text of [seconds(selves[i]), share(selves[i], top.total), seconds(totals[i]), share(totals[i], top.total)]) row.append(element('td', text, 'n'));
    const cell = document.createElement('td'), button = element('button', frame.name);
    button.type = 'button';
    button.addEventListener('click', () => { search.value = frame.name; search.dispatchEvent(new Event('input')); canvas.scrollIntoView({ block: 'nearest' }); });
    cell.append(button);
    row.append(cell, element('td', placeOf(frame), 'soft'));
    table.append(row);
  }
  if (rows.length === 0) table.append(element('caption', 'No samples: the program ran for too short a time.'));
}

function waitTable() {
  const table = byId('waits');
  table.textContent = '';
  const rows = data.waits.filter(([name]) => top === root || name === top.frame.name);
  const head = document.createElement('tr');
  for (const [text, name] of [['time', 'n'], ['times', 'n'], ['waits for', ''], ['place', ''], ['thread', '']]) head.append(element('th', text, name));
  table.append(head);
  for (const [name, what, where, count, ms] of rows.slice(0, 50)) {
    const row = document.createElement('tr');
    row.append(element('td', seconds(ms * 1000), 'n'), element('td', String(count), 'n'), element('td', what), element('td', where, 'soft'), element('td', name, 'soft'));
    table.append(row);
  }
}

function show(node) {
  top = focus = node;
  chosen = hovered = null;
  functionTable();
  waitTable();
  search.dispatchEvent(new Event('input'));
}
[root, ...root.children].forEach((node, i) => {
  const option = element('option', (i === 0 ? 'all threads' : node.frame.name) + ' (' + share(node.total, root.total) + ')');
  option.value = String(nodes.indexOf(node));
  group.append(option);
});
group.addEventListener('change', () => show(nodes[Number(group.value)]));
byId('summary').textContent = seconds(root.total) + ' in ' + data.samples + ' samples; the process used ' + seconds(data.cpu) + ' of processor time';
new ResizeObserver(() => draw()).observe(document.body);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
show(root);
}
`;
