/** Maximum columns of help. */
const WIDTH = 78;
/** Maximum columns of the first part of a row. */
const MAX_HEAD = 30;

/** A text broken into lines, each after `indent`. */
export function folded(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, indent + line].join('\n');
}

/** Rows of words and their descriptions, in two columns. */
export function rows(list: readonly (readonly [head: string, text: string])[]): string {
  const width = Math.min(MAX_HEAD, Math.max(...list.map(([head]) => head.length))) + 4;
  return list
    .map(([head, text]) => {
      const lines = folded(text, ' '.repeat(width));
      return head.length + 4 > width ? `  ${head}\n${lines}` : `  ${head}`.padEnd(width) + lines.slice(width);
    })
    .join('\n');
}
