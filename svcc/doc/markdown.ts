import type { DocItem, FileDoc } from '../../compiler/analysis/documentation.js';

/** A file and its documentation. */
export interface Page {
  path: string;
  doc: FileDoc;
}

/** The documentation of a file as Markdown. */
export function markdownOf({ path, doc: { introduction, items } }: Page): string {
  const documented = items.filter(isDocumented);
  const others = items.filter((item) => !isDocumented(item));
  const parts = [`# ${path}`, closed(introduction), ...documented.flatMap((item) => sectionOf(item, '##'))];
  if (others.length > 0) parts.push('## Without documentation', fenced(others.map(({ signature }) => signature)));
  if (items.length === 0) parts.push('This file offers no names to others.');
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Whether there is a comment on a name or on one of its methods. */
export function isDocumented({ doc, members }: DocItem): boolean {
  return doc !== '' || members.some((member) => member.doc !== '');
}

function fenced(lines: readonly string[]): string {
  return `\`\`\`svc\n${lines.join('\n')}\n\`\`\``;
}

/** The start of a block of code, or its end: up to three blanks, three or more signs, what follows. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/** The text of a comment, whose last block of code ends with it: it would contain the rest of the page. */
function closed(markdown: string): string {
  let open = '';
  for (const line of markdown.split('\n')) {
    const [, signs = '', rest = ''] = FENCE.exec(line) ?? [];
    if (open === '') open = signs;
    else if (signs.startsWith(open) && rest.trim() === '') open = '';
  }
  return open === '' ? markdown : `${markdown}\n${open}`;
}

function sectionOf({ name, signature, doc, members }: DocItem, level: string): string[] {
  const documented = members.filter((member) => member.doc !== '');
  const others = members.filter((member) => member.doc === '');
  return [
    `${level} ${name.replaceAll(/[\\`*_<[\]]/g, '\\$&')}`,
    fenced([signature]),
    closed(doc),
    ...documented.flatMap((member) => sectionOf({ ...member, name: `${name}.${member.name}` }, `${level}#`)),
    ...(others.length === 0
      ? []
      : [`Methods without documentation:`, fenced(others.map((member) => member.signature))]),
  ];
}
