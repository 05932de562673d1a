import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';

/** Where svcc is looked for. */
export interface Places {
  /** The setting `svc.path`; empty if it is not set. */
  setting: string;
  /** Folder of the project, if one is open. */
  folder: string | undefined;
  /** The variable PATH. */
  path: string;
  isWindows: boolean;
}

/** A command that runs svcc, or why there is none. */
export type Found = { command: string; shell: boolean } | { problem: string };

function isProgram(file: string, isWindows: boolean): boolean {
  try {
    if (!isWindows) accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The folder and those around it. */
function around(folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) return folders;
  }
}

/** Finds svcc: that of the setting, else that of the project's node_modules, else that in PATH. */
export function findSvcc({ setting, folder, path, isWindows }: Places): Found {
  const names = isWindows ? ['svcc.exe', 'svcc.cmd', 'svcc.bat'] : ['svcc'];
  if (setting !== '') {
    const file = isAbsolute(setting) ? setting : resolve(folder ?? '.', setting);
    if (isProgram(file, isWindows)) return command(file);
    return { problem: `The setting svc.path is ${file}, which is no program.` };
  }
  const folders = [
    ...(folder === undefined ? [] : around(folder).map((at) => join(at, 'node_modules', '.bin'))),
    ...path.split(delimiter).filter((entry) => isAbsolute(entry)),
  ];
  const files = folders.flatMap((at) => names.map((name) => join(at, name)));
  const file = files.find((candidate) => isProgram(candidate, isWindows));
  if (file !== undefined) return command(file);
  return { problem: 'svcc was found neither in node_modules nor in PATH. Install it, or set svc.path.' };
}

/** On Windows, node starts scripts only by a shell, which needs quotes around blanks. */
function command(file: string): { command: string; shell: boolean } {
  const shell = /\.(cmd|bat)$/i.test(file);
  return { command: shell ? `"${file}"` : file, shell };
}
