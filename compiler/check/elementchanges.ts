/** Elements that do not fit the annotation of the vector or hash that receives them: `names << 5`. */
import type * as Ast from '../ast.js';
import { alternatives, argumentsOf } from '../annotationtypes.js';
import { mismatchText } from './calls.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { walkNodes } from './walk.js';

/** Methods of vectors all of whose arguments become elements. */
const ADDING = new Set(['push', 'append', 'unshift', 'prepend']);

export function checkElementChanges(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Binary', 'Method', 'Assign'], (node) => {
    if (node.type === 'Binary') {
      if (node.op === '<<') add(node.left, [node.right], checked, types);
    } else if (node.type === 'Method') {
      if (ADDING.has(node.name)) add(node.recv, node.args, checked, types);
    } else if (node.target.type === 'Index') set(node.target, node.value, checked, types);
  });
}

function add(receiver: Ast.Expr, values: readonly Ast.Arg[], checked: Checked, types: Types): void {
  const [element] = types.of(receiver) === 'Vector' ? argumentsOf(types.annotation(receiver) ?? '') : [];
  if (element === undefined) return;
  for (const value of values)
    if (value.type !== 'NamedArg' && value.type !== 'Splat') fit(value, element, checked, types);
}

/** `list[0] = value`, `hash[key] = value` */
function set({ recv, args }: Ast.Index, value: Ast.Expr, checked: Checked, types: Types): void {
  const inner = argumentsOf(types.annotation(recv) ?? '');
  const type = types.of(recv);
  if (args.length !== 1) return;
  if (type === 'Hash' && inner.length === 2) {
    fit(args[0], inner[0], checked, types, 'the key');
    fit(value, inner[1], checked, types);
  } else if (type === 'Vector' && inner.length === 1 && types.of(args[0]) === 'Integer')
    fit(value, inner[0], checked, types);
}

function fit(value: Ast.Expr, element: string, checked: Checked, types: Types, what = 'the element'): void {
  // A nil marks an empty place, whatever the type.
  const found = alternatives(element).length === 0 || value.type === 'Nil' ? null : types.mismatch(value, element);
  if (found !== null) checked.report('error', 'wrong-type', found.node, mismatchText(what, value, found));
}
