/** Begins the line with the name of a snapshot. */
const HEAD = '=== ';
/** Lines that version control leaves between two versions of a text. */
const CONFLICT = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;
/** Maximum number of characters of a line that a message shows. */
const MAX_SHOWN = 60;

/** Follows the name of a snapshot: whether the value is a text, which is stored as it is, or another one. */
const KINDS = { text: true, value: false } as const;
/** The line with a name: the name in quotes, and what kind of value it has. */
const NAME_AND_KIND = /^(".*")(?: (text|value))?$/;

/** A stored value. */
export interface Snapshot {
  readonly text: string;
  /** Null if that is unknown: stored by a version that did not note it. */
  readonly isText: boolean | null;
}

/** What a file of snapshots holds. */
export interface SnapshotText {
  snapshots: Map<string, Snapshot>;
  /** What is wrong with the first line that is no part of a snapshot; null if there is none. */
  problem: { line: number; text: string } | null;
  /** Whether lines end with CRLF, as version control may write them. */
  hasCrLf: boolean;
}

/** Reads the text of a file with snapshots: lines of values are indented, so that none is taken for a name. */
export function parseSnapshots(text: string): SnapshotText {
  const snapshots = new Map<string, Snapshot>();
  const firstEnd = text.indexOf('\n');
  const hasCrLf = firstEnd > 0 && text[firstEnd - 1] === '\r';
  let problem: SnapshotText['problem'] = null;
  let name: string | null = null;
  let isText: boolean | null = null;
  let lines: string[] = [];
  /** Empty lines since the last line of the value: part of it if another one follows. Editors drop the indentation. */
  let empty = 0;
  const end = (): void => {
    if (name !== null) snapshots.set(name, { text: lines.join('\n'), isText });
    lines = [];
    empty = 0;
  };
  const damaged = (line: number, what: string): void => {
    problem ??= { line, text: what };
  };
  const read = (line: string, number: number): void => {
    if (line.startsWith(HEAD)) {
      end();
      [name, isText] = nameIn(line.slice(HEAD.length));
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

/** The name in a line, or null, and whether the value is a text. */
function nameIn(line: string): [name: string | null, isText: boolean | null] {
  const [, quoted = line.trimEnd(), kind] = NAME_AND_KIND.exec(line.trimEnd()) ?? [];
  try {
    const name: unknown = JSON.parse(quoted);
    return [typeof name === 'string' ? name : null, kind === undefined ? null : KINDS[kind as keyof typeof KINDS]];
  } catch {
    return [null, null];
  }
}

function markOf(isText: boolean | null): string {
  return isText === null ? '' : isText ? ' text' : ' value';
}

/** A value as it is read from a file whose lines end with CRLF. */
export function withoutCrLf(text: string): string {
  return text.replace(/\r(?=\n|$)/g, '');
}

/** The text of a file with snapshots, by name. */
export function writtenSnapshots(snapshots: ReadonlyMap<string, Snapshot>): string {
  const parts = [...snapshots]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { text, isText }]) =>
        `\n${HEAD}${JSON.stringify(name)}${markOf(isText)}\n${text
          .split('\n')
          .map((line) => `  ${line}\n`)
          .join('')}`,
    );
  return `# Values that tests compare with. \`svcc test --update\` writes them again.\n${parts.join('')}`;
}
