import { mutationsOf, type Mutation } from './mutation.js';

/** Requests: layers, sessions, authentication. */
// prettier-ignore
export const WEB: readonly Mutation[] = [
  ...mutationsOf('natives/web/handling/layers.ts', ['web:4.1-routes', 'web:4.3-responses', 'web:7-errors', 'web:4.1-static'], {
    'before filters are passed by': ['app.before.length === 0 && app.after.length === 0', 'app.after.length === 0'],
    'after filters are passed by': ['app.before.length === 0 && app.after.length === 0', 'app.before.length === 0'],
    'middleware is passed by': ['app.middleware.length === 0 && ', ''],
    'app.error is passed by': [' && app.owner.onError === null', ''],
    'next_fn may be called twice': ["if (this.called) throw", "if (false) throw"],
    'files are served for any method': ["return method === 'GET' || method === 'HEAD' ? statics", "return method !== '' ? statics"],
    'a missing file ends the request': ['if (found === null) return statics(vm, job, index + 1);', 'if (found === null) return defaultNotFound();'],
    'a file that is missed after a wait ends the request': ['served(vm, job, mount, response) : statics(vm, job, index + 1)', 'served(vm, job, mount, response) : defaultNotFound()'],
    'OPTIONS is not answered': ["if (allowed !== '') return optionsResponse(allowed);", ''],
    'OPTIONS does not say what is allowed': ["response.addField('Allow', allowed);", ''],
    'app.not_found is not called': ['if (notFound !== null) return vm.callThen', 'if (false) return vm.callThen'],
    'a filter that answers does not end the request': ['return value instanceof Response ? afterFilters(vm, job, depth, value, 0) : before', 'return before'],
    'after filters do not run after a filter has answered': ['return value instanceof Response ? afterFilters(vm, job, depth, value, 0) : before', 'return value instanceof Response ? value : before'],
    'any value of an after filter replaces the response': ['value instanceof Response ? value : this.response;', 'value as Response;'],
    'only the first after filter runs': ['if (at === after.length) return response;', 'if (at === after.length || at > 0) return response;'],
    'a halt is an error': ["if (thrown instanceof Signal && thrown.kind === 'halt') return thrown.payload as Response;", ''],
    'app.error sees a halt': ['if (!(thrown instanceof SvcError)) throw thrown; logFailure', 'logFailure'],
  }),
  ...mutationsOf('natives/web/server/incoming.ts', ['web:8-limits/early_handshakes'], {
    'a handshake overtakes the answers to earlier requests': ['!this.isEarly && ', ''],
  }),
  ...mutationsOf('natives/web/sessions/session.ts', ['web:session'], {
    'a session is not HttpOnly': ['SameSite=Lax; HttpOnly`', 'SameSite=Lax`'],
    'a session is sent to other sites': ['; SameSite=Lax;', ';'],
    'an empty secret is taken': ["if (secret === '') fail", "if (false) fail"],
    'encryption needs no secret': ["return encrypt ? fail(Errors.ArgumentError, 'session(): encrypt: true needs a secret:') : PLAIN;", 'return PLAIN;'],
    'a session of any size is saved': ['if (bytes > MAX_COOKIE) fail', 'if (false) fail'],
    'what an inner layer has saved is forgotten': ['saved === undefined ? received(request, codec) : objectOf(saved.json)', 'received(request, codec)'],
    'bad JSON in a cookie is an error': ['if (error instanceof SvcError) return new Hash();', ''],
    'a missing key is nil for fetch': ["return rest.length === 0 ? fail(Errors.KeyError, `the session has no key ${inspect(keyOf(key))}`) : rest[0];", 'return rest[0] ?? null;'],
  }),
  ...mutationsOf('natives/auth/csrf.ts', ['test/natives/auth/csrf.unit.ts'], {
    'a session without a secret accepts tokens': ['if (secret === null || typeof given', 'if (typeof given'],
    'tokens of any form are looked at': [' || !TOKEN.test(given)) return false;', ') return false;'],
    'secrets of any form are taken': ["typeof text === 'string' && SECRET.test(text) ?", "typeof text === 'string' ?"],
    'a token shows its secret': ['Buffer.concat([mask, xor(mask, secret)])', 'Buffer.concat([Buffer.alloc(BYTES), secret])'],
    'POST is safe': ["new Set(['GET', 'HEAD', 'OPTIONS'])", "new Set(['GET', 'HEAD', 'OPTIONS', 'POST'])"],
    'an origin without a host is ours': ['if (match === null || host === null) return false;', 'if (match === null) return false;\n  if (host === null) return true;'],
    'implied ports are not left out': ["host.toLowerCase().replace(implied, '')", 'host.toLowerCase()'],
  }),
  ...mutationsOf('natives/auth/token.ts', ['test/natives/auth/token.unit.ts'], {
    'an empty secret accepts tokens': ["given?.scheme !== 'bearer' || secret === null || secret === '') return null;", "given?.scheme !== 'bearer' || secret === null) return null;"],
    'signatures may have any length': [' || token.length - colon - 1 !== SIGNATURE', ''],
    'long tokens are signed': [' || token.length > MAX_TOKEN) return null;', ') return null;'],
    'any scheme carries a token': ["given?.scheme !== 'bearer'", 'given === null'],
    'the first colon ends the subject': ["token.lastIndexOf(':')", "token.indexOf(':')"],
    'a subject may not begin with a blank': ["?? (blanks === '' ? null : subjectOf(blanks + credentials, secret, now))", ''],
    'tokens of any size are made': ['if (Buffer.byteLength(token) > MAX_TOKEN) fail', 'if (false) fail'],
  }),
  ...mutationsOf('natives/auth/ratelimit.ts', ['test/natives/auth/ratelimit.unit.ts'], {
    'one call too many is allowed': ['counter.calls <= limit.max ?', 'counter.calls <= limit.max + 1 ?'],
    'limits of one key mix': ['sha256(`${max} ${window} ${key}`)', 'sha256(`${key}`)'],
    'windows depend on the time of day': ['known.end > now ?', 'known.end > Date.now() ?'],
    'a window never ends': ['known.end > now ?', 'true ?'],
    'keys are never forgotten': ['if (end > now && this.byName.size <= MAX_KEYS) break;', 'break;'],
  }),
];
