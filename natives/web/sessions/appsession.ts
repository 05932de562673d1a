import { randomBytes } from 'node:crypto';
import { Errors, fail, SvcError } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { RecordType } from '../../../vm/values/structured.js';
import { isLarge } from '../../../vm/values/weight.js';
import type { Value } from '../../../vm/values/value.js';
import { encodeJson } from '../../core/json/encode.js';
import { parseJson } from '../../core/json/jsonparse.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import { SessionHandle } from './handle.js';
import type { SentSession, SessionPolicy } from './policy.js';

/** Maximum characters of the JSON of a session in a store. */
const MAX_STORED = 65_536;
const ID_BYTES = 32;
const EMPTY = '{}';
/** Key of the messages for the next page. */
const FLASH = '_flash';

/** Why a session cannot be changed after the answer. */
export const ANSWERED = 'the answer has been sent';

/** A call of the store: the method and its arguments. */
export type StoreCall = readonly [method: 'set' | 'replace' | 'delete', args: Value[]];

/** Where a session of `session(req, store: …)` is saved, by the program itself. */
export interface SavedBy {
  readonly request: Request;
  response: Response | null;
}

/** What becomes of the cookie: it is set, deleted, or left as it is. */
type Ending = { readonly content: string | null } | null;

/** A session of `app.sessions`, which is saved with the answer, or one of `session(req, store: …)`. */
export class AppSession extends SessionHandle {
  /** Reason why it can no longer be changed; null while it can. */
  closed: string | null = null;
  /** null for a session that is saved with the answer. */
  savedBy: SavedBy | null = null;
  private ending: Ending = null;
  /** What becomes of the cookie once the store has answered. */
  private planned: Ending = null;
  /** Messages that were shown for this request. */
  private readonly shown = new Hash();
  private isRenewed = false;
  private isDecided = false;
  /** Identifiers in the store that are no longer valid. */
  private readonly dropped: string[] = [];

  /**
   * @param sent the session in the request's cookie; null if it is new
   * @param loaded its JSON when it was loaded, by which changes are recognised
   * @param id its identifier in the store; null if it has none yet
   */
  private constructor(
    readonly policy: SessionPolicy,
    private readonly sent: SentSession | null,
    private readonly loaded: string,
    private id: string | null,
  ) {
    super(loaded === EMPTY ? new Hash() : (parseJson(loaded) as Hash));
  }

  /** The session in a cookie. */
  static fromCookie(policy: SessionPolicy, sent: SentSession | null): AppSession {
    return new AppSession(policy, sent, sent?.content ?? EMPTY, null);
  }

  /** The session that a store returned for a cookie. @throws TypeError, ValueError */
  static fromStore(policy: SessionPolicy, sent: SentSession, value: Value): AppSession {
    // The store has dropped it: the identifier is not used again.
    if (value === null) return new AppSession(policy, sent, EMPTY, null);
    if (!(value instanceof Hash)) return fail(Errors.TypeError, 'get of the session store must return a Hash or nil');
    return new AppSession(policy, sent, jsonOf(value, MAX_STORED), sent.content);
  }

  /** Name of its cookie. */
  get name(): string {
    return this.policy.options.name;
  }

  override change(): void {
    if (this.closed !== null) fail(Errors.RuntimeError, `the session cannot be changed: ${this.closed}`);
  }

  /** Gives the session a new identifier and a new secret against forged forms. */
  renew(): void {
    this.change();
    this.isRenewed = true;
    this.data.delete('_csrf');
    this.drop();
  }

  /** Ends the session; values set afterwards begin a new one. */
  destroy(): void {
    this.change();
    this.data.clear();
    this.drop();
  }

  private drop(): void {
    if (this.id !== null) this.dropped.push(this.id);
    this.id = null;
  }

  /** The JSON to save; null if it is as it was. */
  private changed(json: string): string | null {
    return json !== this.loaded || this.sent?.isStale === true || this.isRenewed ? json : null;
  }

  /** Determines the calls that save `data`, the session's contents, in its store. @throws TypeError, ValueError */
  storeCalls(data: Hash): StoreCall[] {
    const json = jsonOf(data, MAX_STORED);
    const changed = this.changed(json);
    const calls: StoreCall[] = [];
    if (json === EMPTY) {
      this.drop();
      if (this.sent !== null || this.ending !== null) this.planned = { content: null };
    } else if (changed !== null) {
      // Another request may have ended the session meanwhile: saving it must not begin it again.
      const exists = this.id !== null && this.id === this.sent?.content && this.policy.replaces;
      this.id ??= randomBytes(ID_BYTES).toString('base64url');
      calls.push([exists ? 'replace' : 'set', [this.id, parseJson(changed), this.policy.lifetime]]);
      this.planned = { content: this.id };
    }
    for (const id of this.dropped) calls.push(['delete', [id]]);
    return calls;
  }

  /** Called when the store has done these calls. */
  stored(): void {
    this.ending = this.planned;
  }

  /**
   * Called when the store has no such session any more: another request has ended or renewed it.
   * The cookie is left to that request: the browser may have the new one already.
   */
  vanished(): void {
    this.planned = null;
  }

  /** The Set-Cookie value for what has been saved, or null. @throws ValueError */
  cookie(now: number, isHttps: boolean): string | null {
    return this.ending === null ? null : this.policy.cookie(this.ending.content, now, isHttps);
  }

  /** Keeps a message for the next page that shows it. */
  flash(name: string, message: Value): void {
    this.change();
    const kept = this.data.get(FLASH);
    const messages = kept instanceof Hash ? kept : new Hash();
    messages.set(name, message);
    this.data.set(FLASH, messages);
  }

  /** The message of this name, which is forgotten after this request; nil without one. */
  takeFlash(name: string): Value {
    const kept = this.data.get(FLASH);
    const message = kept instanceof Hash ? kept.get(name) : undefined;
    if (!(kept instanceof Hash) || message === undefined) return this.shown.get(name) ?? null;
    this.change();
    this.shown.set(name, message);
    kept.delete(name);
    if (kept.size === 0) this.data.delete(FLASH);
    return message;
  }

  /** Ends changes; returns the Set-Cookie value for the answer, or null. @throws TypeError, ValueError */
  finish(now: number, isHttps: boolean): string | null {
    const { policy } = this;
    if (this.closed !== null) return null;
    // With JSON forms of records the thread has decided, or failed.
    if (policy.options.store === null && !this.isDecided && !RecordType.haveForms) this.decide(this.data);
    this.closed = ANSWERED;
    return this.cookie(now, isHttps);
  }

  /** Determines the cookie that holds `data`, the session's contents. @throws TypeError, ValueError */
  decide(data: Hash): void {
    this.isDecided = true;
    const json = jsonOf(data, MAX_STORED);
    const changed = this.changed(json);
    if (json === EMPTY) this.ending = this.sent === null ? null : { content: null };
    else if (changed !== null) this.ending = { content: changed };
  }
}

/** The JSON of a session's contents. @throws TypeError, ValueError if they are no JSON or longer than `most` characters */
function jsonOf(data: Hash, most: number): string {
  const json = isLarge(data) ? null : encoded(data);
  if (json !== null && json.length <= most) return json;
  return fail(
    Errors.ValueError,
    `the session is too large: its JSON may have at most ${most} characters; keep an identifier in it and the data elsewhere`,
  );
}

function encoded(data: Hash): string {
  try {
    return encodeJson(data);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return fail(error.value.type, `the session cannot be saved: ${error.value.message}`);
  }
}
