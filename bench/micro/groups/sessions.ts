import { do_not_optimize } from 'mitata';
import { basicAuthOk } from '../../../natives/auth/basic.js';
import { createToken, verifyToken } from '../../../natives/auth/token.js';
import { Request } from '../../../natives/web/request/request.js';
import { Response, TEXT } from '../../../natives/web/response/response.js';
import { sessionNatives } from '../../../natives/web/sessions/session.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Value } from '../../../vm/values/value.js';
import { machine } from '../machine.js';
import type { Bench, Case, Group } from '../measure.js';

const SECRET = 'a secret of sufficient length for all of these';

function requestWith(...fields: string[]): Request {
  return new Request({
    method: 'GET',
    path: '/',
    query: '',
    rawHeaders: ['Host', 'svc.test', 'User-Agent', 'bench', 'Accept', '*/*', ...fields],
    body: Buffer.alloc(0),
    upload: null,
    remoteAddress: '127.0.0.1',
    id: 'bench',
    maxPairs: 1000,
    trustedProxies: 0,
  });
}

function nativeNamed(name: string): NativeFunction {
  const found = sessionNatives.find((native) => native.name === name);
  if (found === undefined) throw new Error(`no native ${name}`);
  return found;
}

const open = nativeNamed('session');
const set = nativeNamed('[]=');
const get = nativeNamed('[]');
const save = nativeNamed('save');

/** Kinds of sessions: the secret, and whether the cookie is encrypted. */
const KINDS: Record<string, [secret: string | null, encrypt: boolean]> = {
  plain: [null, false],
  signed: [SECRET, false],
  encrypted: [SECRET, true],
};

/** The functions for each kind of session. */
function forEachKind(make: (secret: string | null, encrypt: boolean) => Bench): Record<string, Bench> {
  return Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [name, make(...kind)]));
}

/** What programs call to trust a client. */
export const sessions: Group = {
  name: 'sessions',
  about: 'One session or one check of credentials, each with a new request.',
  *cases(): Generator<Case> {
    const { vm } = machine();
    const write = (secret: string | null, encrypt: boolean): Response => {
      const response = new Response(200, '', TEXT);
      const session = open.impl(vm, requestWith(), response, secret, encrypt, null) as Value;
      set.impl(vm, session, 'user', 'alice@example.com');
      set.impl(vm, session, 'visits', 7);
      save.impl(vm, session, null);
      return response;
    };
    yield {
      title: 'session read from its verified cookie',
      benches: forEachKind((secret, encrypt) => {
        const cookie = write(secret, encrypt).allFields()[1].split(';')[0];
        const read = (): unknown =>
          get.impl(vm, open.impl(vm, requestWith('Cookie', cookie), null, secret, encrypt, null), 'user');
        if (read() !== 'alice@example.com') throw new Error('the session was not read');
        return () => do_not_optimize(read());
      }),
    };
    yield {
      title: 'session written to its cookie',
      benches: forEachKind((secret, encrypt) => () => do_not_optimize(write(secret, encrypt))),
    };
    const token = createToken('alice', SECRET, null);
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    const basic = `Basic ${Buffer.from('alice:wonderland').toString('base64')}`;
    yield {
      title: 'credentials',
      benches: {
        'bearer token, right': () =>
          do_not_optimize(verifyToken(requestWith('Authorization', `Bearer ${token}`), SECRET, 0)),
        'bearer token, wrong': () =>
          do_not_optimize(verifyToken(requestWith('Authorization', `Bearer ${wrong}`), SECRET, 0)),
        'bearer token, made': () => do_not_optimize(createToken('alice', SECRET, null)),
        'basic, right': () => do_not_optimize(basicAuthOk(requestWith('Authorization', basic), 'alice', 'wonderland')),
      },
    };
  },
};
