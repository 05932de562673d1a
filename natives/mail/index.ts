import { ModuleState } from '../../vm/calls/modulestate.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Hash } from '../../vm/values/hash.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import { functions, type Int, type Num } from '../core/declare.js';
import { PROCESS } from '../core/process.js';
import { waitForOperation } from '../io/waiting.js';
import { serverOf } from './config.js';
import { type Address, composed, type Mail, mailOf } from './message.js';
import { Mailer } from './smtp.js';

/** Maximum mails in the outbox of tests; the oldest go. */
const MAX_OUTBOX = 1000;
const MAX_CONNECTIONS = 100;

/** How a VM sends mails. */
interface Post {
  /** null: not configured, or a test. */
  mailer: Mailer | null;
  from: string | null;
  /** Mails of a test; null: mails are sent. */
  outbox: Hash[] | null;
}

const POST = new ModuleState<Post>(() => ({ mailer: null, from: null, outbox: null }));

const DEFAULT_LIMIT = 30;

function limitOf(given: Num | DurationValue): number {
  const time = inSeconds(given);
  const seconds = time instanceof Float ? time.n : Number(time);
  return seconds > 0 && seconds <= 86_400
    ? seconds * 1000
    : fail(
        Errors.ArgumentError,
        `mail_config(): timeout must be more than 0 seconds and at most a day, got ${seconds}`,
      );
}

function configure(
  vm: NativeContext,
  url: string | null,
  from: string | null,
  tls: string,
  ca: string | null,
  timeout: Num | DurationValue,
  connections: Int,
): void {
  if (connections < 1 || connections > MAX_CONNECTIONS)
    fail(Errors.ArgumentError, `mail_config(): connections must be 1 to ${MAX_CONNECTIONS}, got ${connections}`);
  const options = { ca, limit: limitOf(timeout), connections: Number(connections) };
  const address = url ?? PROCESS.of(vm).env.SMTP_URL ?? null;
  const isTest = address === 'test';
  if (address === null)
    fail(
      Errors.ArgumentError,
      'mail_config() needs the address of a mail server: url: "smtp://host", or SMTP_URL in the environment',
    );
  const mailer = isTest ? null : new Mailer(serverOf(address, tls, options));
  const before = POST.of(vm);
  before.mailer?.close();
  POST.set(vm, { mailer, from, outbox: isTest ? (before.outbox ?? []) : null });
}

/** The mailer of a VM, from SMTP_URL unless `mail_config` was called; null in a test. @throws RuntimeError without one */
function mailerOf(vm: NativeContext, post: Post): Mailer | null {
  if (post.mailer !== null || post.outbox !== null) return post.mailer;
  const url = PROCESS.of(vm).env.SMTP_URL ?? '';
  if (url === '')
    return fail(
      Errors.RuntimeError,
      'mail_send() needs a mail server: call mail_config(url: "smtp://host"), or set SMTP_URL in the environment',
    );
  configure(vm, url, post.from, 'auto', null, DEFAULT_LIMIT, 5);
  return POST.of(vm).mailer;
}

function send(
  vm: NativeContext,
  to: Value,
  subject: string,
  text: Value,
  html: Value,
  from: string | null,
  cc: Value,
  bcc: Value,
  replyTo: Value,
  attachments: readonly Value[] | null,
): Value | undefined {
  const mailer = mailerOf(vm, POST.of(vm));
  const sender = from ?? POST.of(vm).from ?? PROCESS.of(vm).env.MAIL_FROM ?? '';
  if (sender === '')
    fail(
      Errors.ArgumentError,
      'mail_send() needs a sender: from:, mail_config(from: …), or MAIL_FROM in the environment',
    );
  const mail = mailOf({ to, subject, text, html, from: sender, cc, bcc, replyTo, attachments: attachments ?? [] });
  return waitForOperation(vm, 'mail', async (signal) => {
    if (mailer === null) return keep(vm, mail);
    const { id, accepted, rejected, response } = await mailer.send(() => composed(mail), signal);
    return Hash.from([
      ['id', id],
      ['accepted', accepted],
      ['rejected', rejected],
      ['response', response],
    ]);
  });
}

const written = ({ name, address }: Address): string => (name === '' ? address : `${name} <${address}>`);

/** Puts a mail into the outbox of a test, composed as it would be sent. */
async function keep(vm: NativeContext, mail: Mail): Promise<Value> {
  const { id, recipients, stream } = await composed(mail);
  const chunks: Buffer[] = [];
  for await (const chunk of stream()) chunks.push(chunk as Buffer);
  const { outbox } = POST.of(vm);
  outbox?.push(
    Hash.from([
      ['id', id],
      ['from', written(mail.from)],
      ['to', mail.to.map(written)],
      ['cc', mail.cc.map(written)],
      ['bcc', mail.bcc.map(written)],
      ['reply_to', mail.replyTo.map(written)],
      ['subject', mail.subject],
      ['text', mail.text],
      ['html', mail.html],
      [
        'attachments',
        mail.attachments.map(({ name, type, content }) =>
          Hash.from([
            ['name', name],
            ['type', type],
            ['size', content.length],
          ]),
        ),
      ],
      ['raw', Buffer.concat(chunks).toString()],
    ]),
  );
  if (outbox !== null && outbox.length > MAX_OUTBOX) outbox.shift();
  return Hash.from([
    ['id', id],
    ['accepted', recipients],
    ['rejected', []],
    ['response', 'test'],
  ]);
}

function outboxOf(vm: NativeContext): Value[] {
  const { outbox } = POST.of(vm);
  return outbox ?? fail(Errors.RuntimeError, 'mail_outbox() is for tests: call mail_config("test") first');
}

/** The module `mail`. */
// prettier-ignore
export const mail: readonly NativeFunction[] = functions([
  ['mail_config', 'url: String? = nil, from: String? = nil, tls: String = "auto", ca: String? = nil, timeout: Number|Duration = 30, connections: Integer = 5', 'Nil', 'Says which server sends mails: `smtp://user:password@host:587` (with STARTTLS), `smtps://…`, by default SMTP_URL of the environment; "test" keeps them for `mail_outbox`.', configure],
  ['mail_send', 'to: String|Vector, subject: String, text: String? = nil, html: Any = nil, from: String? = nil, cc: String|Vector? = nil, bcc: String|Vector? = nil, reply_to: String|Vector? = nil, attachments: Vector? = nil', 'Hash', 'Hands a mail to the mail server; returns its id, the accepted and rejected recipients, and what the server said. MailError when that fails.', send],
  ['mail_outbox', '', 'Vector', 'The mails of a test, the oldest first: a vector that can be cleared.', outboxOf],
]);

/** Defines `mail` in a VM. */
export function installMail(vm: NativeContext): void {
  vm.define(mail);
}
