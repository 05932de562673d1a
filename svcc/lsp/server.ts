import {
  CodeActionKind,
  createConnection,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  LSPErrorCodes,
  MarkupKind,
  ProposedFeatures,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocuments,
  TextDocumentSyncKind,
  type CancellationToken,
  type CodeAction,
  type Connection,
  type InitializeParams,
  type InitializeResult,
  type Position,
  type Range,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { setImmediate as turn } from 'node:timers/promises';
import { fixesOf } from '../../compiler/analysis/fixes.js';
import { NAME_MODIFIERS, NAME_TYPES } from '../../compiler/analysis/highlighting.js';
import { type Edit, unchangeable } from '../../compiler/analysis/rename.js';
import { VERSION } from '../version.js';
import { diagnosticOf, locationOf, offsetOf, rangeOf } from './convert.js';
import { byFile, referencesTo, renaming } from './crossfile.js';
import { Features } from './features.js';
import { formattingOf } from './formatting.js';
import type { Patience } from './patience.js';
import { Publisher } from './publisher.js';
import { pathOf } from './uris.js';
import type { Workspace } from './workspace.js';

const CAPABILITIES: InitializeResult = {
  serverInfo: { name: 'svcc', version: VERSION },
  capabilities: {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    hoverProvider: true,
    completionProvider: { triggerCharacters: ['.', '"', "'", '/', ':', '['], resolveProvider: true },
    signatureHelpProvider: { triggerCharacters: ['(', ','], retriggerCharacters: [','] },
    definitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    documentFormattingProvider: true,
    foldingRangeProvider: true,
    inlayHintProvider: true,
    codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    semanticTokensProvider: {
      legend: { tokenTypes: [...NAME_TYPES], tokenModifiers: [...NAME_MODIFIERS] },
      full: true,
      range: true,
    },
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  },
};

/** Requests about a position, and about a range. */
const WITH_POSITION = new Set(
  'hover definition documentHighlight completion signatureHelp references prepareRename rename'.split(' '),
);
const WITH_RANGE = new Set(['inlayHint', 'codeAction']);

/** Name of a parameter that the request `what` needs and does not have; null if all are there. */
function missingParameter(what: string, params: unknown): string | null {
  if (what === 'workspace/symbol') return null;
  const { textDocument, position, range } = (params ?? {}) as {
    textDocument?: { uri?: unknown } | null;
    position?: Partial<Position> | null;
    range?: Partial<Range> | null;
  };
  if (typeof textDocument?.uri !== 'string') return 'textDocument.uri';
  if (WITH_POSITION.has(what) && !isPosition(position)) return 'position.line and position.character';
  return WITH_RANGE.has(what) && !(isPosition(range?.start) && isPosition(range?.end))
    ? 'range.start and range.end'
    : null;
}

function isPosition(position: Partial<Position> | null | undefined): boolean {
  return typeof position?.line === 'number' && typeof position.character === 'number';
}

/** Serves an editor that speaks the Language Server Protocol over two streams. */
export class LanguageServer {
  private readonly connection: Connection;
  private readonly documents = new TextDocuments(TextDocument);
  private readonly features: Features;
  private readonly publisher: Publisher;
  private watches = false;

  constructor(
    private readonly workspace: Workspace,
    input: NodeJS.ReadableStream,
    output: NodeJS.WritableStream,
  ) {
    this.connection = createConnection(
      ProposedFeatures.all,
      new StreamMessageReader(input),
      new StreamMessageWriter(output),
    );
    this.features = new Features(workspace);
    this.publisher = new Publisher(
      workspace,
      (uri, version, diagnostics) =>
        void this.connection.sendDiagnostics({ uri, version, diagnostics }).catch(() => {}),
    );
    this.lifecycle(input);
    this.followDocuments();
    this.answerPlaces();
    this.answerFiles();
    this.answerWorkspace();
  }

  listen(): void {
    this.documents.listen(this.connection);
    this.connection.listen();
  }

  // ---- life

  private lifecycle(input: NodeJS.ReadableStream): void {
    const { connection, workspace } = this;
    let isShutDown = false;
    connection.onShutdown(() => void (isShutDown = true));
    // An editor that has ended without a word.
    input.on('end', () => process.exit(isShutDown ? 0 : 1));
    connection.onInitialize((params) => {
      this.initialize(params);
      return CAPABILITIES;
    });
    connection.onInitialized(() => {
      setImmediate(() => workspace.prepare());
      if (this.watches)
        void connection.client
          .register(DidChangeWatchedFilesNotification.type, {
            watchers: [{ globPattern: '**/*.svc' }, { globPattern: '**/*.html.erb' }],
          })
          .catch(() => {});
    });
    connection.onDidChangeWatchedFiles(() => {
      workspace.changed();
      this.publisher.all();
    });
    connection.onNotification(
      'workspace/didChangeWorkspaceFolders',
      ({ event }: { event?: { added?: { uri: string }[]; removed?: { uri: string }[] } }) => {
        const removed = new Set((event?.removed ?? []).map(({ uri }) => pathOf(uri)));
        workspace.roots = [
          ...workspace.roots.filter((root) => !removed.has(root)),
          ...(event?.added ?? []).map(({ uri }) => pathOf(uri)),
        ];
        workspace.changed();
        this.publisher.all();
      },
    );
  }

  private initialize({ workspaceFolders, rootUri, capabilities }: InitializeParams): void {
    const uris =
      workspaceFolders?.map(({ uri }) => uri) ?? (rootUri === null || rootUri === undefined ? [] : [rootUri]);
    this.workspace.roots = uris.map(pathOf).filter((path) => path.startsWith('/') || /^[A-Za-z]:/.test(path));
    const text = capabilities?.textDocument;
    const formats = text?.hover?.contentFormat;
    this.features.abilities = {
      markdown: formats === undefined || formats.includes(MarkupKind.Markdown),
      hierarchy: text?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
      confirmation: capabilities?.workspace?.workspaceEdit?.changeAnnotationSupport !== undefined,
    };
    this.watches = capabilities?.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
  }

  private followDocuments(): void {
    const { documents, workspace, publisher } = this;
    documents.onDidOpen(({ document }) => workspace.open.set(pathOf(document.uri), document));
    documents.onDidChangeContent(({ document }) => publisher.schedule(pathOf(document.uri)));
    documents.onDidSave(() => publisher.all());
    documents.onDidClose(({ document }) => {
      workspace.close(pathOf(document.uri));
      publisher.close(pathOf(document.uri), document.uri);
    });
  }

  // ---- requests

  /**
   * Runs the handler of a request. Waits until other messages have been read, so that a request that is cancelled or
   * whose text has changed is not answered. Failures are answered with an error, and the server keeps running.
   */
  private answer<P, R>(what: string, handler: (params: P, patience: Patience) => R | Promise<R | null>) {
    return async (params: P, token: CancellationToken): Promise<R | ResponseError<void> | null> => {
      await turn();
      const cancelled = (): ResponseError<void> =>
        new ResponseError(LSPErrorCodes.RequestCancelled, `${what} was cancelled`);
      if (token.isCancellationRequested) return cancelled();
      const missing = missingParameter(what, params);
      if (missing !== null) return new ResponseError(ErrorCodes.InvalidParams, `${what} needs ${missing}`);
      try {
        const answer = await handler(params, {
          pause: async () => {
            await turn();
            return !token.isCancellationRequested;
          },
        });
        return token.isCancellationRequested ? cancelled() : answer;
      } catch (error) {
        if (error instanceof ResponseError) return error as ResponseError<void>;
        const why = error instanceof Error ? error.message : String(error);
        return new ResponseError(ErrorCodes.InternalError, `svcc lsp cannot answer ${what}: ${why}`);
      }
    };
  }

  private answerPlaces(): void {
    const { connection, features } = this;
    type Params = { textDocument: { uri: string }; position: { line: number; character: number } };
    connection.onHover(
      this.answer('hover', ({ textDocument, position }: Params) => features.hover(pathOf(textDocument.uri), position)),
    );
    connection.onDefinition(
      this.answer('definition', ({ textDocument, position }: Params) =>
        features.definition(pathOf(textDocument.uri), position),
      ),
    );
    connection.onDocumentHighlight(
      this.answer('documentHighlight', ({ textDocument, position }: Params) =>
        features.highlights(pathOf(textDocument.uri), position),
      ),
    );
    connection.onCompletion(
      this.answer('completion', ({ textDocument, position }: Params) =>
        features.completion(pathOf(textDocument.uri), position),
      ),
    );
    connection.onCompletionResolve((item) => features.resolveCompletion(item));
    connection.onSignatureHelp(
      this.answer('signatureHelp', ({ textDocument, position }: Params) =>
        features.signatureHelp(pathOf(textDocument.uri), position),
      ),
    );
    connection.languages.inlayHint.on(
      this.answer('inlayHint', ({ textDocument, range }: { textDocument: { uri: string }; range: Range }) =>
        features.inlayHints(pathOf(textDocument.uri), range),
      ),
    );
  }

  private answerFiles(): void {
    const { connection, features } = this;
    type Params = { textDocument: { uri: string } };
    connection.onDocumentSymbol(
      this.answer('documentSymbol', ({ textDocument }: Params) => features.documentSymbols(pathOf(textDocument.uri))),
    );
    connection.onFoldingRanges(
      this.answer('foldingRange', ({ textDocument }: Params) => features.folding(pathOf(textDocument.uri))),
    );
    connection.onDocumentFormatting(
      this.answer('formatting', ({ textDocument }: Params) => {
        const path = pathOf(textDocument.uri);
        const document = this.workspace.document(path);
        return document === null ? [] : formattingOf(document, path);
      }),
    );
    connection.languages.semanticTokens.on(
      this.answer('semanticTokens', ({ textDocument }: Params) =>
        features.semanticTokens(pathOf(textDocument.uri), null),
      ),
    );
    connection.languages.semanticTokens.onRange(
      this.answer('semanticTokens', ({ textDocument, range }: Params & { range: Range }) =>
        features.semanticTokens(pathOf(textDocument.uri), range),
      ),
    );
    connection.onCodeAction(
      this.answer('codeAction', ({ textDocument, range }: Params & { range: Range }) =>
        this.codeActions(pathOf(textDocument.uri), range),
      ),
    );
  }

  private codeActions(path: string, range: Range): CodeAction[] {
    const { workspace } = this;
    const document = workspace.document(path);
    const facts = workspace.facts(path);
    if (document === null || facts === null) return [];
    const module = facts.program.entry;
    const [from, to] = [offsetOf(document, range.start), offsetOf(document, range.end)];
    return facts.program
      .diagnostics(module)
      .filter(({ start, end }) => start <= to && end >= from)
      .flatMap((diagnostic) =>
        fixesOf(diagnostic, facts, module).map(({ title, edits, isPreferred }): CodeAction => ({
          title,
          kind: CodeActionKind.QuickFix,
          isPreferred,
          diagnostics: [diagnosticOf(diagnostic, document, workspace)],
          edit: {
            changes: {
              [document.uri]: edits.map(({ start, end, text }) => ({
                range: rangeOf(document, start, end),
                newText: text,
              })),
            },
          },
        })),
      );
  }

  private answerWorkspace(): void {
    const { connection, features, workspace } = this;
    type Params = { textDocument: { uri: string }; position: { line: number; character: number } };
    connection.onWorkspaceSymbol(
      this.answer('workspace/symbol', ({ query }: { query: string }, patience) =>
        features.workspaceSymbols(String(query ?? ''), patience),
      ),
    );
    connection.onReferences(
      this.answer(
        'references',
        async (
          { textDocument, position, context }: Params & { context?: { includeDeclaration?: boolean } },
          patience,
        ) => {
          const found = features.nameAt(pathOf(textDocument.uri), position);
          if (found === null) return [];
          const isWanted = context?.includeDeclaration === true;
          const places = await referencesTo(workspace, found.facts, found.occurrence.target, isWanted, patience);
          return places?.flatMap((place) => locationOf(workspace, place) ?? []) ?? null;
        },
      ),
    );
    connection.onPrepareRename(
      this.answer('prepareRename', ({ textDocument, position }: Params) => {
        const found = features.nameAt(pathOf(textDocument.uri), position);
        if (found === null) return null;
        const { facts, occurrence, document } = found;
        const problem = unchangeable(occurrence.target, facts.declaration(occurrence.target));
        if (problem !== null) throw new ResponseError(LSPErrorCodes.RequestFailed, problem);
        return { range: rangeOf(document, occurrence.start, occurrence.end), placeholder: occurrence.target.name };
      }),
    );
    connection.onRenameRequest(
      this.answer('rename', ({ textDocument, position, newName }: Params & { newName: string }, patience) =>
        this.rename(pathOf(textDocument.uri), position, String(newName), patience),
      ),
    );
  }

  private async rename(
    path: string,
    position: { line: number; character: number },
    name: string,
    patience: Patience,
  ): Promise<WorkspaceEdit | null> {
    const { workspace, features } = this;
    const found = features.nameAt(path, position);
    if (found === null) throw new ResponseError(LSPErrorCodes.RequestFailed, 'there is no name here');
    const result = await renaming(workspace, found.facts, found.occurrence.target, name, patience);
    if (result === null) return null;
    if ('problem' in result) throw new ResponseError(LSPErrorCodes.RequestFailed, workspace.readable(result.problem));
    const { edits, uncertain } = result;
    if (uncertain.length === 0 || edits.length === 0) return { changes: this.changes(edits) };
    if (!features.abilities.confirmation)
      throw new ResponseError(LSPErrorCodes.RequestFailed, this.unsure(found.occurrence.target.name, uncertain));
    return this.annotated(edits, uncertain);
  }

  private unsure(name: string, uncertain: readonly Edit[]): string {
    const places = uncertain.slice(0, 3).map(({ path, start }) => {
      const line = (this.workspace.document(path)?.positionAt(start).line ?? 0) + 1;
      return `${this.workspace.shown(path)}:${line}`;
    });
    const others = uncertain.length > places.length ? ` and ${uncertain.length - places.length} more` : '';
    return `'${name}' is also used with values whose type is unknown: ${places.join(', ')}${others}; annotate them, or rename by hand`;
  }

  private edits(path: string, edits: readonly Edit[]): TextEdit[] {
    const document = this.workspace.document(path);
    if (document === null) return [];
    return edits.map(({ start, end, text }) => ({ range: rangeOf(document, start, end), newText: text }));
  }

  private changes(edits: readonly Edit[]): Record<string, TextEdit[]> {
    return Object.fromEntries(
      [...byFile(edits)].map(([path, own]) => [this.workspace.uri(path), this.edits(path, own)]),
    );
  }

  /** Changes of which the uncertain ones are to be confirmed. */
  private annotated(edits: readonly Edit[], uncertain: readonly Edit[]): WorkspaceEdit {
    const all = byFile([...edits, ...uncertain]);
    const unsure = new Set(uncertain);
    return {
      documentChanges: [...all].map(([path, own]) => ({
        textDocument: { uri: this.workspace.uri(path), version: this.workspace.open.get(path)?.version ?? null },
        edits: this.edits(path, own).map((edit, i) =>
          unsure.has(own[i]) ? { ...edit, annotationId: 'unsure' } : edit,
        ),
      })),
      changeAnnotations: {
        unsure: {
          label: 'Type of the receiver unknown',
          needsConfirmation: true,
          description: 'may be another member, or another parameter, of the same name',
        },
      },
    };
  }
}
