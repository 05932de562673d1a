import type { Diagnostic } from 'vscode-languageserver/node';
import { diagnosticOf } from './convert.js';
import type { Workspace } from './workspace.js';

/** Milliseconds without a change before a file is checked. */
const SETTLE_MS = 120;

/** Sends what is wrong with open files, when their texts have not changed for a moment. */
export class Publisher {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly workspace: Workspace,
    private readonly send: (uri: string, version: number | undefined, diagnostics: Diagnostic[]) => void,
  ) {}

  /** Checks a file soon; an earlier plan is dropped. */
  schedule(path: string, isFollowed = true): void {
    clearTimeout(this.timers.get(path));
    this.timers.set(
      path,
      setTimeout(() => {
        this.timers.delete(path);
        this.publish(path);
        if (isFollowed) this.users(path);
      }, SETTLE_MS),
    );
  }

  /** Checks all open files. */
  all(): void {
    for (const path of this.workspace.open.keys()) this.schedule(path, false);
  }

  /** Checks the open files whose programs have a file. */
  private users(path: string): void {
    for (const other of this.workspace.open.keys()) {
      if (other === path || this.timers.has(other)) continue;
      if (this.workspace.usedBy(other, path)) this.schedule(other, false);
    }
  }

  private publish(path: string): void {
    const document = this.workspace.open.get(path);
    if (document === undefined) return;
    try {
      const facts = this.workspace.facts(path);
      if (facts === null) return;
      const found = facts.program.diagnostics(facts.program.entry);
      this.send(
        document.uri,
        document.version,
        found.map((diagnostic) => diagnosticOf(diagnostic, document, this.workspace)),
      );
    } catch (error) {
      // A mistake of the analysis: the next change is checked again.
      const why = error instanceof Error ? error.message : String(error);
      const start = { line: 0, character: 0 };
      this.send(document.uri, document.version, [
        { range: { start, end: start }, message: `svcc lsp cannot check this file: ${why}`, source: 'svc' },
      ]);
    }
  }

  /** Forgets a file that has been closed. */
  close(path: string, uri: string): void {
    clearTimeout(this.timers.get(path));
    this.timers.delete(path);
    this.send(uri, undefined, []);
  }
}
