/** Builds texts: wrapped and justified paragraphs, a table, an index of words, a letter for each customer. */
const SYLLABLES = ['ka', 'to', 'mi', 'ren', 'sol', 'da', 'vu', 'pel', 'or', 'ans', 'ti', 'gre', 'bo', 'len', 'ma'];
const TEMPLATE = `\
Dear {{title}} {{name}},

you have bought {{count}} things for {{total}} in {{city}}. {{remark}}
Your number is {{number}}; {{missing}} is left empty.
`;

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }
}

const times = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const capitalize = (text) => text[0].toUpperCase() + text.slice(1);

function word(random) {
  return times(random.below(3) + 1, () => SYLLABLES[random.below(SYLLABLES.length)]).join('');
}

function sentence(random) {
  const words = times(5 + random.below(10), () => word(random));
  words[random.below(words.length)] += ',';
  return `${capitalize(words.join(' '))}.`;
}

function paragraph(random) {
  return times(4 + random.below(4), () => sentence(random)).join(' ');
}

function wrap(text, width) {
  const lines = [];
  let line = '';
  for (const part of text.split(/\s+/)) {
    if (line === '') {
      line = part;
    } else if (line.length + 1 + part.length <= width) {
      line += ` ${part}`;
    } else {
      lines.push(line);
      line = part;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Fills the gaps of a line up to the width, the first ones more. */
function justify(line, width) {
  const words = line.split(/\s+/);
  if (words.length < 2) return line;
  const gaps = words.length - 1;
  const blanks = width - words.reduce((sum, { length }) => sum + length, 0);
  let text = words[0];
  for (let i = 1; i < words.length; i++) {
    text += ' '.repeat(Math.floor(blanks / gaps) + (i <= blanks % gaps ? 1 : 0)) + words[i];
  }
  return text;
}

function table(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const lines = [rule];
  for (const [n, row] of rows.entries()) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])));
    lines.push(`| ${cells.join(' | ')} |`);
    if (n === 0) lines.push(rule);
  }
  lines.push(rule);
  return lines.join('\n');
}

function index(pages) {
  const found = new Map();
  for (const [i, page] of pages.entries()) {
    const parts = page
      .toLowerCase()
      .replace(/[^a-z\s]/g, '')
      .split(/\s+/);
    for (const part of new Set(parts)) {
      if (!found.has(part)) found.set(part, []);
      found.get(part).push(i + 1);
    }
  }
  return found;
}

function letter(values) {
  return TEMPLATE.replace(/\{\{(\w+)\}\}/g, (_, name) => String(values[name] ?? ''));
}

function shifted(char, by) {
  if (char >= 'a' && char <= 'z') return String.fromCodePoint(((char.codePointAt(0) - 97 + by) % 26) + 97);
  if (char >= 'A' && char <= 'Z') return String.fromCodePoint(((char.codePointAt(0) - 65 + by) % 26) + 65);
  return char;
}

function caesar(text, by) {
  return Array.from(text, (char) => shifted(char, by)).join('');
}

const pages = Number(process.argv[2]);
const random = new Random(17);
const out = [];
const texts = times(pages, () => paragraph(random));
for (const [i, text] of texts.entries()) {
  const lines = wrap(text, 60);
  out.push(`${i + 1}. `.padStart(6) + justify(lines[0], 54));
  for (const line of lines.slice(1, -1)) out.push(justify(line, 60));
  out.push(lines.at(-1), '');
}

const words = index(texts);
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const common = [...words].sort(([a, m], [b, n]) => n.length - m.length || byText(a, b)).slice(0, 8);
const rows = common.map(([part, places]) => [part, ...[places.length, places[0], places.at(-1)].map(String)]);
out.push(table([['word', 'pages', 'first', 'last'], ...rows]));

for (let i = 1; i <= pages; i++) {
  out.push(
    letter({
      title: i % 2 === 0 ? 'Ms' : 'Mr',
      name: capitalize(word(random)),
      count: i % 7,
      total: (i * 1.25).toFixed(2),
      city: word(random).toUpperCase(),
      remark: i % 3 === 0 ? 'Thank you!' : '',
      number: String(i * 37).padStart(6, '0'),
    }),
  );
}

const text = out.join('\n');
const secret = caesar(text, 7);
if (caesar(secret, 19) !== text) throw new Error('the secret is lost');
const lines = text.trimEnd().split('\n').length;
console.log(`${pages} pages, ${text.length} characters, ${lines} lines, ${words.size} words`);
let checksum = 1;
for (const char of secret) checksum = (checksum * 33 + char.codePointAt(0)) % 1_000_003;
console.log(checksum);
console.log(text.slice(0, 400));
console.log(table(rows.slice(0, 3)));
process.stdout.write(out.at(-1));
