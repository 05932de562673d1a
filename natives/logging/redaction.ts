import { decodeFormText } from '../http/percent.js';

/** Names of fields whose values are secrets in most programs. */
const SECRETS =
  `password passwd passphrase pwd secret token jwt api_key apikey access_key private_key credential credentials
  authorization proxy_authorization cookie set_cookie csrf otp pin cvv card_number`.split(/\s+/);

/** Last words of names whose values say something about a secret, but not the secret: `token_count`. */
const FACTS: ReadonlySet<string> = new Set(
  `age at attempts count expiration expired expires expires_in expiry id ids kind length limit name size status ttl type
  valid version`.split(/\s+/),
);

/** What stands in place of a secret. */
export const REDACTED = '[redacted]';

/** Maximum characters of a name that can be secret. */
export const MAX_NAME = 100;

/** Maximum names whose decision is kept. */
const MAX_KNOWN = 1000;

/** What a name says of its value. A `plural` with a number is a count: `tokens: 3`. */
type Verdict = 'open' | 'plural' | 'secret';

/** The words of a name: `accessToken`, `Access-Token` and `access_token` have the same; `JWTs` is one. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Decides by the name of a field whether its value is a secret. */
export class Redaction {
  /** Names of secrets: their words, joined by underscores. */
  private readonly names = new Set(SECRETS);
  /** Maximum words of one of them. */
  private maxWords = 2;
  private readonly known = new Map<string, Verdict>();

  add(name: string): void {
    const words = wordsOf(name);
    this.names.add(words.length === 0 ? name : words.join('_'));
    this.maxWords = Math.max(this.maxWords, words.length);
    this.known.clear();
  }

  /**
   * Whether consecutive words of a name are one of the list: `reset_token`, `token2` and `passwords[]` are secrets. A
   * part of `user[password]` or `user.password` is decided like a name. Not secret are names whose last word states a
   * fact about a secret, and plurals of numbers.
   */
  isSecret(name: string, isNumber = false): boolean {
    const verdict = name.length <= MAX_NAME ? this.remembered(name) : this.strongest(partsOf(name));
    return verdict === 'secret' || (verdict === 'plural' && !isNumber);
  }

  private remembered(name: string): Verdict {
    let verdict = this.known.get(name);
    if (verdict !== undefined) return verdict;
    verdict = this.strongest([name, ...partsOf(name)]);
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(name, verdict);
    return verdict;
  }

  private strongest(names: readonly string[]): Verdict {
    let strongest: Verdict = 'open';
    for (const name of names) {
      const verdict = name.length <= MAX_NAME ? this.judge(name) : 'open';
      if (verdict === 'secret') return verdict;
      if (verdict === 'plural') strongest = verdict;
    }
    return strongest;
  }

  private judge(name: string): Verdict {
    const words = wordsOf(name);
    if (words.length === 0) return this.names.has(name) ? 'secret' : 'open';
    const { length } = words;
    const isFact = FACTS.has(words[length - 1]) || FACTS.has(words.slice(-2).join('_'));
    let verdict: Verdict = 'open';
    for (let start = 0; start < length; start++) {
      let run = '';
      for (let end = start; end < Math.min(length, start + this.maxWords); end++) {
        run += end === start ? words[end] : `_${words[end]}`;
        // A name of the list may itself end in such a word.
        if (isFact && end < length - 1) continue;
        const found = this.compare(run);
        if (found === 'secret') return found;
        if (found === 'plural') verdict = found;
      }
    }
    return verdict;
  }

  /** Compares words with the list, also without digits at their end, and without the `s` of a plural. */
  private compare(run: string): Verdict {
    if (this.names.has(run)) return 'secret';
    const plain = run.replace(/\p{N}+$/u, '');
    if (plain !== run && this.names.has(plain)) return 'secret';
    return plain.endsWith('s') && this.names.has(plain.slice(0, -1)) ? 'plural' : 'open';
  }

  /** A query with the values of secret parameters replaced. Their names are decoded as for `req.query`. */
  query(text: string): string {
    if (text === '') return text;
    return text
      .split('&')
      .map((pair) => {
        const end = pair.indexOf('=');
        return end > 0 && this.isSecret(decodeFormText(pair.slice(0, end)))
          ? `${pair.slice(0, end)}=${REDACTED}`
          : pair;
      })
      .join('&');
  }
}

/** The parts of a name that has several: `user[password]` and `user.password` have two. */
function partsOf(name: string): string[] {
  return /[[\].]/.test(name) ? name.split(/[[\].]+/).filter((part) => part !== '') : [];
}
