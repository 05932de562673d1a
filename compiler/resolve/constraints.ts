import type * as Ast from '../ast.js';
import { regexProblem } from '../../vm/bytecode/regexsyntax.js';
import { invalidArguments, invalidConstraint, regexesIn, takesConstraints } from '../annotationtypes.js';

type Report = (code: string, node: Ast.Node, message: string, hint?: string) => void;

const HINT = 'write a range of numbers, as in `String(1..200)` and `Int(1..)`, or a regex, as in `String(/[a-z]+/)`';

/** Reports invalid constraints and type arguments in the types of a record's fields. */
export function checkConstraints(fields: readonly Ast.Param[], report: Report): void {
  for (const field of fields) {
    const { annotation, default: value } = field;
    if (annotation === null) {
      // What is no constraint is read as a default that calls the type.
      if (value?.type === 'Call' && value.callee.type === 'Ident' && takesConstraints(value.callee.name))
        report('bad-constraint', value, `invalid constraint of ${value.callee.name}`, HINT);
      continue;
    }
    const problem = invalidConstraint(annotation);
    if (problem !== null) report('bad-constraint', field, `invalid type \`${annotation}\`: ${problem}`, HINT);
    const wrongCount = invalidArguments(annotation);
    if (wrongCount !== null) report('bad-type-arguments', field, `invalid type \`${annotation}\`: ${wrongCount}`);
    for (const { source, flags } of regexesIn(annotation)) {
      const wrong = regexProblem(source, flags);
      if (wrong !== null) report('bad-regex', field, wrong);
    }
  }
}
