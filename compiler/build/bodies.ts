import type { Block, Body, Expr, Lambda, Name, Param, Rescue } from '../ast.js';
import type { Token } from '../layout/token.js';
import { invalid } from './invalid.js';
import { type List, type MaybeList, toArray } from './list.js';
import { nameOf } from './parameters.js';

/** Handlers that follow a body. */
interface Handlers {
  rescues: Rescue[];
  else: Expr[] | null;
  ensure: Expr[] | null;
}
/** A body whose extent only the enclosing construct knows. */
export interface Parts extends Handlers {
  stmts: Expr[];
}
type Stmts = MaybeList<Expr>;

export function plainBody(stmts: Stmts): Parts {
  return { stmts: toArray(stmts), rescues: [], else: null, ensure: null };
}

export function handledBody(stmts: Stmts, handlers: Handlers): Parts {
  return { stmts: toArray(stmts), ...handlers };
}

export function rescuesOnly(rescues: List<Rescue>): Handlers {
  return { rescues: toArray(rescues), else: null, ensure: null };
}

export function rescuesElse(rescues: List<Rescue>, body: Stmts): Handlers {
  return { rescues: toArray(rescues), else: toArray(body), ensure: null };
}

export function rescuesEnsure(rescues: List<Rescue>, body: Stmts): Handlers {
  return { rescues: toArray(rescues), else: null, ensure: toArray(body) };
}

export function rescuesElseEnsure(rescues: List<Rescue>, otherwise: Stmts, ensure: Stmts): Handlers {
  return { rescues: toArray(rescues), else: toArray(otherwise), ensure: toArray(ensure) };
}

export function ensureOnly(body: Stmts): Handlers {
  return { rescues: [], else: null, ensure: toArray(body) };
}

/** Sets a body's extent: from the end of the word that opens it to the start of the word that closes it. */
export function body(open: Token, { stmts, rescues, else: otherwise, ensure }: Parts, close: Token): Body {
  return { start: open.end, end: close.start, stmts, rescues, else: otherwise, ensure };
}

// ---- rescue clauses

function rescue(word: Token, types: Expr[], name: Name | null, then: Token, stmts: Stmts): Rescue {
  const bodyStmts = toArray(stmts);
  return { start: word.start, end: bodyStmts.at(-1)?.end ?? then.start, types, name, body: bodyStmts };
}

export function rescueAll(word: Token, then: Token, stmts: Stmts): Rescue {
  return rescue(word, [], null, then, stmts);
}

/** `rescue Type`, or `rescue e`: a lower-case name is the variable. */
export function rescueTypes(word: Token, list: List<Expr>, then: Token, stmts: Stmts): Rescue {
  const types = toArray(list);
  const last = types.at(-1);
  if (last?.type !== 'Ident' || last.name[0] !== last.name[0]?.toLowerCase())
    return rescue(word, types, null, then, stmts);
  return rescue(word, types.slice(0, -1), { start: last.start, end: last.end, name: last.name }, then, stmts);
}

export function rescueNamed(word: Token, types: List<Expr>, name: Token, then: Token, stmts: Stmts): Rescue {
  return rescue(word, toArray(types), nameOf(name), then, stmts);
}

export function rescueArrow(word: Token, types: List<Expr>, name: Token, then: Token, stmts: Stmts): Rescue {
  return rescue(word, toArray(types), nameOf(name), then, stmts);
}

export function rescueAllNamed(word: Token, name: Token, then: Token, stmts: Stmts): Rescue {
  return rescue(word, [], nameOf(name), then, stmts);
}

// ---- blocks

function makeBlock(open: Token, params: Param[] | null, parts: Parts, close: Token): Block {
  return { start: open.start, end: close.end, params, body: body(open, parts, close) };
}

export function block(open: Token, parts: Parts, close: Token): Block {
  return makeBlock(open, null, parts, close);
}

/** Parameters of a block, which receives no named arguments. */
function blockParameters(list: MaybeList<Param>): Param[] {
  return toArray(list).map((param) =>
    param.kind === 'options'
      ? {
          ...param,
          default: invalid(
            'block-options',
            'a block receives no named arguments, so it has no `**` parameter',
            param.start,
            param.end,
            'leave it out, or use a lambda: `->(x, **options) { … }`',
          ),
        }
      : param,
  );
}

export function blockParams(open: Token, params: MaybeList<Param>, parts: Parts, close: Token): Block {
  return makeBlock(open, blockParameters(params), parts, close);
}

export function brace(open: Token, stmts: Stmts, close: Token): Block {
  return makeBlock(open, null, plainBody(stmts), close);
}

export function braceParams(open: Token, params: MaybeList<Param>, stmts: Stmts, close: Token): Block {
  return makeBlock(open, blockParameters(params), plainBody(stmts), close);
}

export function lambda(arrow: Token, value: Block): Lambda {
  return lambdaParams(arrow, value.params ?? [], value);
}

export function lambdaParams(arrow: Token, params: Param[], value: Block): Lambda {
  return { type: 'Lambda', start: arrow.start, end: value.end, params, body: value.body };
}
