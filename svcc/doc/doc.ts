import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { documentationOf } from '../../compiler/analysis/documentation.js';
import { renderDiagnostic } from '../../compiler/diagnostics/render.js';
import { parse } from '../../compiler/parse.js';
import { reasonOf } from '../../natives/reasons.js';
import type { Streams } from '../host.js';
import { readSource } from '../load.js';
import { LoadError } from '../loaderror.js';
import { programsBelow } from './files.js';
import { htmlIndex, htmlOf } from './html.js';
import { markdownOf, type Page } from './markdown.js';

/** Flags of `svcc doc`. */
export interface DocFlags {
  html?: boolean;
  output?: string;
}

/**
 * `svcc doc`: prints the documentation of programs, or writes a page for each into a folder. Without files: all below
 * the working directory. Exit codes: 0 done; 1 a file does not parse; 2 a file cannot be read or written, or
 * `output` names a file.
 */
export function doc(given: readonly string[], { html = false, output }: DocFlags, streams: Streams): number {
  const file = output === undefined ? null : /\.(?:md|html)$/.exec(output);
  if (file !== null) {
    const flag = file[0] === '.html' ? ' --html' : '';
    streams.stderr(`error: -o names a folder, got ${output}; for one file write: svcc doc${flag} FILE > ${output}\n`);
    return 2;
  }
  let code = 0;
  const pages: Page[] = [];
  try {
    const files = (given.length === 0 ? ['.'] : given).flatMap((path) =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? programsBelow(path) : [path],
    );
    for (const path of files) {
      const text = readSource(path);
      const { module, diagnostics } = parse(path, text);
      for (const diagnostic of diagnostics) streams.stderr(`${renderDiagnostic(diagnostic, text)}\n`);
      if (diagnostics.length > 0) code = 1;
      pages.push({ path, doc: documentationOf({ text, tree: module }) });
    }
  } catch (error) {
    // Beside files, folders may be unreadable.
    streams.stderr(error instanceof LoadError ? `${error.message}\n` : `cannot read the files: ${reasonOf(error)}\n`);
    return 2;
  }
  if (output === undefined) {
    streams.stdout(html ? htmlOf(pages) : pages.map(markdownOf).join('\n'));
    return code;
  }
  try {
    write(pages, html, output);
  } catch (error) {
    streams.stderr(`cannot write to ${output}: ${reasonOf(error)}\n`);
    return 2;
  }
  streams.stdout(`${pages.length} ${pages.length === 1 ? 'page' : 'pages'} in ${output}\n`);
  return code;
}

/** Writes a page for each file, and one that lists them. */
function write(pages: readonly Page[], html: boolean, output: string): void {
  const ending = html ? '.html' : '.md';
  const links = pages.map((page) => {
    const inside = relative('.', resolve(page.path))
      .split(sep)
      .filter((part) => part !== '..');
    return { page, path: page.path, href: `${inside.join('/').replace(/\.svc$/, '')}${ending}` };
  });
  for (const { page, href } of links) save(join(output, href), html ? htmlOf([page]) : markdownOf(page));
  const list = links.map(({ path, href }) => `- [${path}](<${href}>)\n`).join('');
  save(join(output, `index${ending}`), html ? htmlIndex(links) : `# Documentation\n\n${list}`);
}

function save(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
