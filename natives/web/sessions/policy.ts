import { Errors, fail } from '../../../vm/values/error.js';
import { Handle } from '../../../vm/values/handle.js';
import type { Value } from '../../../vm/values/value.js';
import { cookieText, MAX_COOKIE } from '../../http/cookies.js';
import { findSessionCookie, sealed, type SessionCodec, signed } from './cookie.js';

/** Options of `app.sessions`. */
export interface SessionOptions {
  /** The first one signs, all of them verify. */
  readonly secrets: readonly string[];
  readonly encrypt: boolean;
  readonly name: string;
  readonly path: string;
  readonly domain: string | null;
  readonly sameSite: string;
  /** Whether the cookie has the attribute Secure; `auto`: if its request came by HTTPS. */
  readonly secure: boolean | 'auto';
  /** Seconds after its last change in which a session is valid; null until the browser is closed. */
  readonly maxAge: number | null;
  /** An object that keeps the contents; null if the cookie has them. */
  readonly store: Value;
}

/** Contents of a valid cookie. */
export interface SentSession {
  /** The session's JSON, or its identifier in the store. */
  readonly content: string;
  /** Whether the cookie should be renewed: more than half of its time is over, or an old secret signed it. */
  readonly isStale: boolean;
}

/** Seconds for which the server accepts a session that lasts until the browser is closed. */
const DAY = 24 * 60 * 60;
const SEPARATOR = '.';

/** How the sessions of an application travel: their cookie, its signature, and their life. */
export class SessionPolicy {
  private readonly codecs: readonly SessionCodec[];

  /** @throws ArgumentError if no browser would take the cookie */
  constructor(readonly options: SessionOptions) {
    const { secrets, encrypt, name, store } = options;
    // A cookie with another name or other contents is no valid session, even if it has the same secret.
    const use = `${store === null ? 'sessions' : 'stored sessions'} ${name}`;
    this.codecs = secrets.map((secret) => (encrypt ? sealed(secret, use) : signed(secret, use)));
    this.text('x', options.secure === true);
  }

  /** Whether its store can replace a value only if there is one, as key stores can. */
  get replaces(): boolean {
    const { store } = this.options;
    return store instanceof Handle && store.type.methods.has('replace');
  }

  /** Seconds for which the server accepts a session after it was saved. */
  get lifetime(): number {
    return this.options.maxAge ?? DAY;
  }

  /** The session in a Cookie header; null if there is none that is valid at `now`, in milliseconds. */
  read(header: string, now: number): SentSession | null {
    const sent = findSessionCookie(header, this.options.name);
    if (sent === null) return null;
    for (const [index, codec] of this.codecs.entries()) {
      const payload = codec.unwrap(sent);
      if (payload !== null) return this.opened(payload, index > 0, now);
    }
    return null;
  }

  private opened(payload: string, isOldSecret: boolean, now: number): SentSession | null {
    const end = payload.indexOf(SEPARATOR);
    const age = now - Number.parseInt(payload.slice(0, end), 36);
    const most = this.lifetime * 1000;
    if (!(age < most)) return null;
    const content = payload.slice(end + 1);
    return {
      content: this.isCoded ? Buffer.from(content, 'base64url').toString() : content,
      isStale: isOldSecret || age > most / 2,
    };
  }

  /** Whether the JSON is in base64url, which takes fewer bytes than percent-encoding. */
  private get isCoded(): boolean {
    return this.options.store === null && !this.options.encrypt;
  }

  /** The Set-Cookie value for a session that is saved at `now`; with `content` null, one that deletes the cookie. */
  cookie(content: string | null, now: number, isHttps: boolean): string {
    const { secure } = this.options;
    const isSecure = secure === 'auto' ? isHttps : secure;
    if (content === null) return this.text('', isSecure, 0);
    const coded = this.isCoded ? Buffer.from(content).toString('base64url') : content;
    return this.text(this.codecs[0].wrap(`${now.toString(36)}${SEPARATOR}${coded}`), isSecure);
  }

  private text(value: string, isSecure: boolean, maxAge = this.options.maxAge): string {
    const { name, path, domain, sameSite } = this.options;
    const made = cookieText(name, value, [
      ['path', path],
      ['domain', domain],
      ['same_site', sameSite],
      ['max_age', maxAge],
      ['secure', isSecure],
    ]);
    if (!('error' in made)) return made.text;
    // The value consists of characters that are valid in a cookie, so it can only be too long.
    if (value.length <= 1) return fail(Errors.ArgumentError, `SvcApp.sessions(): ${made.error}`);
    return fail(
      Errors.ValueError,
      `the session takes ${value.length} bytes as a cookie, but browsers keep at most ${MAX_COOKIE} with the attributes; keep less in it, or pass a store to app.sessions, as in store: memory_store()`,
    );
  }
}
