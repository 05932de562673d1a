/** The cookies of a client. `tough-cookie`, with its list of public suffixes, is loaded with the first client that needs it. */
import type { Cookie, CookieJar } from 'tough-cookie';

/** The last point in time that a Date can hold, in milliseconds since 1970. */
const LAST_TIME = 8.64e15;

/** The cookies of a client: kept, sent and dropped as browsers do. */
export class Jar {
  private opened: CookieJar | null = null;
  private parse: typeof Cookie.parse = () => undefined;

  /** @param now milliseconds since 1970: a virtual clock expires cookies too */
  constructor(private readonly now: () => number) {}

  async open(): Promise<void> {
    if (this.opened !== null) return;
    const { CookieJar, Cookie } = await import('tough-cookie');
    this.parse = (text) => Cookie.parse(text);
    this.opened ??= new CookieJar();
  }

  private cookiesFor(url: string): Cookie[] {
    const now = this.now();
    const all = this.opened?.getCookiesSync(url, { expire: false, sort: true }) ?? [];
    return all.filter(({ expires }) => !(expires instanceof Date) || expires.getTime() > now);
  }

  /** The Cookie header for a request; empty if there is none. */
  header(url: string): string {
    return this.cookiesFor(url)
      .map((cookie) => cookie.cookieString())
      .join('; ');
  }

  /** Names and values of the cookies that are sent to `url`. */
  pairs(url: string): [string, string][] {
    return this.cookiesFor(url).map(({ key, value }) => [key, value]);
  }

  /** Keeps the cookies of a response; ignores those that browsers refuse. */
  take(url: string, fields: readonly string[]): void {
    const now = this.now();
    for (const field of fields) {
      const cookie = this.parse(field);
      if (cookie === undefined) continue;
      // The package counts Max-Age from the last use of a cookie, and by the real clock.
      if (cookie.maxAge !== null) {
        const seconds = Number(cookie.maxAge);
        cookie.expires = new Date(seconds > 0 ? Math.min(now + seconds * 1000, LAST_TIME) : 0);
        cookie.maxAge = null;
      }
      this.opened?.setCookieSync(cookie, url, { now: new Date(now), ignoreError: true });
    }
  }

  clear(): void {
    this.opened?.removeAllCookiesSync();
  }
}
