import { branchShare, type FileCounts, lineShare, linesOf, percent, type Share, sum } from './merge.js';

/** A file with its text. */
export interface SourceCounts {
  readonly counts: FileCounts;
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ENTITIES[c]).replace(/[\x00-\x08\x0b-\x1f]/g, '\ufffd');
}

const STYLE = `:root{color-scheme:light dark;--line:#8884;--good:#2a95;--bad:#e335;--part:#ea04}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
summary{cursor:pointer;padding:.4rem 0;font-weight:600}
.code{overflow-x:auto;font:13px/1.45 ui-monospace,monospace}
.code table{width:auto;min-width:100%}.code td{border:0;padding:0 .6rem;white-space:pre}
.code .n{opacity:.65}.hit .count{background:var(--good)}.miss td{background:var(--bad)}.part td{background:var(--part)}
.note{font:12px system-ui,sans-serif;opacity:.8}`;

function cells(share: Share): string {
  return `<td class="n">${percent(share)}</td><td class="n">${share.hit}/${share.all}</td>`;
}

function row(name: string, lines: Share, branches: Share): string {
  return `<tr><td>${name}</td>${cells(lines)}${cells(branches)}</tr>\n`;
}

/** Ways that were not taken, by line. */
function notTaken({ branches }: FileCounts): Map<number, string[]> {
  const notes = new Map<number, string[]>();
  for (const { line, arms } of branches)
    for (const { what, count } of arms) if (count === 0) notes.set(line, [...(notes.get(line) ?? []), what]);
  return notes;
}

function listing({ counts, text }: SourceCounts): string {
  const lines = linesOf(counts);
  const notes = notTaken(counts);
  return text
    .split('\n')
    .map((source, i) => {
      const count = lines.get(i + 1);
      const missed = notes.get(i + 1);
      const kind = count === 0 ? 'miss' : missed !== undefined ? 'part' : count === undefined ? '' : 'hit';
      const note = missed === undefined ? '' : `<span class="note">  never: ${html(missed.join(', '))}</span>`;
      return `<tr class="${kind}"><td class="n">${i + 1}</td><td class="n count">${count ?? ''}</td><td>${html(source)}${note}</td></tr>`;
    })
    .join('\n');
}

/** A page with all files, which needs no other file. */
export function page(files: readonly SourceCounts[]): string {
  const all = files.map(({ counts }) => counts);
  const rows = all.map((counts, i) =>
    row(`<a href="#f${i}">${html(counts.path)}</a>`, lineShare(counts), branchShare(counts)),
  );
  const parts = files.map(
    (file, i) =>
      `<details id="f${i}" open><summary>${html(file.counts.path)}</summary><div class="code"><table>\n${listing(file)}\n</table></div></details>\n`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Coverage</title><style>${STYLE}</style></head><body>
<h1>Coverage</h1>
<table><thead><tr><th>File</th><th class="n" colspan="2">Lines</th><th class="n" colspan="2">Branches</th></tr></thead><tbody>
${rows.join('')}${row('<strong>All files</strong>', sum(all.map(lineShare)), sum(all.map(branchShare)))}</tbody></table>
${parts.join('')}</body></html>
`;
}
