import { decodeFormText } from '../http/percent.js';

/** Names of fields whose values are secrets in most programs. */
const SECRETS =
  `password passwd passphrase pwd secret token jwt api_key apikey access_key private_key credentials authorization
  proxy_authorization cookie set_cookie csrf otp pin cvv card_number`.split(/\s+/);

/** What stands in place of a secret. */
export const REDACTED = '[redacted]';

/** Maximum characters of a name that can be secret. */
export const MAX_NAME = 100;

/** Maximum names whose decision is kept. */
const MAX_KNOWN = 1000;

/** `accessToken`, `Access-Token` and `access_token` are the same name. */
function plainName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[-. ]/g, '_')
    .toLowerCase();
}

/** Decides by the name of a field whether its value is a secret. */
export class Redaction {
  private readonly names = new Set(SECRETS);
  private readonly known = new Map<string, boolean>();

  add(name: string): void {
    this.names.add(plainName(name));
    this.known.clear();
  }

  /** Whether a name is one of the list, or ends in one: `reset_token` does as `token` is in it. */
  isSecret(name: string): boolean {
    let secret = this.known.get(name);
    if (secret !== undefined) return secret;
    secret = name.length <= MAX_NAME && this.find(plainName(name));
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(name, secret);
    return secret;
  }

  private find(plain: string): boolean {
    for (let at = 0; ; at = plain.indexOf('_', at) + 1) {
      if (this.names.has(plain.slice(at))) return true;
      if (plain.indexOf('_', at) < 0) return false;
    }
  }

  /** A query with the values of secret parameters replaced: of those whose name, or a key in it, is secret. */
  query(text: string): string {
    if (text === '') return text;
    return text
      .split('&')
      .map((pair) => {
        const end = pair.indexOf('=');
        const isSecret = end > 0 && keysOf(pair.slice(0, end)).some((key) => this.isSecret(key));
        return isSecret ? `${pair.slice(0, end)}=${REDACTED}` : pair;
      })
      .join('&');
  }
}

/** The parts of a parameter's name, which is decoded as for `req.query`: `user[password]` has two. */
function keysOf(name: string): string[] {
  return decodeFormText(name).split(/[[\]]+/);
}
