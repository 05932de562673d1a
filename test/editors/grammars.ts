import { MARKDOWN, TEMPLATE } from '../../tools/textmate/embedded.js';
import { SVC } from '../../tools/textmate/svc.js';

/** Scope names of the grammars into which others are injected, with those. */
export const INJECTIONS = { 'text.html.markdown': [MARKDOWN.scopeName] };

/** The grammars of Svc, and those of HTML, Markdown and what these embed. */
export async function allGrammars(): Promise<{ scopeName: string }[]> {
  const [html, markdown] = await Promise.all([import('shiki/langs/html.mjs'), import('shiki/langs/markdown.mjs')]);
  return [SVC, TEMPLATE, MARKDOWN, ...html.default, ...markdown.default];
}
