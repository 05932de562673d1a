import { MARKDOWN, TEMPLATE } from './textmate/embedded.js';
import type { Grammar } from './textmate/grammar.js';
import { SVC } from './textmate/svc.js';

const FOLDER = 'editors/vscode/syntaxes';
const NOTE = ['Written by `npm run generate` from tools/textmate/; do not edit.'];

/** The grammars of the extension for VS Code. */
export function generateEditors(): Map<string, string> {
  const files: Record<string, Grammar> = { svc: SVC, 'svc-template': TEMPLATE, 'svc-markdown': MARKDOWN };
  return new Map(
    Object.entries(files).map(([name, grammar]) => [
      `${FOLDER}/${name}.tmLanguage.json`,
      `${JSON.stringify({ information_for_contributors: NOTE, ...grammar }, null, 2)}\n`,
    ]),
  );
}
