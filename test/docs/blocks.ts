/** A program in a document. */
export interface Block {
  /** Position of its first line: `docs/language.md:12`. */
  place: string;
  source: string;
  /** Reason after `norun` if the program is only compiled; null if it runs. */
  norun: string | null;
  /** Files beside the program, by path. */
  files: Record<string, string>;
}

/** A fenced block of a document, whatever its language. */
export interface Fence {
  /** Position of its first line: `docs/language.md:12`. */
  place: string;
  language: string;
  /** Text after the language. */
  info: string;
  text: string;
}

const OPENER = /^```(\w+)(?: (.*))?$/;
const FILE = /^file=([\w./-]+\.svc)$/;
const NORUN = /^norun (\S.*)$/;

/** Reads the fenced blocks of a Markdown text that name a language. @throws Error if a block has no end */
export function readFences(path: string, text: string): Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let start = 0; start < lines.length; start++) {
    const [, language, info = ''] = OPENER.exec(lines[start]) ?? [];
    if (language === undefined) continue;
    const place = `${path}:${start + 2}`;
    const end = lines.indexOf('```', start + 1);
    if (end === -1) throw new Error(`${place}: the block has no end`);
    fences.push({ place, language, info, text: `${lines.slice(start + 1, end).join('\n')}\n` });
    start = end;
  }
  return fences;
}

/**
 * Reads the programs of a Markdown text. A block ```` ```svc file=lib/a.svc ```` is a file beside the next program.
 * @throws Error if text after `svc` is unknown, a block has no end, or a file has no program
 */
export function readBlocks(path: string, text: string): Block[] {
  const blocks: Block[] = [];
  let files: Record<string, string> = {};
  for (const { place, language, info, text: source } of readFences(path, text)) {
    if (language !== 'svc') continue;
    const file = FILE.exec(info)?.[1];
    const norun = NORUN.exec(info)?.[1] ?? null;
    if (file === undefined && norun === null && info !== '')
      throw new Error(`${place}: what does 'svc ${info}' mean? Write 'file=NAME.svc' or 'norun REASON'`);
    if (file !== undefined) {
      files[file] = source;
    } else {
      blocks.push({ place, source, norun, files });
      files = {};
    }
  }
  if (Object.keys(files).length > 0)
    throw new Error(`${path}: no program follows the file ${Object.keys(files).join(', ')}`);
  return blocks;
}
