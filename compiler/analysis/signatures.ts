import type * as Ast from '../ast.js';
import { walkFile } from '../check/walk.js';
import { nameOfRecord, type ModuleScope } from '../symbols.js';
import { calledBy } from './completion.js';
import { ownParams, paramText } from './describe.js';
import type { Facts } from './facts.js';
import { type Library, librarySignature } from './library.js';
import { patches } from './patch.js';
import { HERE } from './scopes.js';

/** A signature with the parameter that the argument at a place is for. */
export interface SignatureHelp {
  label: string;
  doc: string;
  params: { label: string }[];
  /** Index of the parameter; null if there is none for the argument. */
  active: number | null;
}

type AnyCall = Ast.Call | Ast.Method;

/** The function whose arguments are being written at an offset; null outside of calls. */
export function signatureAt(
  text: string,
  offset: number,
  analyse: (text: string) => Facts,
  library: Library,
): SignatureHelp | null {
  for (const { text: patched } of patches(text, offset)) {
    const facts = analyse(patched);
    const module = facts.program.entry;
    const found = innermostCall(module, patched);
    if (found === 'no name') continue;
    return found === null ? null : helpOf(found, facts, module, library);
  }
  return null;
}

interface Found {
  call: AnyCall;
  at: number;
}

/** The innermost call with the place of `HERE` in its arguments. */
function innermostCall(module: ModuleScope, text: string): Found | null | 'no name' {
  const at = text.indexOf(HERE);
  let isThere = false;
  let call: AnyCall | null = null;
  walkFile(module.tree, (node) => {
    if ('name' in node && node.name === HERE) isThere = true;
    if (node.type !== 'Call' && node.type !== 'Method') return;
    const [first] = node.args;
    const last = node.args.at(-1);
    if (first === undefined || last === undefined || first.start > at || last.end < at) return;
    if (call === null || call.args[0].start < first.start) call = node;
  });
  if (!isThere) return 'no name';
  return call === null ? null : { call, at };
}

function helpOf({ call, at }: Found, facts: Facts, module: ModuleScope, library: Library): SignatureHelp | null {
  const called = calledBy(call, facts, module, library);
  if (called === null) return null;
  const index = Math.max(
    0,
    call.args.findLastIndex((arg) => arg.start <= at),
  );
  const arg = call.args[index];
  const name = arg?.type === 'NamedArg' ? arg.name : null;
  if (called.entry !== null) {
    const { params, doc } = called.entry;
    return {
      label: librarySignature(called.entry),
      doc,
      params: params.map((label) => ({ label })),
      active: activeOf(params.map(nameOf), params, index, name),
    };
  }
  const { def } = called;
  const params = ownParams(def.params);
  const labels = params.map((param) => paramText(param, def.module));
  const title = def.node.type === 'Def' ? def.node.name.name : nameOfRecord(def.node);
  const returns = def.node.type === 'Def' && def.node.returns !== null ? ` -> ${def.node.returns}` : '';
  return {
    label: `${title}(${labels.join(', ')})${returns}`,
    doc: def.node.doc,
    params: labels.map((label) => ({ label })),
    active: activeOf(
      params.map(({ name }) => name),
      labels,
      index,
      name,
    ),
  };
}

function nameOf(param: string): string {
  return /\w+[?!]?/.exec(param)?.[0] ?? param;
}

function activeOf(
  names: readonly string[],
  labels: readonly string[],
  index: number,
  name: string | null,
): number | null {
  if (name !== null) {
    const named = names.indexOf(name);
    const options = labels.findIndex((label) => label.startsWith('**'));
    return named >= 0 ? named : options >= 0 ? options : null;
  }
  const rest = labels.findIndex((label) => /^\*(?!\*)/.test(label));
  if (rest >= 0 && index >= rest) return rest;
  return index < labels.length ? index : null;
}
