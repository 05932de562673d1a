import { mutationsOf, type Mutation } from './mutation.js';

/** Resolution of names, and storage of variables. */
// prettier-ignore
export const COMPILER: readonly Mutation[] = [
  ...mutationsOf('compiler/resolve/program.ts', ['test/compiler/prelude.unit.ts'], {
    'a function of the prelude stays half resolved': ['this.definition = null;', ''],
  }),
  ...mutationsOf('compiler/resolve/resolver.ts', ['spec:errors/compile'], {
    'positional arguments may follow named ones': ["else if (isNamed && arg.type !== 'Splat') this.error", "else if (false) this.error"],
    'two parameters of one name': ["if (again && name !== '_') this.error(", 'if (false) this.error('],
    'two rest parameters': ["if ( (param.kind === 'rest' || param.kind === 'options') && param !== params.find(({ kind }) => kind === param.kind) ) this.error", 'if (false) this.error'],
    'a splat in an index': ["if (arg.type === 'Splat') this.error( 'splat-in-index'", "if (false) this.error('splat-in-index'"],
  }),
  ...mutationsOf('compiler/resolve/resolver.ts', ['spec:language/closures', 'spec:language', 'test/compiler/emit/golden.unit.ts'], {
    'variables captured in a loop are copied': ['if (variable.scope.fn === this.fn && this.loopDepth > variable.scope.loopDepth) variable.shared = true;', ''],
    'variables captured before they are assigned are copied': ['    if (variable.assignments === 0) variable.shared = true;\n', ''],
    'captures are counted twice': ['if (!fn.captures.includes(variable)) fn.captures.push(variable);', 'fn.captures.push(variable);'],
    'there is no implicit parameter': ["symbol = this.implicitParameter(node) ?? symbol;", 'symbol = symbol;'],
  }),
  ...mutationsOf('compiler/emit/matching.ts', ['spec:language/patterns', 'spec:language/enums'], {
    'vectors of any length fit': ["emitQuestion(b, '%has_elements', value, [count, { type: 'Bool', start, end, value: exactly }], fails);", ''],
    'a missing key fits nil': ["emitQuestion(b, '%has_key', hash, [key], fails);", ''],
    'an empty hash pattern fits every hash': ['(entries.length === 0 && rest === null)', 'false'],
    'the type of a record does not matter': ['emitTest(b, pattern.record, value, fails);', ''],
    'an alternative that fits goes on to the next': ['encoder.jump(Op.JUMP, fits);', ''],
    'a named pattern assigns without a test': ['emitPattern(b, pattern.pattern, value, fails);\n      storeName', 'storeName'],
    'unknown fields of records are accepted': ['if (at < 0)\n', 'if (false)\n'],
  }),
  ...mutationsOf('compiler/build/patterns.ts', ['test/compiler/errors.unit.ts', 'spec:language/patterns'], {
    'alternatives may assign different variables': ["if (missing === undefined || option.type === 'Error' || isReported) return option;", 'return option;'],
    'a vector pattern may have two rests': ['if (second !== undefined && !finds)', 'if (false)'],
    'keys of a pattern may repeat': ['if (seen.has(key))', 'if (false)'],
  }),
  ...mutationsOf('compiler/resolve/recordmembers.ts', ['spec:language/interfaces'], {
    'records may lack what their interfaces need': ['      const near = nearest(name, names);\n      report(\n        \'interface\',\n        at,', '      continue;\n      const near = nearest(name, names);\n      report(\n        \'interface\',\n        at,'],
    'methods of interfaces replace those of records': ['if (names.has(name)) continue;\n      names.add(name);', 'names.add(name);'],
    'records share the methods of an interface': ['structuredClone(method)', 'method'],
  }),
  ...mutationsOf('compiler/symbols.ts', ['spec:language/modules'], {
    'private functions are offered': ['!this.hidden.has(first) &&', ''],
    'names with an underscore are offered': ["!first.startsWith('_') &&", ''],
    'export lists do not matter': ['this.exports?.has(first) !== false', 'true'],
  }),
];
