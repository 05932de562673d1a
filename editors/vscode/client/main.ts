import * as vscode from 'vscode';
import { type Executable, LanguageClient } from 'vscode-languageclient/node';
import { findSvcc, type Found } from './find.js';
import { provideTasks } from './tasks.js';

const SETTINGS = 'Open settings';

let client: LanguageClient | undefined;
/** Starts and stops follow one another. */
let turn: Promise<void> = Promise.resolve();

function find(): Found {
  return findSvcc({
    setting: vscode.workspace.getConfiguration('svc').get('path', ''),
    folder: vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath,
    path: process.env.PATH ?? '',
    isWindows: process.platform === 'win32',
  });
}

/** Shows what is wrong, with a way to the setting. */
async function explain(problem: string): Promise<void> {
  const answer = await vscode.window.showWarningMessage(
    `${problem} Files are coloured, but not checked or completed.`,
    SETTINGS,
  );
  if (answer === SETTINGS) await vscode.commands.executeCommand('workbench.action.openSettings', 'svc.path');
}

async function start(): Promise<void> {
  const isWanted = vscode.workspace.getConfiguration('svc').get('languageServer', true);
  if (!isWanted || !vscode.workspace.isTrusted) return;
  const found = find();
  if ('problem' in found) return void explain(found.problem);
  const server: Executable = { command: found.command, args: ['lsp'], options: { shell: found.shell } };
  client = new LanguageClient('svc', 'Svc', server, {
    documentSelector: [
      { scheme: 'file', language: 'svc' },
      { scheme: 'untitled', language: 'svc' },
    ],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void explain(`${found.command} lsp does not start: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

function restart(): Promise<void> {
  turn = turn.then(stop).then(start);
  return turn;
}

export function activate({ subscriptions }: vscode.ExtensionContext): void {
  subscriptions.push(
    vscode.commands.registerCommand('svc.restart', restart),
    vscode.tasks.registerTaskProvider('svc', provideTasks(find)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('svc.path') || change.affectsConfiguration('svc.languageServer')) void restart();
    }),
  );
  void restart();
}

export async function deactivate(): Promise<void> {
  await turn;
  await stop();
}
