/** Statements of SQL that are built from values: `db.query("… '#{name}'")`. */
import type * as Ast from '../ast.js';
import type { Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import { enumNamed } from './membertypes.js';
import { isOfRequest } from './requesttexts.js';
import type { Types } from './types.js';
import { walk, walkNodes } from './walk.js';

/** Functions that open a database, and the methods of a database whose first argument is SQL. */
const DATABASES = new Set(['database', 'db_open']);
export const METHODS = new Set(['query', 'query_one', 'exec', 'value', 'each']);
/** Names that receivers of unknown types have if they are databases. */
const DATABASE_NAME = /^(?:db|database)$/i;
const STATEMENT = /^\s*(?:select|insert|update|delete|with|create|drop|alter|replace|truncate|pragma|explain)\b/i;
/** Values of these types cannot end a literal or a clause of SQL. */
const HARMLESS = new Set(['Integer', 'Float', 'Decimal', 'Boolean', 'Nil']);
/** Methods that return a part of their receiver, or its texts joined. */
const KEEPING = new Set(
  'join first last upcase downcase strip lstrip rstrip squeeze uniq sort reverse keys values'.split(' '),
);
/** Methods that return numbers, whatever their receiver. */
const COUNTING = new Set(['to_i', 'to_f', 'length', 'size', 'count', 'round', 'floor', 'ceil']);
/** Methods whose results are made of what their blocks return. */
const MAPPING = new Set(['map', 'flat_map', 'filter_map', 'times']);
/** `%d` and its kin. */
const NUMBERS_ONLY = /^(?:[^%]|%%|%[-+ 0#,]*\d*(?:\.\d+)?[diufFeEgGxXob])*$/;
/** Maximum depth to which a text is followed; what is deeper counts as safe. */
const MAX_DEPTH = 100;

/** Reports texts that become part of SQL, instead of values of the statement. */
export function checkSql(checked: Checked, types: Types): void {
  let texts: SqlTexts | null = null;
  walkNodes(checked.module.tree, ['Method'], (node) => {
    if (!METHODS.has(node.name)) return;
    const [sql] = node.args;
    if (sql === undefined || sql.type === 'NamedArg' || sql.type === 'Splat') return;
    texts ??= new SqlTexts(checked, types);
    const isCertain = isDatabase(node.recv, types);
    if (!isCertain && !(isNamedDatabase(node.recv, types) && STATEMENT.test(texts.beginning(sql)))) return;
    const part = isOfRequest(sql, types) ? sql : texts.inserted(sql);
    if (part === null) return;
    const hint = 'write `?` and pass the value as an argument';
    checked.report('warning', 'unescaped-text', part, 'this text becomes part of the SQL', hint);
  });
}

/** Whether a value is certainly a database. */
export function isDatabase(node: Ast.Expr, types: Types): boolean {
  if (types.of(node) === 'Database') return true;
  const variable = types.fixed(node);
  const value = variable === null ? node : (types.valueOf(variable) ?? valueElsewhere(variable));
  return value?.type === 'Call' && value.callee.type === 'Ident' && DATABASES.has(value.callee.name);
}

/** The value of a top-level variable of another file. */
function valueElsewhere({ name, scope }: Variable): Ast.Expr | null {
  if (!scope.isModuleRoot) return null;
  for (const node of scope.fn.module.tree.stmts) {
    const target = node.type === 'Assign' ? node.target : node.type === 'ConstDecl' ? node.name : null;
    if (target !== null && 'name' in target && target.name === name) return (node as Ast.Assign).value;
  }
  return null;
}

function isNamedDatabase(node: Ast.Expr, types: Types): boolean {
  return types.of(node) === null && (node.type === 'Ident' || node.type === 'Member') && DATABASE_NAME.test(node.name);
}

/** Follows texts to the values that they are built from. */
class SqlTexts {
  /** Values assigned and added to variables: `sql += text`. */
  private readonly added = new Map<Variable, Ast.Expr[]>();
  private readonly safe = new Map<Ast.Expr, boolean>();
  private depth = 0;

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
  ) {
    walkNodes(checked.module.tree, ['OpAssign', 'Assign'], (node) => {
      if (node.type === 'OpAssign' && node.op !== '+' && node.op !== '||') return;
      const variable = this.variable(node.target);
      if (variable !== null) this.added.set(variable, [...(this.added.get(variable) ?? []), node.value]);
    });
  }

  private variable(node: Ast.Node): Variable | null {
    const symbol = this.checked.resolution.symbols.get(node);
    return symbol?.kind === 'variable' ? (symbol.variable.copyOf ?? symbol.variable) : null;
  }

  /** The first literal part of a text, as far as it is known. */
  beginning(node: Ast.Expr): string {
    return this.deeper(() => {
      if (node.type === 'Str') return node.value;
      if (node.type === 'Interp') return node.parts.length === 0 ? '' : this.beginning(node.parts[0]);
      if (node.type === 'Binary') return this.beginning(node.left);
      if (node.type === 'Method' && node.name === 'join') return this.beginning(node.recv);
      if (node.type === 'Vector') {
        const [first] = node.items;
        return first === undefined || first.type === 'Splat' ? '' : this.beginning(first);
      }
      const variable = this.variable(node);
      const first =
        variable === null ? undefined : this.added.get(variable)?.reduce((a, b) => (b.start < a.start ? b : a));
      return first === undefined ? '' : this.beginning(first);
    }, '');
  }

  /** The first value that a text is built from and that may be any text; null if there is none. */
  inserted(node: Ast.Expr): Ast.Expr | null {
    return this.deeper(() => {
      switch (node.type) {
        case 'Interp':
          return this.firstUnsafe(node.parts);
        case 'Binary':
          if (node.op === '+') return this.firstUnsafe([node.left, node.right]);
          return node.op === '%' ? this.formatted(node) : null;
        case 'Method':
          return node.name === 'join' && node.recv.type === 'Vector' ? this.firstUnsafe(node.recv.items) : null;
        case 'Ident':
          return this.ofVariable(node);
        default:
          return null;
      }
    }, null);
  }

  private firstUnsafe(parts: readonly (Ast.Expr | Ast.Splat)[]): Ast.Expr | null {
    for (const part of parts) {
      if (part.type === 'Splat') continue;
      if (this.isSafe(part)) continue;
      // The place where a text is inserted, inside of the text around it.
      return this.inserted(part) ?? part;
    }
    return null;
  }

  private formatted({ left, right }: Ast.Binary): Ast.Expr | null {
    const before = this.inserted(left);
    if (before !== null || (left.type === 'Str' && NUMBERS_ONLY.test(left.value))) return before;
    return this.firstUnsafe(right.type === 'Vector' ? right.items : [right]);
  }

  private ofVariable(node: Ast.Ident): Ast.Expr | null {
    const variable = this.variable(node);
    const values = variable === null ? [] : (this.added.get(variable) ?? []);
    if (values.length === 1) return this.inserted(values[0]);
    // A variable that is built step by step.
    return values.length === 0 ? null : this.firstUnsafe(values);
  }

  /** Whether a value has no text that comes from outside: constants, numbers, placeholders. */
  private isSafe(node: Ast.Expr): boolean {
    const known = this.safe.get(node);
    if (known !== undefined) return known;
    // A variable may be built from itself: `sql = sql + text`.
    this.safe.set(node, true);
    const safe = this.deeper(() => this.computeSafe(node), true);
    this.safe.set(node, safe);
    return safe;
  }

  private computeSafe(node: Ast.Expr): boolean {
    if (HARMLESS.has(this.types.of(node) ?? '')) return true;
    switch (node.type) {
      case 'Str':
        return true;
      case 'Interp':
        return this.areSafe(node.parts);
      case 'Vector':
        return this.areSafe(node.items);
      case 'Hash':
        return node.entries.every((entry) => entry.type !== 'Splat' && this.areSafe([entry.key, entry.value]));
      case 'Binary':
        return this.isSafe(node.left) && (node.op === '*' || this.isSafe(node.right));
      case 'If':
        return [...node.clauses.map(({ body }) => body), node.else ?? []].every((body) => this.endsSafe(body));
      case 'Case':
        return [...node.whens.map(({ body }) => body), node.else ?? []].every((body) => this.endsSafe(body));
      case 'Logical':
        return this.isSafe(node.left) && this.isSafe(node.right);
      case 'Index':
        return this.isSafe(node.recv);
      case 'Call':
        return this.isSafeCall(node);
      case 'Method':
      case 'Member':
        return this.isSafeMember(node);
      case 'Ident':
        return this.isSafeName(node);
      default:
        return false;
    }
  }

  private areSafe(nodes: readonly (Ast.Expr | Ast.Splat)[]): boolean {
    return nodes.every((node) => this.isSafe(node.type === 'Splat' ? node.value : node));
  }

  private endsSafe(body: readonly Ast.Expr[]): boolean {
    const last = body[body.length - 1];
    return last === undefined || this.isSafe(last);
  }

  /** A call of a function of the program whose results are safe. */
  private isSafeCall({ callee }: Ast.Call): boolean {
    const symbol = this.checked.resolution.symbols.get(callee);
    if (symbol?.kind !== 'def' || symbol.node.type !== 'Def' || symbol.module !== this.checked.module) return false;
    const { body } = symbol.node;
    let safe = body.rescues.length === 0 && this.endsSafe(body.stmts);
    walk(
      body,
      (node) => {
        if (node.type === 'Return' && node.value !== null && !this.isSafe(node.value)) safe = false;
      },
      true,
    );
    return safe;
  }

  private isSafeMember(node: Ast.Method | Ast.Member): boolean {
    if (COUNTING.has(node.name) || enumNamed(node.recv, this.checked) !== null) return true;
    const block = node.type === 'Method' ? node.block : null;
    if (block !== null) return MAPPING.has(node.name) && this.endsSafe(block.body.stmts);
    if (node.type === 'Method' && node.name === 'fetch')
      return (
        this.isSafe(node.recv) && node.args.slice(1).every((arg) => arg.type !== 'NamedArg' && this.areSafe([arg]))
      );
    return KEEPING.has(node.name) && this.isSafe(node.recv);
  }

  private isSafeName(node: Ast.Ident): boolean {
    const variable = this.variable(node);
    if (variable === null) return false;
    const values = this.added.get(variable);
    if (values !== undefined)
      return values.length === variable.assignments && values.every((value) => this.isSafe(value));
    const elements = this.types.elementsOf(variable);
    const elsewhere = elements ?? (variable.assignments === 1 ? valueElsewhere(variable) : null);
    return elsewhere !== null && this.isSafe(elsewhere);
  }

  private deeper<T>(compute: () => T, otherwise: T): T {
    if (this.depth > MAX_DEPTH) return otherwise;
    this.depth++;
    const result = compute();
    this.depth--;
    return result;
  }
}
