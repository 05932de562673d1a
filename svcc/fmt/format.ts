import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { problem } from '../../compiler/diagnostics/problem.js';
import { parseWithTokens } from '../../compiler/parse.js';
import { hasMarks } from './marks.js';
import { Program } from './program.js';
import { isSameProgram } from './verify.js';

export type Formatted = { text: string } | { diagnostics: Diagnostic[] };

/** Formats a program. One that does not parse has diagnostics instead of a text. */
export function formatText(original: string, name: string): Formatted {
  const text = original.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const { diagnostics, read } = parseWithTokens(name, text);
  if (diagnostics.length > 0 || read === null) return { diagnostics };
  if (hasMarks(text)) return { text };
  try {
    const program = new Program(text, read);
    const comments = program.comments();
    const printed = program.print();
    return isSameProgram(text, read, comments, printed)
      ? { text: printed }
      : failure(name, 'it would change the program');
  } catch (error) {
    return failure(name, String(error));
  }
}

/** A bug of the formatter: the program stays as it is. */
function failure(file: string, why: string): Formatted {
  const message = `the formatter failed: ${why}`;
  const hint = 'please report it together with this program';
  return {
    diagnostics: [{ ...problem('internal-error', message, 0, 0, [], hint), file, severity: 'error' }],
  };
}
