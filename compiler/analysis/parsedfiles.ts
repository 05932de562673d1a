import type * as Ast from '../ast.js';
import type { Token } from '../layout/token.js';
import { type Declared, declaredIn, restoreNames } from './brokennames.js';
import { parse, type ParsedFile, type ParsedStatements } from '../parse.js';

/** Fields of nodes that hold offsets. */
const OFFSETS: ReadonlySet<string> = new Set(['start', 'end', 'nameStart', 'opStart']);

/** A copy of a part of a tree whose offsets are larger by `shift`. */
function copyTree<T>(part: T, shift = 0): T {
  if (part === null || typeof part !== 'object') return part;
  if (Array.isArray(part)) return part.map((item: unknown) => copyTree(item, shift)) as T;
  const copy = { ...part } as Record<string, unknown>;
  for (const key in copy) {
    const value = copy[key];
    if (typeof value === 'object') copy[key] = copyTree(value, shift);
    else if (shift !== 0 && typeof value === 'number' && OFFSETS.has(key)) copy[key] = value + shift;
  }
  // The name of a hash of types contains its position.
  if (shift !== 0 && copy.isLiteral === true) {
    const name = copy.name as { name: string; start: number };
    copy.name = { ...name, name: `${name.name.slice(0, name.name.indexOf('@'))}@${name.start}` };
  }
  return copy as T;
}

/** Like `copyTree`; null for trees that are too deep, such as sums of thousands of operands. */
function tryCopy<T>(part: T, shift = 0): T | null {
  try {
    return copyTree(part, shift);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The tokens of a statement without its position. Trees of equal keys differ only in their offsets. */
function keyOf(tokens: readonly Token[], from: number, to: number): string {
  const base = tokens[from].start;
  let key = '';
  for (let i = from; i < to; i++) {
    const { type, text, start, end, extra } = tokens[i];
    key += `${type}\u0001${text}\u0001${start - base}\u0001${end - base}\u0001${extra}\u0002`;
  }
  return key;
}

interface KnownStatement {
  tree: Ast.Expr;
  base: number;
}

/** The statements of one file: those of the text that was parsed last. */
class Statements implements ParsedStatements {
  private current = new Map<string, KnownStatement>();
  private next = new Map<string, KnownStatement>();
  private key = '';

  find(tokens: readonly Token[], from: number, to: number): Ast.Expr | null {
    this.key = keyOf(tokens, from, to);
    const found = this.next.get(this.key) ?? this.current.get(this.key);
    if (found === undefined) return null;
    this.next.set(this.key, found);
    return tryCopy(found.tree, tokens[from].start - found.base);
  }

  keep(tokens: readonly Token[], from: number, _to: number, tree: Ast.Expr): void {
    const copy = tryCopy(tree);
    if (copy !== null) this.next.set(this.key, { tree: copy, base: tokens[from].start });
  }

  /** Forgets the statements that the last text does not have. */
  settle(): void {
    this.current = this.next;
    this.next = new Map();
  }
}

interface KnownFile extends ParsedFile {
  text: string;
  statements: Statements;
  /** What the last version without broken statements declared. */
  declared: ReadonlyMap<string, Declared>;
}

/**
 * Files that are parsed again and again while somebody writes them. A text that has not changed is not parsed again, and
 * of a changed one only the statements that differ.
 */
export class ParsedFiles {
  private readonly files = new Map<string, KnownFile>();

  /** The tree is a copy, which later passes may change. */
  parse(path: string, text: string): ParsedFile {
    const before = this.files.get(path);
    const same = before?.text === text ? tryCopy(before.module) : null;
    if (before !== undefined && same !== null) return { module: same, diagnostics: [...before.diagnostics] };
    const statements = before?.statements ?? new Statements();
    const { module, diagnostics } = parse(path, text, statements);
    statements.settle();
    const declared = module.stmts.some(({ type }) => type === 'Error') ? before?.declared : declaredIn(module);
    restoreNames(module, text, declared ?? new Map());
    const copy = tryCopy(module);
    if (copy !== null)
      this.files.set(path, { text, module: copy, diagnostics, statements, declared: declared ?? new Map() });
    return { module, diagnostics: [...diagnostics] };
  }

  /** Forgets all files but those that `isUsed` names. */
  retain(isUsed: (path: string) => boolean): void {
    for (const path of this.files.keys()) if (!isUsed(path)) this.files.delete(path);
  }

  get size(): number {
    return this.files.size;
  }
}
