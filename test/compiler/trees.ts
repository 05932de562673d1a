import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TreeCase {
  source: string;
  expected: string;
}

/** Reads `fixtures/trees.txt`: each case is a source, `=> `, and the sketches of its statements. Empty lines separate cases. */
export function treeCases(): TreeCase[] {
  const text = readFileSync(join(import.meta.dirname, 'fixtures', 'trees.txt'), 'utf8');
  return text
    .trimEnd()
    .split(/\n\n(?=\S)/)
    .map((part) => {
      const at = part.lastIndexOf('\n=> ');
      return { source: part.slice(0, at).replaceAll('⏎', '\n'), expected: part.slice(at + 4) };
    });
}
