import type * as client from 'openid-client';
import { afterwards } from '../../vm/calls/native.js';
import { Errors, ErrorValue, fail, SvcError } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { toText } from '../../vm/values/text/text.js';
import { visible } from '../../vm/values/text/visible.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import { functions, methodsOf, type Num } from '../core/declare.js';
import { trustedAddress } from './addresses.js';
import { fetchReason } from './jwtkeys.js';
import { OidcKeys, SignatureProblem } from './oidckeys.js';
import { parseJson } from '../core/json/jsonparse.js';
import { waitForOperation } from '../io/waiting.js';
import type { Request } from '../web/request/request.js';
import type { AppSession } from '../web/sessions/appsession.js';
import { sessionOf } from '../web/sessions/saving.js';

type Client = typeof client;

const OIDC = new HandleType('SvcOidc');

/** Key in the session of logins that have begun, by their state. */
const BEGUN = '_oidc';
/** Maximum logins of one browser that have begun: one for each of a few tabs. */
const MAX_BEGUN = 3;
/** Milliseconds after which the provider's description is fetched again. */
const DESCRIPTION_MS = 60 * 60 * 1000;

/** Codes of OidcError. */
type Code = 'state' | 'denied' | 'refused' | 'token' | 'provider' | 'unsupported';

function oidcError(code: Code, message: string): SvcError {
  const value = new ErrorValue(Errors.OidcError, message);
  value.details = { code };
  return new SvcError(value);
}

interface Options {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly redirectUri: URL;
  readonly scope: string;
  /** Seconds for each request to the provider. */
  readonly timeout: number;
}

/** A provider with which users log in, as a program has registered with it. */
class Oidc extends Handle {
  private config: Promise<client.Configuration> | null = null;
  private until = 0;
  private readonly keys: OidcKeys;

  constructor(readonly options: Options) {
    super();
    this.keys = new OidcKeys(options.clientSecret, options.issuer.protocol === 'http:', options.timeout);
  }

  get type(): HandleType {
    return OIDC;
  }

  override describe(): string {
    return `<SvcOidc ${this.options.issuer.href}>`;
  }

  /** The package and the provider's description, which is fetched at the first use. @throws OidcError */
  async open(): Promise<[Client, client.Configuration]> {
    const oidc = await import('openid-client');
    if (this.config === null || performance.now() > this.until) {
      this.until = performance.now() + DESCRIPTION_MS;
      const found = (this.config = this.discover(oidc));
      // Ask again the next time.
      found.catch(() => {
        if (this.config === found) this.config = null;
      });
    }
    return [oidc, await this.config];
  }

  /** A configuration for one request whose answer is to be seen. */
  copyOf(oidc: Client, config: client.Configuration): client.Configuration {
    const copy = new oidc.Configuration(config.serverMetadata(), this.options.clientId, undefined, oidc.None());
    copy.timeout = config.timeout;
    if (this.options.issuer.protocol === 'http:') oidc.allowInsecureRequests(copy);
    return copy;
  }

  private discover(oidc: Client): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret, timeout } = this.options;
    const secret = clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
    return oidc.discovery(issuer, clientId, undefined, secret, {
      timeout,
      execute: issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
    });
  }

  /** The content of a token of the provider after checking its signature. @throws SignatureProblem */
  signed(config: client.Configuration, token: string): Promise<string> {
    return this.keys.contentOf(token, config.serverMetadata().jwks_uri);
  }

  /** Runs an operation with the provider; its errors become those of the language. */
  run(vm: NativeContext, operation: (oidc: Client, config: client.Configuration) => Promise<Value>): undefined {
    return waitForOperation(vm, 'provider', async () => {
      try {
        return await operation(...(await this.open()));
      } catch (error) {
        throw error instanceof SvcError ? error : this.translated(error as ClientFailure);
      }
    });
  }

  private translated(error: ClientFailure | SignatureProblem): SvcError {
    if (error instanceof SignatureProblem) return this.unsigned(error);
    const said = visible(
      [error.error, error.error_description].filter((text) => typeof text === 'string').join(': '),
    ).slice(0, 500);
    const { href } = this.options.issuer;
    if (error.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR')
      return oidcError('denied', `the login was not granted: ${said}`);
    if (error.code === 'OAUTH_RESPONSE_BODY_ERROR')
      return oidcError('refused', `the provider ${href} refuses: ${said}`);
    const isResponse =
      /^OAUTH_(INVALID|JWT|KEY|JSON|MISSING|UNSUPPORTED|PARSE|RESPONSE_IS_NOT|.*CLAIM|.*COMPARISON)/.test(
        error.code ?? '',
      );
    // A token that cannot be read has the code of a response that cannot be.
    const detail = detailOf(error);
    const isToken = /\bJWT\b/.test(detail);
    if (isResponse && (isToken || !/NOT_CONFORM|NOT_JSON|PARSE/.test(error.code ?? '')))
      return oidcError('token', `the answer of the provider ${href} is not valid: ${visible(detail)}`);
    return oidcError('provider', `the provider ${href} cannot be used: ${visible(fetchReason(error))}`);
  }

  private unsigned(problem: SignatureProblem): SvcError {
    const { href } = this.options.issuer;
    if (!problem.isOfKeys)
      return oidcError('token', `the answer of the provider ${href} is not valid: ${problem.message}`);
    return oidcError('provider', `the provider ${href} cannot be used: ${visible(problem.message)}`);
  }
}

/** What was wrong with an answer; the cause of an error of `openid-client` names the claim, for example. */
function detailOf({ cause, message }: ClientFailure): string {
  return cause instanceof Error ? cause.message : message;
}

/** An error of `openid-client`. */
interface ClientFailure extends Error {
  code?: string;
  error?: string;
  error_description?: string;
  cause?: unknown;
}

function make(
  _vm: NativeContext,
  issuer: string,
  clientId: string,
  redirectUri: string,
  clientSecret: string | null,
  scope: string,
  timeout: Num | DurationValue,
): Oidc {
  const time = inSeconds(timeout);
  const seconds = time instanceof Float ? time.n : Number(time);
  if (clientId === '') fail(Errors.ArgumentError, 'oidc(): client_id must not be empty');
  if (clientSecret === '')
    fail(Errors.ArgumentError, 'oidc(): client_secret must not be empty; nil is for public clients');
  if (!scope.split(' ').includes('openid')) fail(Errors.ArgumentError, 'oidc(): scope must contain "openid"');
  if (!(seconds > 0 && seconds <= 3600))
    fail(Errors.ArgumentError, `oidc(): timeout must be more than 0 seconds and at most an hour, got ${seconds}`);
  return new Oidc({
    issuer: trustedAddress('oidc(): issuer', issuer),
    clientId,
    clientSecret,
    redirectUri: trustedAddress('oidc(): redirect_uri', redirectUri),
    scope,
    timeout: seconds,
  });
}

/** Parameters that the library sets. */
const OWN = new Set(
  'client_id response_type response_mode redirect_uri scope state nonce code_challenge code_challenge_method'.split(
    ' ',
  ),
);

function paramsOf(given: Hash | null): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [key, value] of given?.entries() ?? []) {
    const name = toText(key);
    if (OWN.has(name)) fail(Errors.ArgumentError, `login_url(): the parameter ${name} is set by the library`);
    params[name] = toText(value);
  }
  return params;
}

/** A path of this site; `/` for anything else, which may lead to another one. */
function ownPath(given: string | null): string {
  return given !== null && /^\/(?![\\/])[^\0-\x20\\\x7f]*$/.test(given) ? given : '/';
}

/** Method `login_url`: begins a login. */
function loginUrl(
  vm: NativeContext,
  oidc: Oidc,
  request: Request,
  returnTo: string | null,
  given: Hash | null,
): Value | undefined {
  const params = paramsOf(given);
  const { redirectUri, scope } = oidc.options;
  return sessionOf(vm, request, 'login_url()', (session) => {
    session.change();
    return afterwards(
      vm,
      () =>
        oidc.run(vm, async (library, config) => {
          const [state, nonce, verifier] = [
            library.randomState(),
            library.randomNonce(),
            library.randomPKCECodeVerifier(),
          ];
          const url = library.buildAuthorizationUrl(config, {
            ...params,
            redirect_uri: redirectUri.href,
            scope,
            state,
            nonce,
            code_challenge: await library.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          });
          return [url.href, state, nonce, verifier];
        }),
      (value) => {
        const [url, state, nonce, verifier] = value as string[];
        begin(
          session,
          state,
          Hash.from([
            ['nonce', nonce],
            ['verifier', verifier],
            ['return_to', ownPath(returnTo)],
          ]),
        );
        return url;
      },
    );
  });
}

function begin(session: AppSession, state: string, login: Hash): void {
  session.change();
  const kept = session.data.get(BEGUN);
  const begun = kept instanceof Hash ? kept : new Hash();
  begun.set(state, login);
  while (begun.size > MAX_BEGUN) begun.shift();
  session.data.set(BEGUN, begun);
}

/** Takes a login that has begun from the session: it can be finished once. */
function take(session: AppSession, state: Value): Hash {
  session.change();
  const begun = session.data.get(BEGUN);
  const login = begun instanceof Hash ? begun.delete(state) : undefined;
  if (!(begun instanceof Hash) || !(login instanceof Hash))
    throw oidcError('state', 'this browser has not begun this login, or has finished it already; begin again');
  if (begun.size === 0) session.data.delete(BEGUN);
  return login;
}

const text = (hash: Hash, key: string): string => toText(hash.get(key) ?? '');

/** Method `callback`: finishes a login. */
function callback(vm: NativeContext, oidc: Oidc, request: Request): Value | undefined {
  return sessionOf(vm, request, 'callback()', (session) => {
    const state = request.query.get('state') ?? null;
    const login = take(session, state);
    const url = new URL(oidc.options.redirectUri);
    url.search = request.parts.query;
    return oidc.run(vm, async (library, config) => {
      const tokens = await library.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: text(login, 'verifier'),
        expectedState: toText(state),
        expectedNonce: text(login, 'nonce'),
        idTokenExpected: true,
      });
      const result = await resultOf(vm, oidc, config, tokens);
      result.set('return_to', text(login, 'return_to'));
      return result;
    });
  });
}

/** The values of the language for an answer in JSON: JavaScript's numbers would lose digits of large Integers. */
function valueOf(oidc: Oidc, json: string): Value {
  try {
    return parseJson(json);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { href } = oidc.options.issuer;
    throw oidcError('token', `the answer of the provider ${href} is not valid: ${visible(error.value.message)}`);
  }
}

async function resultOf(
  vm: NativeContext,
  oidc: Oidc,
  config: client.Configuration,
  tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
): Promise<Hash> {
  const content = tokens.id_token === undefined ? null : await oidc.signed(config, tokens.id_token);
  const claims = tokens.claims();
  const seconds = tokens.expiresIn();
  return Hash.from([
    ['subject', claims?.sub ?? null],
    ['claims', content === null ? null : valueOf(oidc, content)],
    ['access_token', tokens.access_token],
    ['refresh_token', tokens.refresh_token ?? null],
    ['id_token', tokens.id_token ?? null],
    ['expires_at', seconds === undefined ? null : Math.floor(vm.host.wallClock() / 1000) + seconds],
    ['scope', tokens.scope ?? null],
  ]);
}

function refresh(vm: NativeContext, oidc: Oidc, token: string): undefined {
  return oidc.run(vm, async (library, config) => {
    const result = await resultOf(vm, oidc, config, await library.refreshTokenGrant(config, token));
    // Without a new refresh token, the old one stays in use (RFC 6749 section 6).
    if (result.get('refresh_token') === null) result.set('refresh_token', token);
    return result;
  });
}

/** What the provider tells of a user, in JSON or in a signed token. */
function userInfo(vm: NativeContext, oidc: Oidc, token: string, subject: string): undefined {
  return oidc.run(vm, async (library, config) => {
    let body = '';
    let isSigned = false;
    // A configuration of its own, whose answers are seen: the library checks no signatures.
    const own = oidc.copyOf(library, config);
    own[library.customFetch] = async (url, options) => {
      const response = await fetch(url, options);
      if (response.status !== 200) return response;
      body = await response.text();
      isSigned = /^application\/jwt *(;|$)/i.test(response.headers.get('content-type') ?? '');
      return new Response(body, { headers: response.headers });
    };
    await library.fetchUserInfo(own, token, subject);
    return valueOf(oidc, isSigned ? await oidc.signed(config, body) : body);
  });
}

function logoutUrl(vm: NativeContext, oidc: Oidc, idToken: string | null, returnTo: string | null): undefined {
  const params = {
    ...(idToken === null ? {} : { id_token_hint: idToken }),
    ...(returnTo === null ? {} : { post_logout_redirect_uri: returnTo }),
  };
  return oidc.run(vm, async (library, config) => {
    if (config.serverMetadata().end_session_endpoint === undefined)
      throw oidcError('unsupported', `the provider ${oidc.options.issuer.href} has no address for logging out`);
    return library.buildEndSessionUrl(config, params).href;
  });
}

/** The module `oidc`: login with a provider of OpenID Connect. */
// prettier-ignore
export const oidcNatives: readonly NativeFunction[] = [
  ...functions([
    ['oidc', 'issuer: String, client_id: String, redirect_uri: String, client_secret: String? = nil, scope: String = "openid email profile", timeout: Number|Duration = 10', 'SvcOidc', 'A provider with which users log in (OpenID Connect), found by its `issuer`; the other values are those with which the application is registered there.', make],
  ]),
  ...methodsOf('SvcOidc', [
    ['login_url', 'req: SvcRequest, return_to: String? = nil, params: Hash? = nil', 'String', 'Begins a login, noted in `req.session`; the address at the provider to which the browser is redirected. `return_to` is a path of this site for afterwards.', loginUrl],
    ['callback', 'req: SvcRequest', 'Hash', 'Finishes a login when the provider has sent the browser back: subject, claims, access_token, refresh_token, id_token, expires_at, scope, return_to. OidcError when it failed; its `code` is state, denied, refused, token or provider.', callback],
    ['refresh', 'refresh_token: String', 'Hash', 'New tokens for a refresh token, as `callback` returns them.', refresh],
    ['user_info', 'access_token: String, subject: String', 'Hash', 'What the provider tells of a user.', userInfo],
    ['logout_url', 'id_token: String? = nil, return_to: String? = nil', 'String', 'The address at which a user logs out at the provider; it then sends the browser to `return_to`, which must be registered there.', logoutUrl],
  ]),
];
for (const fn of oidcNatives) if (fn.owner !== '') OIDC.methods.set(fn.name, fn);
