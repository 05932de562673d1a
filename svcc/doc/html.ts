import type { DocItem } from '../../compiler/analysis/documentation.js';
import { isDocumented, type Page } from './markdown.js';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
pre{overflow:auto;padding:.7rem 1rem;border-radius:.4rem;background:#8881}code{font:.9em ui-monospace,monospace}
h1,h2,h3{line-height:1.25;margin-top:2rem}nav ul{columns:2;padding-left:1.2rem}a{color:LinkText}section section{margin-left:1rem}`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** Emphasis, code and links of a line; everything else is text. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, i) => {
      if (i % 2 === 1) return `<code>${escaped(part.slice(1, -1))}</code>`;
      return escaped(part)
        .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replace(/(?<!\w)[*_]([^*_\s](?:[^*_]*[^*_\s])?)[*_](?!\w)/g, '<em>$1</em>')
        .replace(/\[([^\]]+)\]\(((?:https?:\/\/|#|\.{0,2}\/)[^\s()]*)\)/g, '<a href="$2">$1</a>');
    })
    .join('');
}

function codeOf(lines: readonly string[]): string {
  return `<pre><code>${escaped(lines.join('\n'))}</code></pre>`;
}

const FENCE = /^\s*```/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const HEADING = /^(#{1,6})\s+(.*)$/;

/** The Markdown of comments as HTML: paragraphs, lists, headings, code. HTML in it is shown as text. */
export function htmlOfMarkdown(markdown: string): string {
  const out: string[] = [];
  const lines = markdown.split('\n');
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    const heading = HEADING.exec(line);
    const from = i;
    if (line.trim() === '') i++;
    else if (FENCE.test(line)) {
      do i++;
      while (i < lines.length && !FENCE.test(lines[i]));
      out.push(codeOf(lines.slice(from + 1, i)));
      i++;
    } else if (heading !== null) {
      out.push(`<p><strong>${inline(heading[2])}</strong></p>`);
      i++;
    } else if (ITEM.test(line)) {
      const items: string[] = [];
      for (; i < lines.length && lines[i].trim() !== '' && !FENCE.test(lines[i]); i++)
        if (ITEM.test(lines[i])) items.push(lines[i].replace(ITEM, ''));
        else items[items.length - 1] += ` ${lines[i].trim()}`;
      const tag = /^\s*\d/.test(line) ? 'ol' : 'ul';
      out.push(`<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`);
    } else {
      while (
        i < lines.length &&
        lines[i].trim() !== '' &&
        !FENCE.test(lines[i]) &&
        (i === from || !ITEM.test(lines[i]))
      )
        i++;
      out.push(`<p>${inline(lines.slice(from, i).join(' '))}</p>`);
    }
  }
  return out.join('\n');
}

function anchor(path: string, name: string): string {
  return encodeURIComponent(`${path}-${name}`).replaceAll(/[%'()*!~]/g, '_');
}

function sectionOf(path: string, { name, signature, doc, members }: DocItem, level: number): string {
  const inner = members.map((member) => sectionOf(path, { ...member, name: `${name}.${member.name}` }, level + 1));
  return [
    `<section id="${anchor(path, name)}"><h${level}>${escaped(name)}</h${level}>`,
    codeOf([signature]),
    doc === '' ? '' : htmlOfMarkdown(doc),
    ...inner,
    '</section>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function partOf({ path, doc: { introduction, items } }: Page): string {
  const documented = items.filter(isDocumented);
  const others = items.filter((item) => !isDocumented(item));
  const links = documented.map(
    ({ name }) => `<li><a href="#${anchor(path, name)}"><code>${escaped(name)}</code></a></li>`,
  );
  return [
    `<h1>${escaped(path)}</h1>`,
    htmlOfMarkdown(introduction),
    links.length > 1 ? `<nav><ul>${links.join('')}</ul></nav>` : '',
    ...documented.map((item) => sectionOf(path, item, 2)),
    others.length === 0 ? '' : `<h2>Without documentation</h2>\n${codeOf(others.map(({ signature }) => signature))}`,
    items.length === 0 ? '<p>This file offers no names to others.</p>' : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** A page that needs no other files. */
function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** The documentation of files as one page. */
export function htmlOf(pages: readonly Page[]): string {
  return htmlPage(pages.length === 1 ? pages[0].path : 'Documentation', pages.map(partOf).join('\n<hr>\n'));
}

/** A page with links to others. */
export function htmlIndex(links: readonly { path: string; href: string }[]): string {
  const items = links.map(({ path, href }) => `<li><a href="${escaped(encodeURI(href))}">${escaped(path)}</a></li>`);
  return htmlPage('Documentation', `<h1>Documentation</h1>\n<ul>\n${items.join('\n')}\n</ul>`);
}
