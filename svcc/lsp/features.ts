import {
  DocumentHighlightKind,
  FoldingRangeKind,
  InlayHintKind,
  MarkupKind,
  type CompletionItem,
  type CompletionList,
  type DocumentHighlight,
  type DocumentSymbol,
  type FoldingRange,
  type Hover,
  type InlayHint,
  type Location,
  type MarkupContent,
  type Position,
  type Range,
  type SemanticTokens,
  type SignatureHelp,
  type SymbolInformation,
  type WorkspaceSymbol,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { type Completion, completionsAt } from '../../compiler/analysis/completion.js';
import { describe, type Description } from '../../compiler/analysis/describe.js';
import type { Facts, Place } from '../../compiler/analysis/facts.js';
import { foldsIn } from '../../compiler/analysis/folding.js';
import { colouredNames } from '../../compiler/analysis/highlighting.js';
import { hintsIn } from '../../compiler/analysis/hints.js';
import { librarySignature } from '../../compiler/analysis/library.js';
import type { Occurrence } from '../../compiler/analysis/occurrences.js';
import { flatOutline } from '../../compiler/analysis/outline.js';
import { signatureAt } from '../../compiler/analysis/signatures.js';
import type { Target } from '../../compiler/analysis/targets.js';
import { COMPLETION_KINDS, locationOf, offsetOf, rangeOf, SYMBOL_KINDS, symbolOf } from './convert.js';
import { type Patience, PORTION } from './patience.js';
import type { Workspace } from './workspace.js';

/** What an editor can show. */
export interface Abilities {
  markdown: boolean;
  /** Outlines as trees. */
  hierarchy: boolean;
  /** Changes that the user confirms one by one. */
  confirmation: boolean;
}

/** Maximum number of symbols of a workspace that are sent. */
const MAX_SYMBOLS = 300;

/** The answers to requests about single files and places. */
export class Features {
  abilities: Abilities = { markdown: true, hierarchy: true, confirmation: false };

  constructor(readonly workspace: Workspace) {}

  // ---- names

  /** The name at a position, with the program that is asked. */
  nameAt(path: string, position: Position): { facts: Facts; occurrence: Occurrence; document: TextDocument } | null {
    const document = this.workspace.document(path);
    const facts = this.workspace.facts(path);
    if (document === null || facts === null) return null;
    const occurrence = facts.at(facts.program.entry, offsetOf(document, position));
    return occurrence === null ? null : { facts, occurrence, document };
  }

  hover(path: string, position: Position): Hover | null {
    const found = this.nameAt(path, position);
    if (found === null) return null;
    const { facts, occurrence, document } = found;
    const described = describe(occurrence.target, facts, this.workspace.library);
    if (described === null) return null;
    return { contents: this.markup(described), range: rangeOf(document, occurrence.start, occurrence.end) };
  }

  private markup({ signature, doc }: Description): MarkupContent {
    const shown = this.workspace.readable(signature);
    if (!this.abilities.markdown)
      return { kind: MarkupKind.PlainText, value: doc === '' ? shown : `${shown}\n\n${doc}` };
    const code = `\`\`\`svc\n${shown}\n\`\`\``;
    return { kind: MarkupKind.Markdown, value: doc === '' ? code : `${code}\n\n${doc}` };
  }

  definition(path: string, position: Position): Location[] {
    const found = this.nameAt(path, position);
    if (found === null) return [];
    const { facts, occurrence } = found;
    const place = facts.declaration(occurrence.target);
    const places = place === null ? this.possible(occurrence.target, facts) : [place];
    return places.flatMap((one) => locationOf(this.workspace, one) ?? []);
  }

  /** For a member of a value whose type is unknown: members of the program's records with this name. */
  private possible({ kind, name }: Target, facts: Facts): Place[] {
    if (kind !== 'unknown') return [];
    const out: Place[] = [];
    for (const module of facts.program.modules)
      for (const { target, role, start, end } of facts.occurrences(module))
        if (role === 'declaration' && target.name === name && (target.kind === 'field' || target.kind === 'method'))
          out.push({ path: module.path, start, end });
    return out;
  }

  highlights(path: string, position: Position): DocumentHighlight[] {
    const found = this.nameAt(path, position);
    if (found === null) return [];
    const { facts, occurrence, document } = found;
    return facts.references(facts.program.entry, occurrence.target).map(({ start, end, role }) => ({
      range: rangeOf(document, start, end),
      kind: role === 'read' ? DocumentHighlightKind.Read : DocumentHighlightKind.Write,
    }));
  }

  // ---- writing

  completion(path: string, position: Position): CompletionList {
    const document = this.workspace.document(path);
    if (document === null) return { isIncomplete: false, items: [] };
    const { start, end, items } = completionsAt(document.getText(), offsetOf(document, position), {
      library: this.workspace.library,
      analyse: (text) => this.workspace.analyse(path, text),
      files: (form, prefix) => this.workspace.files(path, form, prefix),
    });
    const range = rangeOf(document, start, end);
    return { isIncomplete: false, items: items.map((item) => completionItem(item, range)) };
  }

  /** Adds the documentation of the library to an item. */
  resolveCompletion(item: CompletionItem): CompletionItem {
    const data = item.data as { owner?: unknown; name?: unknown } | undefined;
    if (typeof data?.name !== 'string' || typeof data.owner !== 'string') return item;
    const entry = this.workspace.library.find(data.owner, data.name);
    if (entry === null) return item;
    return { ...item, documentation: this.markup({ signature: librarySignature(entry), doc: entry.doc }) };
  }

  signatureHelp(path: string, position: Position): SignatureHelp | null {
    const document = this.workspace.document(path);
    if (document === null) return null;
    const found = signatureAt(
      document.getText(),
      offsetOf(document, position),
      (text) => this.workspace.analyse(path, text),
      this.workspace.library,
    );
    if (found === null) return null;
    const { label, doc, params, active } = found;
    const documentation =
      doc === ''
        ? {}
        : { documentation: { kind: this.abilities.markdown ? MarkupKind.Markdown : MarkupKind.PlainText, value: doc } };
    return {
      signatures: [{ label, ...documentation, parameters: params }],
      activeSignature: 0,
      // A number after the last one marks none.
      activeParameter: active ?? params.length,
    };
  }

  inlayHints(path: string, range: Range): InlayHint[] {
    const document = this.workspace.document(path);
    const facts = this.workspace.facts(path);
    if (document === null || facts === null) return [];
    const [from, to] = [offsetOf(document, range.start), offsetOf(document, range.end)];
    return hintsIn(facts, facts.program.entry, this.workspace.library, from, to).map(({ at, label }) => ({
      position: document.positionAt(at),
      label,
      kind: InlayHintKind.Parameter,
      paddingRight: true,
    }));
  }

  // ---- structure

  documentSymbols(path: string): DocumentSymbol[] | SymbolInformation[] {
    const document = this.workspace.document(path);
    const items = this.workspace.outline(path);
    if (document === null || items === null) return [];
    if (this.abilities.hierarchy) return items.map((item) => symbolOf(item, document));
    return [...flatOutline(items)].map(({ item, container }) => ({
      name: item.name,
      kind: SYMBOL_KINDS[item.kind],
      containerName: container,
      location: { uri: document.uri, range: rangeOf(document, item.start, item.end) },
    }));
  }

  /** Declarations and routes of all files whose names contain the characters of a query in order. */
  async workspaceSymbols(query: string, { pause }: Patience): Promise<WorkspaceSymbol[] | null> {
    const out: { rank: number; symbol: WorkspaceSymbol }[] = [];
    for (const [i, path] of this.workspace.paths().entries()) {
      if (i % PORTION === PORTION - 1 && !(await pause())) return null;
      const items = this.workspace.outline(path);
      const document = items === null ? null : this.workspace.document(path);
      if (items === null || document === null) continue;
      for (const { item, container } of flatOutline(items)) {
        const rank = rankOf(item.name, query);
        if (rank < 0) continue;
        const location = { uri: this.workspace.uri(path), range: rangeOf(document, item.nameStart, item.nameEnd) };
        out.push({
          rank,
          symbol: {
            name: item.name,
            kind: SYMBOL_KINDS[item.kind],
            containerName: container || this.workspace.shown(path),
            location,
          },
        });
      }
    }
    return out
      .sort((a, b) => a.rank - b.rank)
      .slice(0, MAX_SYMBOLS)
      .map(({ symbol }) => symbol);
  }

  semanticTokens(path: string, range: Range | null): SemanticTokens {
    const document = this.workspace.document(path);
    const facts = this.workspace.facts(path);
    if (document === null || facts === null) return { data: [] };
    const [from, to] =
      range === null ? [0, Infinity] : [offsetOf(document, range.start), offsetOf(document, range.end)];
    const data: number[] = [];
    let before: Position = { line: 0, character: 0 };
    for (const { start, length, type, modifiers } of colouredNames(facts, facts.program.entry)) {
      if (start < from || start >= to) continue;
      const at = document.positionAt(start);
      const line = at.line - before.line;
      data.push(line, line === 0 ? at.character - before.character : at.character, length, type, modifiers);
      before = at;
    }
    return { data };
  }

  folding(path: string): FoldingRange[] {
    const facts = this.workspace.facts(path);
    if (facts === null) return [];
    const kinds = { comment: FoldingRangeKind.Comment, imports: FoldingRangeKind.Imports, code: undefined };
    return foldsIn(facts.program.entry).map(({ from, to, kind }) => ({
      startLine: from,
      endLine: to,
      kind: kinds[kind],
    }));
  }
}

function completionItem({ label, kind, detail, insert, rank, doc, library }: Completion, range: Range): CompletionItem {
  return {
    label,
    kind: COMPLETION_KINDS[kind],
    ...(detail === '' ? {} : { detail }),
    sortText: `${String(rank).padStart(2, '0')}${label}`,
    textEdit: { range, newText: insert ?? label },
    ...(doc === undefined || doc === '' ? {} : { documentation: doc }),
    ...(library === undefined ? {} : { data: library }),
  };
}

/** How well a name fits a query: 0 is best, −1 is not at all. */
function rankOf(name: string, query: string): number {
  if (query === '') return 1;
  const [lower, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (lower.startsWith(wanted)) return 0;
  if (lower.includes(wanted)) return 1;
  let at = -1;
  for (const c of wanted) {
    at = lower.indexOf(c, at + 1);
    if (at < 0) return -1;
  }
  return 2;
}
