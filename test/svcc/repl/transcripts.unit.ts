import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { TestSession } from './session.js';

const FOLDER = join(import.meta.dirname, 'transcripts');

/** Inputs, whose lines begin with `> `, each with what it must print. Empty lines do not count. */
function parts(text: string): { lines: string[]; output: string }[] {
  const found: { lines: string[]; output: string }[] = [];
  let isOutput = true;
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) continue;
    if (line.startsWith('>')) {
      if (isOutput) found.push({ lines: [], output: '' });
      found[found.length - 1].lines.push(line.slice(2));
      isOutput = false;
    } else if (line !== '') {
      found[found.length - 1].output += `${line}\n`;
      isOutput = true;
    }
  }
  return found;
}

for (const name of readdirSync(FOLDER))
  t.test(name, async (t) => {
    const session = new TestSession();
    for (const { lines, output } of parts(readFileSync(join(FOLDER, name), 'utf8')))
      t.equal((await session.take(...lines)).replace(/\n{2,}/g, '\n'), output, lines.join('\n'));
    await session.end();
  });
