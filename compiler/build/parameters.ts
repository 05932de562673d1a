import type { Expr, GroupPattern, Name, NamePattern, Param, Pattern, RestPattern } from '../ast.js';
import type { Token } from '../layout/token.js';
import { type List, toArray } from './list.js';

export function nameOf({ text, start, end }: Token): Name {
  return { start, end, name: text };
}

export function noParams(): Param[] {
  return [];
}

export function paramList(list: List<Param>): Param[] {
  return toArray(list);
}

function param(kind: Param['kind'], name: Token, defaultValue: Expr | null): Param {
  const end = defaultValue?.end ?? name.end;
  const annotation = name.extra === '' ? null : name.extra;
  return { start: name.start, end, name: name.text, kind, default: defaultValue, pattern: null, annotation };
}

export function plainParam(name: Token): Param {
  return param('plain', name, null);
}

export function defaultParam(name: Token, value: Expr): Param {
  return param('plain', name, value);
}

export function namedParam(name: Token): Param {
  return param('named', name, null);
}

export function namedParamDefault(name: Token, value: Expr): Param {
  return param('named', name, value);
}

export function restParam(star: Token, name: Token): Param {
  return {
    start: star.start,
    end: name.end,
    name: name.text,
    kind: star.text === '**' ? 'options' : 'rest',
    default: null,
    pattern: null,
    annotation: null,
  };
}

/** `(a, b)` among a block's parameters. */
export function groupParam(open: Token, list: List<Pattern>, close: Token): Param {
  return {
    start: open.start,
    end: close.end,
    name: '',
    kind: 'plain',
    default: null,
    pattern: toArray(list),
    annotation: null,
  };
}

export function namePattern({ text, start, end }: Token): NamePattern {
  return { type: 'NamePattern', start, end, name: text };
}

export function restPattern(star: Token, name?: Token): RestPattern {
  return { type: 'RestPattern', start: star.start, end: name?.end ?? star.end, name: name?.text ?? null };
}

export function groupPattern(open: Token, list: List<Pattern>, close: Token): GroupPattern {
  return { type: 'GroupPattern', start: open.start, end: close.end, items: toArray(list) };
}
