/** Converts a long text in Markdown to HTML: headings, paragraphs, lists, quotes, code, tables, and marks inside of lines. */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text) {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char]);
}

function inline(text) {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 2 ? `<code>${escape(part.slice(1, -1))}</code>` : marked(escape(part)),
    )
    .join('');
}

function marked(text) {
  return text
    .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, '<img alt="$1" src="$2">')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(/\*(.+?)\*/g, '<em>$1</em>');
}

class Converter {
  pos = 0;
  out = [];
  headings = [];
  ids = new Map();

  constructor(lines) {
    this.lines = lines;
  }

  convert() {
    while (this.pos < this.lines.length) this.block();
    return this.out.join('\n');
  }

  block() {
    const line = this.lines[this.pos];
    if (/^\s*$/.test(line)) {
      this.pos++;
    } else if (/^```/.test(line)) {
      this.code(line.slice(3).trim());
    } else if (/^#{1,6} /.test(line)) {
      this.heading(line);
    } else if (/^(-{3,}|\*{3,})$/.test(line)) {
      this.out.push('<hr>');
      this.pos++;
    } else if (/^>/.test(line)) {
      this.quote();
    } else if (/^[-*] /.test(line)) {
      this.list('ul', /^[-*] +/);
    } else if (/^\d+\. /.test(line)) {
      this.list('ol', /^\d+\. +/);
    } else if (/^\|/.test(line)) {
      this.table();
    } else {
      this.paragraph();
    }
  }

  /** The lines from here that match, without what matches. */
  taken(pattern) {
    const found = [];
    while (this.pos < this.lines.length && pattern.test(this.lines[this.pos])) {
      found.push(this.lines[this.pos].replace(pattern, ''));
      this.pos++;
    }
    return found;
  }

  code(language) {
    this.pos++;
    const found = [];
    while (this.pos < this.lines.length && !this.lines[this.pos].startsWith('```')) {
      found.push(escape(this.lines[this.pos]));
      this.pos++;
    }
    this.pos++;
    this.out.push(`<pre><code class="${language}">${found.join('\n')}</code></pre>`);
  }

  heading(line) {
    const level = line.indexOf(' ');
    const title = line.slice(level).trim();
    let id = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const count = (this.ids.get(id) ?? 0) + 1;
    this.ids.set(id, count);
    if (count > 1) id = `${id}-${count}`;
    this.headings.push({ level, title, id });
    this.out.push(`<h${level} id="${id}">${inline(title)}</h${level}>`);
    this.pos++;
  }

  quote() {
    const inner = new Converter(this.taken(/^> ?/));
    this.out.push(`<blockquote>\n${inner.convert()}\n</blockquote>`);
  }

  list(tag, marker) {
    this.out.push(`<${tag}>`);
    for (const item of this.taken(marker)) this.out.push(`<li>${inline(item)}</li>`);
    this.out.push(`</${tag}>`);
  }

  table() {
    const rows = this.taken(/^\|/).map((row) =>
      row
        .replace(/\|$/, '')
        .split('|')
        .map((cell) => cell.trim()),
    );
    this.out.push('<table>');
    for (const [i, row] of rows.entries()) {
      if (i === 1) continue;
      const cell = i === 0 ? 'th' : 'td';
      this.out.push(`<tr>${row.map((text) => `<${cell}>${inline(text)}</${cell}>`).join('')}</tr>`);
    }
    this.out.push('</table>');
  }

  paragraph() {
    const found = [];
    while (this.pos < this.lines.length && !/^\s*$|^#{1,6} |^```|^[>|]|^[-*] /.test(this.lines[this.pos])) {
      found.push(inline(this.lines[this.pos].trim()));
      this.pos++;
    }
    this.out.push(`<p>${found.join('\n')}</p>`);
  }
}

const section = (n) => `\
${'#'.repeat((n % 3) + 1)} Section ${n % 10}: *Notes* & <more>

This is the **first** line of part ${n}, with \`code < ${n}\` and a [link](/pages/${n}?a=1&b=2).
It goes on with *some words*, an image ![of ${n}](/images/${n}.png), and "quotes".

- first item with **bold ${n}**
- second item, \`x && y\`
- third

> Someone said *${n}* times:
> **nothing** is as it seems.
>
> 1. really
> 2. truly

\`\`\`svc
if ${n} < 5 && ready
  puts "<ok>"
end
\`\`\`

| name | value |
|---|---|
| a${n} | **${n * 7}** |
| b | \`${n}\` |

---
`;

const sections = [];
for (let n = 1; n <= Number(process.argv[2]); n++) sections.push(section(n));
const source = sections.join('\n');
const converter = new Converter(source.trimEnd().split('\n'));
const html = converter.convert();
console.log(`${source.length} characters of Markdown, ${html.length} of HTML, ${converter.headings.length} headings`);
let checksum = 7;
for (const char of html) checksum = (checksum * 31 + char.codePointAt(0)) % 1_000_003;
console.log(checksum);
const last = converter.headings.slice(-2).map(({ level, id }) => `${level} ${id}`);
console.log(`[${last.join(', ')}]`);
console.log(html.slice(0, 700));
