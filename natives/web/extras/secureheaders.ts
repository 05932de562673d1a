import { randomBytes } from 'node:crypto';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import { inSeconds } from '../../core/dates/duration.js';
import type { App } from '../app/app.js';
import type { Owner } from '../config/level.js';
import type { Request } from '../request/request.js';
import type { DefaultField } from '../response/response.js';

/** The policy unless `csp:` changes it: content of this site alone, no inline scripts. */
const DEFAULT_POLICY: readonly (readonly [string, readonly string[]])[] = [
  ['default-src', ["'self'"]],
  ['base-uri', ["'self'"]],
  ['font-src', ["'self'", 'https:', 'data:']],
  ['form-action', ["'self'"]],
  ['frame-ancestors', ["'self'"]],
  ['img-src', ["'self'", 'data:']],
  ['object-src', ["'none'"]],
  ['script-src', ["'self'"]],
  ['script-src-attr', ["'none'"]],
  ['style-src', ["'self'", 'https:', "'unsafe-inline'"]],
];

/** Directives of policies (CSP 3, and those that browsers add to it). Others are passed on unless they resemble one of these. */
const DIRECTIVES: ReadonlySet<string> = new Set(
  `default-src base-uri font-src form-action frame-ancestors img-src object-src script-src script-src-attr style-src
  child-src connect-src frame-src manifest-src media-src script-src-elem style-src-attr style-src-elem worker-src
  prefetch-src fenced-frame-src sandbox report-uri report-to webrtc upgrade-insecure-requests block-all-mixed-content
  require-sri-for require-trusted-types-for trusted-types plugin-types navigate-to referrer`.split(/\s+/),
);

/** Stands for the nonce of the request in a policy. */
const NONCE = "'nonce'";
/** Keywords of policies, which are quoted (CSP 3, 2.3.1). */
const KEYWORD =
  /^(self|none|nonce|unsafe-inline|unsafe-eval|unsafe-hashes|strict-dynamic|report-sample|wasm-unsafe-eval|inline-speculation-rules)$/;
const NONCE_BYTES = 16;
const YEAR = 31_536_000;

/** The options of `app.secure_headers` whose value is a text: option, header, value for `true`. */
const TEXTS = [
  ['content_type_options', 'X-Content-Type-Options', 'nosniff'],
  ['referrer_policy', 'Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['frame_options', 'X-Frame-Options', 'SAMEORIGIN'],
  ['opener_policy', 'Cross-Origin-Opener-Policy', 'same-origin'],
  ['resource_policy', 'Cross-Origin-Resource-Policy', 'same-origin'],
  ['embedder_policy', 'Cross-Origin-Embedder-Policy', 'require-corp'],
  ['origin_agent_cluster', 'Origin-Agent-Cluster', '?1'],
  ['cross_domain_policies', 'X-Permitted-Cross-Domain-Policies', 'none'],
  ['xss_protection', 'X-XSS-Protection', '0'],
  ['permissions_policy', 'Permissions-Policy', null],
] as const;

/** The signature of `app.secure_headers`. */
export const SECURE_HEADERS = [
  'csp: Any = true, report_only: Boolean = false, hsts: Any = true',
  ...TEXTS.map(
    ([option]) =>
      `${option}: Any = ${option === 'embedder_policy' || option === 'permissions_policy' ? 'nil' : 'true'}`,
  ),
].join(', ');

function field(name: string, value: string, option: string): DefaultField {
  if (!/^[\x20-\x7e]+$/.test(value))
    fail(
      Errors.ValueError,
      `secure_headers: ${option} contains a character that the header ${name} cannot carry: ${JSON.stringify(value)}`,
    );
  return { key: name.toLowerCase(), name, value };
}

/** The field of an option whose value is a text, `true` for its default, or `false` or nil for none. */
function textField([option, name, usual]: (typeof TEXTS)[number], given: Value): DefaultField[] {
  if (given === null || given === false) return [];
  if (given === true && usual !== null) return [field(name, usual, option)];
  if (typeof given === 'string') return [field(name, given, option)];
  return fail(
    Errors.TypeError,
    `secure_headers: ${option} must be a String${usual === null ? '' : ', true'} or false, got ${typeName(given)}`,
  );
}

/** The sources of a directive; null if it is switched off. */
function sourcesOf(directive: string, given: Value): readonly string[] | null {
  if (given === null || given === false) return null;
  if (given === true) return [];
  return (Array.isArray(given) ? given : [given]).flatMap((item) => {
    if (typeof item !== 'string')
      fail(
        Errors.TypeError,
        `secure_headers: ${directive} of csp must be a String, a Vector of Strings, true or false, got ${typeName(item)}`,
      );
    const words = item.split(' ').filter((word) => word !== '');
    const bare = words.find((word) => KEYWORD.test(word));
    if (bare !== undefined)
      fail(Errors.ValueError, `secure_headers: ${directive} of csp: the keyword ${bare} needs quotes: "'${bare}'"`);
    if (/[;,]/.test(item))
      fail(
        Errors.ValueError,
        `secure_headers: ${directive} of csp: a source has no "${/[;,]/.exec(item)?.[0]}": ${JSON.stringify(item)}`,
      );
    return words;
  });
}

/** The default policy with the directives of a Hash. */
function policyOf(changes: Hash): string {
  const policy = new Map(DEFAULT_POLICY);
  for (const [key, given] of changes.entries()) {
    const directive = toText(key).replaceAll('_', '-').toLowerCase();
    if (!/^[a-z][a-z-]*$/.test(directive))
      fail(Errors.ValueError, `secure_headers: ${JSON.stringify(toText(key))} is no directive of a policy`);
    const near = DIRECTIVES.has(directive) ? null : nearest(directive, DIRECTIVES);
    if (near !== null)
      fail(Errors.ValueError, `secure_headers: a policy has no directive ${directive}, did you mean '${near}'?`);
    const sources = sourcesOf(directive, given);
    if (sources === null) policy.delete(directive);
    else policy.set(directive, sources);
  }
  return [...policy].map(([directive, sources]) => [directive, ...sources].join(' ')).join('; ');
}

function policyText(given: Value): string | null {
  if (given === null || given === false) return null;
  if (given === true) return policyOf(new Hash());
  if (given instanceof Hash) return policyOf(given);
  if (typeof given === 'string' && given.trim() !== '') return given;
  return fail(
    Errors.TypeError,
    `secure_headers: csp must be a Hash, a String that is not empty, true or false, got ${toText(given)}`,
  );
}

function hstsText(given: Value): string | null {
  if (given === null || given === false) return null;
  if (given === true) return `max-age=${YEAR}; includeSubDomains`;
  if (typeof given === 'string') return given;
  const seconds = inSeconds(given);
  if (typeof seconds === 'number' && seconds >= 0) return `max-age=${seconds}; includeSubDomains`;
  return fail(
    Errors.TypeError,
    `secure_headers: hsts must be a Duration, whole seconds, a String, true or false, got ${toText(given)}`,
  );
}

/** The nonce of a request's policy, made when it is first asked for. */
function nonceOf(request: Request): string {
  return (request.nonce ??= randomBytes(NONCE_BYTES).toString('base64'));
}

/** Applications whose policy has a nonce. */
const withNonce = new WeakSet<Owner>();

/** Native `req.csp_nonce`: the nonce, or nil if no policy of the application has one. */
export function cspNonce(request: Request): string | null {
  const { root, levels } = request;
  const asks = [root, ...levels.map(({ level }) => level.owner)].some(
    (owner) => owner !== null && withNonce.has(owner),
  );
  return asks ? nonceOf(request) : null;
}

/** Native `app.secure_headers`: sends headers that protect browsers with every response that lacks them. */
export function enableSecureHeaders(
  app: App,
  csp: Value,
  reportOnly: boolean,
  hsts: Value,
  texts: readonly Value[],
): void {
  const policy = policyText(csp);
  const name = reportOnly ? 'Content-Security-Policy-Report-Only' : 'Content-Security-Policy';
  const transport = hstsText(hsts);
  const fixed = TEXTS.flatMap((option, i) => textField(option, texts[i]));
  const secure = transport === null ? [] : [field('Strict-Transport-Security', transport, 'hsts')];
  const hasNonce = policy !== null && policy.includes(NONCE);
  const plain = policy === null ? fixed : [field(name, policy, 'csp'), ...fixed];
  const safe = [...plain, ...secure];
  if (hasNonce) withNonce.add(app.owner);
  app.finishers.push((request, response) => {
    const fields = request.isHttps ? safe : plain;
    response.addDefaults(hasNonce ? withNonceOf(request, fields) : fields);
  });
}

function withNonceOf(request: Request, [policy, ...others]: readonly DefaultField[]): DefaultField[] {
  const value = policy.value.replaceAll(NONCE, `'nonce-${nonceOf(request)}'`);
  return [{ ...policy, value }, ...others];
}
