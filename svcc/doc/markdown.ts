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
  const parts = [`# ${path}`, introduction, ...documented.flatMap((item) => sectionOf(item, '##'))];
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

function sectionOf({ name, signature, doc, members }: DocItem, level: string): string[] {
  const documented = members.filter((member) => member.doc !== '');
  const others = members.filter((member) => member.doc === '');
  return [
    `${level} ${name.replaceAll(/[\\`*_<[\]]/g, '\\$&')}`,
    fenced([signature]),
    doc,
    ...documented.flatMap((member) => sectionOf({ ...member, name: `${name}.${member.name}` }, `${level}#`)),
    ...(others.length === 0
      ? []
      : [`Methods without documentation:`, fenced(others.map((member) => member.signature))]),
  ];
}
