import { MARKDOWN, TEMPLATE } from '../../tools/textmate/embedded.js';
import { SVC } from '../../tools/textmate/svc.js';

/** The grammars of Svc, and those of HTML, Markdown and what these embed. */
export async function allGrammars(): Promise<{ scopeName: string }[]> {
  const [html, markdown] = await Promise.all([import('shiki/langs/html.mjs'), import('shiki/langs/markdown.mjs')]);
  return [SVC, TEMPLATE, MARKDOWN, ...html.default, ...markdown.default];
}
