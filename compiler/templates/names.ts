/** The names in a template's code: those that it is given, and those that it gives values to. */
import type * as Ast from '../ast.js';
import { pushObjects } from '../objects.js';
import type { Symbol } from '../symbols.js';

/** What a name is that the program itself defines; null for other names. */
export type OwnKind = (name: string) => Symbol['kind'] | null;

const CALL_OF_VALUE = /\s*\.\s*\(/y;

/** What a template reads beside its own variables. */
export interface ReadNames {
  /** Names that nothing defines, and where they are first read: the template must be given their values. */
  readonly missing: ReadonlyMap<string, number>;
  /** Names of functions and variables of the program, where their values are read. */
  readonly own: Ast.Ident[];
}

/**
 * Names that code reads and does not define itself. `text` is the code: in `f.(1)`, `f` is such a name, in `f(1)` it is
 * a function.
 */
export function readNames(stmts: readonly Ast.Expr[], text: string, ownKind: OwnKind): ReadNames {
  const missing = new Map<string, number>();
  const own: Ast.Ident[] = [];
  const search = (node: unknown, outer: ReadonlySet<string>): void => {
    if (node === null || typeof node !== 'object') return;
    const bound = isFunctionPart(node) ? new Set([...outer, ...boundNames(node)]) : outer;
    const { type, name = '' } = node as Partial<Ast.Ident>;
    if (type === 'Ident' && /^[\p{Ll}_]/u.test(name) && !bound.has(name)) {
      const kind = ownKind(name);
      if (kind === null) {
        const { start } = node as Ast.Ident;
        missing.set(name, Math.min(start, missing.get(name) ?? start));
      }
      // The name of an imported file has no value.
      else if (kind !== 'namespace') own.push(node as Ast.Ident);
    }
    for (const [key, value] of Object.entries(node)) {
      // A function is not among the values: `shout(x)` calls one of the program.
      if (key !== 'callee' || !isFunctionName(value as Ast.Expr, text)) search(value, bound);
    }
  };
  search(stmts, new Set([...boundNames(stmts), 'it', '_1', '_2', 'self']));
  return { missing, own };
}

function isFunctionName(callee: Ast.Expr, text: string): boolean {
  CALL_OF_VALUE.lastIndex = callee.end;
  return callee.type === 'Ident' && (callee.name.startsWith('%') || !CALL_OF_VALUE.test(text));
}

export function isFunctionPart(value: object): value is Ast.Block | Ast.Lambda {
  return 'params' in value && 'body' in value;
}

/** The names that code gives values to: variables, parameters, names in patterns. Those of functions in it do not count. */
function boundNames(root: object): Set<string> {
  const names = new Set<string>();
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== 'object' || (item !== root && isFunctionPart(item))) continue;
    for (const name of boundBy(item)) names.add(name);
    pushObjects(item, stack);
  }
  return names;
}

/**
 * Assignments outside of loops that ask for the value before the first one: `x ||= 1`, `x = x || 1`. It is always nil,
 * unless `x` is a variable of the program.
 */
export function hiddenValues(stmts: readonly Ast.Expr[], ownKind: OwnKind): HiddenValue[] {
  const bound = new Set<string>();
  const found: HiddenValue[] = [];
  const search = (item: unknown, mayRepeat: boolean): void => {
    if (item === null || typeof item !== 'object') return;
    const node = item as Ast.Expr;
    const repeats = mayRepeat || isFunctionPart(node) || node.type === 'While' || node.type === 'For';
    if ((node.type === 'Assign' || node.type === 'OpAssign') && node.target.type === 'Ident') {
      const { name } = node.target;
      const asks = node.type === 'OpAssign' ? node.op === '||' : isDefault(node.value, name);
      if (asks && !repeats && !bound.has(name) && ownKind(name) !== 'variable') found.push({ node, name });
    }
    for (const name of boundBy(item)) bound.add(name);
    for (const value of Object.values(node)) search(value, repeats);
  };
  search(stmts, false);
  return found;
}

interface HiddenValue {
  node: Ast.Node;
  name: string;
}

function isDefault(value: Ast.Expr, name: string): boolean {
  return value.type === 'Logical' && value.op === 'or' && value.left.type === 'Ident' && value.left.name === name;
}

/** The parts of nodes that hold names with values. */
interface Binding {
  type: string;
  name: string | Ast.Name | null;
  target: Ast.Target;
  targets: readonly (Ast.Target | Ast.SplatTarget | Ast.GroupTarget)[];
  params: readonly Ast.Param[];
  entries: readonly { name?: Ast.Name }[];
  rescues: readonly Ast.Rescue[];
}

function boundBy({ type, name, target, targets, params, entries, rescues }: Partial<Binding>): string[] {
  const idents = [target, ...(type === 'MultiAssign' || type === 'GroupTarget' ? (targets ?? []) : [])];
  const names = idents.map((node) => (node?.type === 'Ident' ? node.name : undefined));
  if (type === 'NamePattern' || type === 'RestPattern' || type === 'NameMatch')
    names.push((name as string | null) ?? undefined);
  if (type === 'HashDestructure') names.push(...(entries ?? []).map((entry) => entry.name?.name));
  names.push(...(params ?? []).map((param) => param.name), ...(rescues ?? []).map((rescue) => rescue.name?.name));
  return names.filter((found): found is string => found !== undefined && found !== '');
}
