import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { toText } from '../../../vm/values/text/text.js';
import { App } from '../app/app.js';
import { type MaxAge, secondsOf } from '../config/maxage.js';
import type { Request } from '../request/request.js';
import { Response } from '../response/response.js';
import { vary } from './vary.js';

/** Permissions of other origins. */
interface CorsPolicy {
  /** null means every origin. */
  origins: Set<string> | null;
  methods: string;
  /** Empty means whatever the preflight asks for. */
  headers: string;
  credentials: boolean;
  maxAge: number | null;
}

function listText(value: Value): string {
  return Array.isArray(value) ? value.map(toText).join(', ') : toText(value);
}

function originsOf(value: Value): Set<string> | null {
  const origins = (Array.isArray(value) ? value : [value]).map(toText);
  return origins.includes('*') ? null : new Set(origins);
}

/**
 * Native `app.cors`: answers preflights and adds the headers that let pages of other origins read responses (Fetch
 * standard, CORS protocol).
 */
export function enableCors(
  app: App,
  origins: Value,
  methods: Value,
  headers: Value,
  credentials: boolean,
  maxAge: MaxAge,
): void {
  const policy: CorsPolicy = {
    origins: originsOf(origins),
    methods: listText(methods),
    headers: headers === null ? '' : listText(headers),
    credentials,
    maxAge: secondsOf(maxAge),
  };
  if (credentials && policy.origins === null)
    fail(Errors.ArgumentError, 'app.cors() with credentials needs a list of origins: browsers refuse "*"');
  // Report invalid values here rather than at the first request.
  addPolicy(policy, new Response(204, '', null), policy.headers);
  restricted.add(app);
  app.guards.push((request) => (isInnermost(app, request) ? preflight(policy, request) : null));
  app.finishers.push((request, response) => {
    if (isInnermost(app, request)) allow(policy, request, response);
  });
}

/** Applications that have a policy. */
const restricted = new WeakSet<App>();

/** Whether no application that is mounted in `app` and answers the request has a policy of its own. */
function isInnermost(app: App, { levels }: Request): boolean {
  const inner = levels.slice(levels.findIndex(({ level }) => level === app) + 1);
  return !inner.some(({ level }) => level instanceof App && restricted.has(level));
}

function allowedOrigin(policy: CorsPolicy, request: Request): string | null {
  const origin = request.header('origin');
  if (origin === null) return null;
  if (policy.origins === null) return '*';
  return policy.origins.has(origin) ? origin : null;
}

function allow(policy: CorsPolicy, request: Request, response: Response): void {
  if (policy.origins !== null) vary(response, 'Origin');
  const origin = allowedOrigin(policy, request);
  if (origin === null) return;
  response.setField('Access-Control-Allow-Origin', origin);
  if (policy.credentials) response.setField('Access-Control-Allow-Credentials', 'true');
}

/** The answer to a preflight, or null when the request is not one. */
function preflight(policy: CorsPolicy, request: Request): Response | null {
  if (request.parts.method !== 'OPTIONS' || request.header('access-control-request-method') === null) return null;
  const response = new Response(204, '', null);
  if (allowedOrigin(policy, request) === null) return response;
  addPolicy(
    policy,
    response,
    policy.headers === '' ? request.header('access-control-request-headers') : policy.headers,
  );
  return response;
}

/** @throws ValueError for a value that no header can carry */
function addPolicy(policy: CorsPolicy, response: Response, headers: string | null): void {
  response.addField('Access-Control-Allow-Methods', policy.methods);
  if (headers !== null) response.addField('Access-Control-Allow-Headers', headers);
  if (policy.maxAge !== null) response.addField('Access-Control-Max-Age', String(policy.maxAge));
}
