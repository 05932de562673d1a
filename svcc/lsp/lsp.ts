import { nodeHost, processStreams } from '../host.js';
import { LanguageServer } from './server.js';
import { Workspace } from './workspace.js';

/** `svcc lsp`: serves an editor over standard input and output until it ends the session. */
export function serveEditor(): void {
  const { stderr } = processStreams();
  new LanguageServer(
    new Workspace(nodeHost({ ...processStreams(), stdout: stderr })),
    process.stdin,
    process.stdout,
  ).listen();
}
