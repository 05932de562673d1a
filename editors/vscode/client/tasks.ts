import * as vscode from 'vscode';
import type { Found } from './find.js';

/** Files that `check all` takes at most: a command line has a limit. */
const MAX_FILES = 1000;
const MATCHER = '$svc';

type Arguments = () => Promise<string[]>;

/** Arguments of svcc for each task. */
const TASKS: Record<string, Arguments> = {
  check: async () => ['check', '${file}'],
  'check all': async () => {
    const files = await vscode.workspace.findFiles('**/*.svc', '**/node_modules/**', MAX_FILES);
    return ['check', ...files.map(({ fsPath }) => fsPath).sort()];
  },
  run: async () => ['run', '${file}'],
};

async function make(name: string, found: Found, definition: vscode.TaskDefinition): Promise<vscode.Task | undefined> {
  const args = await TASKS[name]?.();
  if (args === undefined || 'problem' in found) return undefined;
  const execution = found.shell
    ? new vscode.ShellExecution(found.command, args)
    : new vscode.ProcessExecution(found.command, args);
  const task = new vscode.Task(definition, vscode.TaskScope.Workspace, name, 'svcc', execution, MATCHER);
  if (name !== 'run') task.group = vscode.TaskGroup.Build;
  return task;
}

/** Tasks that check and run programs; findings are listed under Problems. */
export function provideTasks(find: () => Found): vscode.TaskProvider {
  return {
    provideTasks: async () => {
      const found = find();
      const tasks = await Promise.all(Object.keys(TASKS).map((task) => make(task, found, { type: 'svc', task })));
      return tasks.filter((task) => task !== undefined);
    },
    resolveTask: ({ definition }) => make(String(definition.task), find(), definition),
  };
}
