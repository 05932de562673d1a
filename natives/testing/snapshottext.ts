/** Begins the line with the name of a snapshot. */
const HEAD = '=== ';
/** Lines that version control leaves between two versions of a text. */
const CONFLICT = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;
/** Maximum number of characters of a line that a message shows. */
const MAX_SHOWN = 60;

/** What a file of snapshots holds. */
export interface SnapshotText {
  /** Texts of values, by name. */
  snapshots: Map<string, string>;
  /** What is wrong with the first line that is no part of a snapshot; null if there is none. */
  problem: { line: number; text: string } | null;
  /** Whether lines end with CRLF, as version control may write them. */
  hasCrLf: boolean;
}

/** Reads the text of a file with snapshots: lines of values are indented, so that none is taken for a name. */
export function parseSnapshots(text: string): SnapshotText {
  const snapshots = new Map<string, string>();
  const firstEnd = text.indexOf('\n');
  const hasCrLf = firstEnd > 0 && text[firstEnd - 1] === '\r';
  let problem: SnapshotText['problem'] = null;
  let name: string | null = null;
  let lines: string[] = [];
  /** Empty lines since the last line of the value: part of it if another one follows. Editors drop the indentation. */
  let empty = 0;
  const end = (): void => {
    if (name !== null) snapshots.set(name, lines.join('\n'));
    lines = [];
    empty = 0;
  };
  const damaged = (line: number, what: string): void => {
    problem ??= { line, text: what };
  };
  const read = (line: string, number: number): void => {
    if (line.startsWith(HEAD)) {
      end();
      name = nameIn(line.slice(HEAD.length));
      if (name === null) damaged(number, `expected a name in quotes, got ${shown(line.slice(HEAD.length))}`);
      else if (snapshots.has(name)) damaged(number, `duplicate snapshot ${shown(name)}`);
    } else if (line.startsWith('  ') && name !== null) {
      for (; empty > 0; empty--) lines.push('');
      lines.push(line.slice(2));
    } else if (line === '' || line === '\r') empty++;
    else if (CONFLICT.test(line)) damaged(number, 'a conflict of versions that is not resolved');
    else if (!line.startsWith('#'))
      damaged(number, `expected the name or an indented line of a snapshot, got ${shown(line)}`);
  };
  text
    .replace(/^\ufeff/, '')
    .split('\n')
    .forEach((line, i) => read(hasCrLf && line.endsWith('\r') ? line.slice(0, -1) : line, i + 1));
  end();
  return { snapshots, problem, hasCrLf };
}

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function nameIn(text: string): string | null {
  try {
    const name: unknown = JSON.parse(text);
    return typeof name === 'string' ? name : null;
  } catch {
    return null;
  }
}

/** A value as it is read from a file whose lines end with CRLF. */
export function withoutCrLf(text: string): string {
  return text.replace(/\r(?=\n|$)/g, '');
}

/** The text of a file with snapshots, by name. */
export function writtenSnapshots(snapshots: ReadonlyMap<string, string>): string {
  const parts = [...snapshots]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, value]) =>
        `\n${HEAD}${JSON.stringify(name)}\n${value
          .split('\n')
          .map((line) => `  ${line}\n`)
          .join('')}`,
    );
  return `# Values that tests compare with. \`svcc test --update\` writes them again.\n${parts.join('')}`;
}
