import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { ErrorValue, Errors, SvcError } from '../../vm/values/error.js';
import { visible } from '../../vm/values/text/visible.js';
import { contextOf } from '../../vm/fibers/operations.js';
import { Turns } from '../turns.js';
import { reasonOf } from '../reasons.js';
import { NOT_TLS, tlsReason } from '../tlsreasons.js';
import type { Server } from './config.js';
import type { Composed } from './message.js';

/** Milliseconds for which an unused connection is kept. */
const IDLE_MS = 2000;

/** Answer of the mail server to a mail. */
export interface Delivery {
  accepted: string[];
  rejected: string[];
  response: string;
}

/** An error of `nodemailer`. */
interface SmtpFailure extends Error {
  code?: string;
  /** The code of node, where `code` is that of the package. */
  originalCode?: string;
  response?: string;
  rejected?: string[];
  rejectedErrors?: SmtpFailure[];
  cause?: unknown;
}

/** Whether the server answered with 421: it closes the connection, whatever the command was (RFC 5321, 4.2.1). */
function isClosing({ response, rejectedErrors = [] }: SmtpFailure): boolean {
  return /^421\b/.test(response ?? '') || rejectedErrors.some(isClosing);
}

type Code = 'connection' | 'timeout' | 'tls' | 'login' | 'recipient' | 'refused';

const CODES: Readonly<Record<string, Code>> = {
  ETIMEDOUT: 'timeout',
  ETLS: 'tls',
  EREQUIRETLS: 'tls',
  EAUTH: 'login',
  ENOAUTH: 'login',
  EENVELOPE: 'recipient',
  EMESSAGE: 'refused',
  EPROTOCOL: 'refused',
};

const TEXTS: Readonly<Record<Code, string>> = {
  connection: 'cannot be reached',
  timeout: 'does not answer in time',
  tls: 'offers no secure connection',
  login: 'refuses the login',
  recipient: 'refuses sender or recipients',
  refused: 'refuses the mail',
};

/** Errors of certificates have no code of their own. */
const CERTIFICATE = /\bcertificate\b|altnames/i;

/** What a mail server did, for messages. */
function deedOf(code: Code, isCertificate: boolean, failure: SmtpFailure): string {
  if (isCertificate) return 'has a certificate that is not trusted';
  return code === 'connection' && isClosing(failure) ? 'ends the connection' : TEXTS[code];
}

function mailError(server: Server, error: unknown, given?: Code): SvcError {
  const failure = error as SmtpFailure;
  const handshake = handshakeProblem(server, failure);
  const isCertificate = handshake === null && failure.response === undefined && CERTIFICATE.test(failure.message);
  const usual = isClosing(failure) ? 'connection' : (CODES[failure.code ?? ''] ?? 'connection');
  const code = given ?? (isCertificate || handshake !== null ? 'tls' : usual);
  const said = failure.response ?? (given === undefined ? (handshake ?? plainReason(failure)) : '');
  const value = new ErrorValue(
    Errors.MailError,
    `the mail server ${server.host}:${server.port} ${deedOf(code, isCertificate, failure)}${said === '' ? '' : `: ${visible(said).slice(0, 500)}`}`,
  );
  value.details = { code };
  return new SvcError(value);
}

/** Why a TLS handshake failed, and what to do about it; null for other failures. */
function handshakeProblem({ isSecure }: Server, { originalCode = '', message }: SmtpFailure): string | null {
  const reason = tlsReason(originalCode, message);
  if (reason !== NOT_TLS) return reason;
  return isSecure
    ? `${reason} on this port: smtps:// is for ports that begin with TLS, such as 465, smtp:// for STARTTLS, such as 587`
    : `${reason} after STARTTLS, which its operator must repair; tls: "off" sends mails without encryption`;
}

/** What happened to a connection, without the wording of the package where the system has a code. */
function plainReason(failure: SmtpFailure): string {
  const detail = (failure.cause ?? failure) as SmtpFailure;
  const known = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EPIPE|EAI_AGAIN)\b/.exec(
    `${detail.originalCode} ${detail.code} ${failure.message}`,
  );
  return known === null ? reasonOf(new Error(failure.message)) : known[1];
}

/** A connection that is logged in. */
class Line {
  /** Whether it has carried a mail before. */
  isUsed = false;
  /** Whether the server may have taken the last mail: a part of its content was sent. */
  hasContent = false;
  /** Why it can carry no more; null while it can. */
  broken: Error | null = null;
  private fail: ((error: Error) => void) | null = null;

  private constructor(private readonly connection: SMTPConnection) {
    const end = (error: Error): void => {
      this.broken ??= error;
      this.fail?.(this.broken);
    };
    connection.on('error', end);
    connection.on('end', () => {
      this.broken ??= new Error('the connection has ended');
      // If the server has said why, the step learns it right after this event.
      queueMicrotask(() => end(this.broken as Error));
    });
  }

  /** Connects and logs in. @throws SmtpFailure */
  static async open(server: Server, signal: AbortSignal): Promise<Line> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    signal.throwIfAborted();
    const { host, port, isSecure, tls, ca, user, password, limit } = server;
    const connection = new Connection({
      host,
      port,
      secure: isSecure,
      requireTLS: tls === 'required',
      ignoreTLS: tls === 'off',
      tls: { minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) },
      connectionTimeout: limit,
      greetingTimeout: limit,
      socketTimeout: limit,
      allowInternalNetworkInterfaces: true,
    });
    const line = new Line(connection);
    try {
      await line.step((done) => connection.connect(done), signal);
      if (user !== null)
        await line.step((done) => connection.login({ credentials: { user, pass: password } }, done), signal);
    } catch (error) {
      connection.close();
      throw error;
    }
    return line;
  }

  /** Runs a step that calls back; ends with the connection, and when aborted. */
  private step<T>(start: (done: (error?: Error | null, value?: T) => void) => void, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.broken !== null) return reject(this.broken);
      const abort = (): void => {
        this.close();
        reject(signal.reason as Error);
      };
      const settle = (): void => {
        this.fail = null;
        signal.removeEventListener('abort', abort);
      };
      this.fail = (error) => {
        settle();
        reject(error);
      };
      signal.addEventListener('abort', abort, { once: true });
      start((error, value) => {
        settle();
        if (error) reject(error);
        else resolve(value as T);
      });
    });
  }

  async send({ sender, recipients, stream }: Composed, signal: AbortSignal): Promise<Delivery> {
    this.hasContent = false;
    const content = stream();
    // The content flows once the server has accepted DATA.
    content.once('resume', () => (this.hasContent = true));
    const info = await this.step<Delivery>((done) => {
      this.connection.send({ from: sender, to: recipients }, content, (error, sent) => done(error, sent));
    }, signal);
    this.isUsed = true;
    return info;
  }

  close(): void {
    this.broken ??= new Error('the connection is closed');
    this.connection.close();
  }

  quit(): void {
    this.broken ??= new Error('the connection is closed');
    this.connection.quit();
  }
}

/** Whether the server had closed a connection since its last mail, so that the mail can be sent over another one. */
function hadClosed({ isUsed, hasContent }: Line, failure: SmtpFailure): boolean {
  return isUsed && !hasContent && (failure.response === undefined || isClosing(failure));
}

/** Sends mails over a few connections, which are kept for a moment. */
export class Mailer {
  private readonly idle: Line[] = [];
  private readonly turns: Turns;
  private closing: NodeJS.Timeout | null = null;

  constructor(readonly server: Server) {
    this.turns = new Turns(server.connections);
  }

  /** Sends a mail. @throws MailError, or the reason of `signal` when aborted */
  async send(compose: () => Promise<Composed>, signal: AbortSignal): Promise<Delivery & { id: string }> {
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), this.server.limit);
    const either = AbortSignal.any([signal, timer.signal]);
    try {
      return await this.turns.run(() => this.attempt(compose, either), either, contextOf(signal));
    } catch (error) {
      signal.throwIfAborted();
      throw timer.signal.aborted ? mailError(this.server, error, 'timeout') : mailError(this.server, error);
    } finally {
      clearTimeout(timeout);
    }
  }

  private async attempt(compose: () => Promise<Composed>, signal: AbortSignal): Promise<Delivery & { id: string }> {
    const line = this.take() ?? (await Line.open(this.server, signal));
    const mail = await compose();
    try {
      const { accepted, rejected, response } = await line.send(mail, signal);
      this.keep(line);
      return { id: mail.id, accepted, rejected, response };
    } catch (error) {
      line.close();
      if (!signal.aborted && hadClosed(line, error as SmtpFailure)) return this.attempt(compose, signal);
      throw error;
    }
  }

  private take(): Line | null {
    for (let line = this.idle.pop(); line !== undefined; line = this.idle.pop()) if (line.broken === null) return line;
    return null;
  }

  private keep(line: Line): void {
    this.idle.push(line);
    if (this.closing !== null) clearTimeout(this.closing);
    this.closing = setTimeout(() => this.close(), IDLE_MS);
  }

  /** Closes unused connections. */
  close(): void {
    if (this.closing !== null) clearTimeout(this.closing);
    for (const line of this.idle.splice(0)) line.quit();
  }
}
