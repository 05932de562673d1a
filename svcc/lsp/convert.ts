import {
  CompletionItemKind,
  DiagnosticSeverity,
  DiagnosticTag,
  SymbolKind,
  type Diagnostic as LspDiagnostic,
  type DocumentSymbol,
  type Location,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionKind } from '../../compiler/analysis/completion.js';
import type { Place } from '../../compiler/analysis/facts.js';
import type { OutlineItem, OutlineKind } from '../../compiler/analysis/outline.js';
import type { Diagnostic } from '../../compiler/index.js';
import type { Workspace } from './workspace.js';

/** The offset of a position. One outside of the text is moved to its nearest end. */
export function offsetOf(document: TextDocument, { line, character }: Position): number {
  const count = (value: unknown): number =>
    typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), 0x7fffffff) : 0;
  return document.offsetAt({ line: count(line), character: count(character) });
}

export function rangeOf(document: TextDocument, start: number, end: number): Range {
  return { start: document.positionAt(start), end: document.positionAt(Math.max(start, end)) };
}

export function locationOf(workspace: Workspace, { path, start, end }: Place): Location | null {
  const document = workspace.document(path);
  return document === null ? null : { uri: workspace.uri(path), range: rangeOf(document, start, end) };
}

/** Findings about code that has no effect, which editors show in grey. */
const NEEDLESS: ReadonlySet<string> = new Set(['unused-variable', 'unreachable', 'unreachable-clause']);

export function diagnosticOf(
  { code, severity, message, hint, start, end, labels }: Diagnostic,
  document: TextDocument,
  workspace: Workspace,
): LspDiagnostic {
  const text = workspace.readable(hint === '' ? message : `${message}\n${hint}`);
  return {
    range: rangeOf(document, start, end),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'svc',
    message: text,
    ...(NEEDLESS.has(code) ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(labels.length === 0
      ? {}
      : {
          relatedInformation: labels.map((label) => ({
            location: { uri: document.uri, range: rangeOf(document, label.start, label.end) },
            message: label.text,
          })),
        }),
  };
}

export const COMPLETION_KINDS: Readonly<Record<CompletionKind, CompletionItemKind>> = {
  variable: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Variable,
  constant: CompletionItemKind.Constant,
  function: CompletionItemKind.Function,
  method: CompletionItemKind.Method,
  field: CompletionItemKind.Field,
  record: CompletionItemKind.Class,
  interface: CompletionItemKind.Interface,
  enum: CompletionItemKind.Enum,
  member: CompletionItemKind.EnumMember,
  error: CompletionItemKind.Class,
  namespace: CompletionItemKind.Module,
  file: CompletionItemKind.File,
  native: CompletionItemKind.Function,
  unknown: CompletionItemKind.Text,
  keyword: CompletionItemKind.Keyword,
  key: CompletionItemKind.Property,
  setting: CompletionItemKind.Property,
  named: CompletionItemKind.Field,
};

export const SYMBOL_KINDS: Readonly<Record<OutlineKind, SymbolKind>> = {
  function: SymbolKind.Function,
  method: SymbolKind.Method,
  field: SymbolKind.Field,
  record: SymbolKind.Class,
  interface: SymbolKind.Interface,
  enum: SymbolKind.Enum,
  member: SymbolKind.EnumMember,
  error: SymbolKind.Class,
  constant: SymbolKind.Constant,
  variable: SymbolKind.Variable,
  route: SymbolKind.Event,
  group: SymbolKind.Namespace,
  test: SymbolKind.Function,
};

export function symbolOf(item: OutlineItem, document: TextDocument): DocumentSymbol {
  const start = Math.min(item.start, item.nameStart);
  const end = Math.max(item.end, item.nameEnd);
  return {
    name: item.name === '' ? '?' : item.name,
    detail: item.detail,
    kind: SYMBOL_KINDS[item.kind],
    range: rangeOf(document, start, end),
    selectionRange: rangeOf(document, item.nameStart, item.nameEnd),
    children: item.children.map((child) => symbolOf(child, document)),
  };
}
