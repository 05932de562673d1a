import { mutationsOf, type Mutation } from './mutation.js';

/** Resolution of names, and storage of variables. */
// prettier-ignore
export const COMPILER: readonly Mutation[] = [
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
];
