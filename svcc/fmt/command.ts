import { statSync } from 'node:fs';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { renderDiagnostic } from '../../compiler/diagnostics/render.js';
import { reasonOf } from '../../natives/reasons.js';
import type { Streams } from '../host.js';
import { STANDARD_INPUT } from '../standardinput.js';
import { TEMPLATE_END } from '../templatefiles.js';
import { decodeSource, readSource } from '../load.js';
import { LoadError } from '../loaderror.js';
import { replaceFile } from '../replacefile.js';
import { programsIn } from './files.js';
import { formatText } from './format.js';

/** Flags of `svcc fmt`. */
export interface FmtFlags {
  check?: boolean;
  stdinPath?: string;
}

/** Exit codes: a file would change or does not parse; a file cannot be read or written, or the arguments are invalid. */
const DIFFERS = 1;
const UNUSABLE = 2;

/** @throws LoadError with the reason if the file cannot be replaced */
function replace(path: string, text: string): void {
  try {
    replaceFile(path, text);
  } catch (error) {
    throw new LoadError(`cannot write ${path}: ${reasonOf(error)}`);
  }
}

function show(diagnostics: readonly Diagnostic[], text: string, { stderr }: Streams): void {
  for (const diagnostic of diagnostics) stderr(`${renderDiagnostic(diagnostic, text)}\n`);
}

/** Formats `text`; templates stay as they are. */
function formatNamed(text: string, name: string): ReturnType<typeof formatText> {
  return name.endsWith(TEMPLATE_END) ? { text } : formatText(text, name);
}

/** Formats a file, unless it is a template. @returns the exit code @throws LoadError for a file that cannot be read or written */
function formatFile(path: string, check: boolean, streams: Streams): number {
  if (path.endsWith(TEMPLATE_END)) return 0;
  const text = readSource(path);
  const formatted = formatText(text, path);
  if ('diagnostics' in formatted) {
    show(formatted.diagnostics, text, streams);
    return DIFFERS;
  }
  // The text has no byte order mark, which the file may have.
  if (formatted.text === text && statSync(path).size === Buffer.byteLength(text)) return 0;
  if (!check) replace(path, formatted.text);
  streams.stdout(`${path}\n`);
  return check ? DIFFERS : 0;
}

async function formatStdin(name: string, check: boolean, streams: Streams): Promise<number> {
  const blocks: Buffer[] = [];
  for await (const block of process.stdin) blocks.push(block as Buffer);
  const text = decodeSource(name, Buffer.concat(blocks));
  const formatted = formatNamed(text, name);
  if ('diagnostics' in formatted) {
    show(formatted.diagnostics, text, streams);
    return DIFFERS;
  }
  if (!check) streams.stdout(formatted.text);
  else if (formatted.text !== text) streams.stdout(`${name}\n`);
  return check && formatted.text !== text ? DIFFERS : 0;
}

/** Returns why the arguments are invalid, or null. */
function misuse(paths: readonly string[], stdinPath: string | undefined): string | null {
  if (paths.includes(STANDARD_INPUT))
    return paths.length > 1 ? "'-' reads standard input: give either '-' or files" : null;
  return stdinPath === undefined ? null : "--stdin-path names the program of standard input: add '-' to read it";
}

/** Runs `task`, and reports a file that cannot be used. @returns the exit code */
async function reporting(streams: Streams, task: () => number | Promise<number>): Promise<number> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    streams.stderr(`${error.message}\n`);
    return UNUSABLE;
  }
}

/**
 * `svcc fmt`: formats programs in place, or lists those that would change. Exit codes: 0; 1 if a program does not parse
 * or, with `check`, would change; 2 if a file cannot be read or written, or for arguments that contradict each other.
 */
export async function fmt(
  paths: readonly string[],
  { check = false, stdinPath }: FmtFlags,
  streams: Streams,
): Promise<number> {
  const problem = misuse(paths, stdinPath);
  if (problem !== null) {
    streams.stderr(`error: ${problem}\n`);
    return UNUSABLE;
  }
  if (paths.includes(STANDARD_INPUT))
    return reporting(streams, () => formatStdin(stdinPath ?? 'stdin', check, streams));
  let worst = 0;
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const code = await reporting(streams, async () => {
      let inside = 0;
      for (const file of programsIn([path]))
        inside = Math.max(inside, await reporting(streams, () => formatFile(file, check, streams)));
      return inside;
    });
    worst = Math.max(worst, code);
  }
  return worst;
}
