import type * as Ast from '../ast.js';
import type { Checked, NativeSignature } from './environment.js';
import type { Types } from './types.js';
import { walkNodes } from './walk.js';

/** `scheme://user:password@host` */
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:[^/?#\s@{<*$]+@[^/\s]/i;

/** Parameters that take secrets, by function or method. Hashing a known password shows nothing of others. */
const SECRETS: ReadonlyMap<string, string> = new Map([
  ['session', 'secret'],
  ['SvcApp.sessions', 'secret'],
  ['auth_token_create', 'secret'],
  ['auth_token_verify', 'secret'],
  ['auth_token_verify_text', 'secret'],
  ['bearer_required', 'secret'],
  ['jwt_sign', 'key'],
  ['jwt_verify', 'key'],
  ['jwt_required', 'key'],
  ['oidc', 'client_secret'],
  ['hmac_sign', 'secret'],
  ['hmac_verify', 'secret'],
  ['basic_auth_ok?', 'expected_pass'],
]);
const WORDS: Readonly<Record<string, string>> = { expected_pass: 'password' };
const HINT = 'read it from the environment: `env("NAME")`';

/** Reports secrets that are written in the program: arguments of library functions, and passwords in URLs. */
export function checkSecrets(checked: Checked, types: Types): void {
  const { module, report } = checked;
  walkNodes(module.tree, ['Str', 'Call', 'Method'], (node) => {
    if (node.type === 'Str' && PASSWORD_IN_URL.test(node.value))
      report('warning', 'literal-secret', node, 'this URL holds a password', HINT);
    if (node.type !== 'Call' && node.type !== 'Method') return;
    const { name, native } = called(node, checked, types);
    const secret = SECRETS.get(name);
    if (secret === undefined || native === undefined) return;
    const given = argumentOf(node.args, native, secret);
    if (given !== null && isWritten(given, types))
      report(
        'warning',
        'literal-secret',
        given,
        `the ${WORDS[secret] ?? secret} of ${name}() stands in the program`,
        HINT,
      );
  });
}

/** The library function or method that a node calls; an empty name if it calls none. */
function called(
  node: Ast.Call | Ast.Method,
  { resolution, env }: Checked,
  types: Types,
): { name: string; native?: NativeSignature } {
  if (node.type === 'Method') {
    const type = types.of(node.recv) ?? '';
    return { name: `${type}.${node.name}`, native: env.methods.get(type)?.get(node.name) };
  }
  const symbol = node.callee.type === 'Ident' ? resolution.symbols.get(node.callee) : undefined;
  if (symbol?.kind !== 'native') return { name: '' };
  return { name: symbol.name, native: env.signatures.get(symbol.name) };
}

/** The value of a parameter; null if it is not given, or in a splat. */
function argumentOf(args: readonly Ast.Arg[], { params }: NativeSignature, name: string): Ast.Expr | null {
  for (const [i, arg] of args.entries()) {
    if (arg.type === 'Splat') return null;
    if (arg.type === 'NamedArg' ? arg.name === name : params[i]?.name === name)
      return arg.type === 'NamedArg' ? arg.value : arg;
  }
  return null;
}

/** Members of a JSON Web Key that are secret. */
const SECRET_MEMBERS = new Set(['k', 'd']);

/** Maximum nesting of collections: a variable may refer to itself. */
const MAX_LEVELS = 3;

/** Whether a text that is no public key, or a collection with one, is written in the program. */
function isWritten(node: Ast.Expr, types: Types, level = 0): boolean {
  if (level > MAX_LEVELS) return false;
  const variable = types.fixed(node);
  const value = variable === null ? node : types.valueOf(variable);
  switch (value?.type) {
    case 'Str':
      return value.value !== '' && !value.value.includes('-----BEGIN PUBLIC KEY-----');
    case 'Vector':
      return value.items.some((item) => item.type !== 'Splat' && isWritten(item, types, level + 1));
    case 'Hash':
      return value.entries.some(
        (entry) =>
          entry.type !== 'Splat' &&
          entry.key.type === 'Str' &&
          SECRET_MEMBERS.has(entry.key.value) &&
          isWritten(entry.value, types, level + 1),
      );
    default:
      return false;
  }
}
