import { Readable } from 'node:stream';
import type { Value } from '../../vm/values/value.js';
import { Bytes } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { inspect, toText } from '../../vm/values/text/text.js';
import { typeName } from '../../vm/values/types.js';
import { bufferOf } from '../core/bytes/texts.js';
import { wellFormed } from '../core/strings/wellformed.js';

/** An address with the name that precedes it. */
export interface Address {
  readonly name: string;
  readonly address: string;
}

export interface Attachment {
  readonly name: string;
  readonly type: string | null;
  readonly content: Buffer;
}

/** A checked mail. */
export interface Mail {
  readonly from: Address;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly replyTo: readonly Address[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly Attachment[];
}

/** Maximum characters of the text and of the HTML, and bytes of all attachments: most servers refuse larger mails. */
const MAX_TEXT = 1024 * 1024;
const MAX_ATTACHED = 32 * 1024 * 1024;
const MAX_RECIPIENTS = 1000;
/** Bytes of a body that are encoded at once. */
const PIECE = 32 * 1024;

/** Raises an ArgumentError about `mail_send`. */
function refuse(problem: string): never {
  return fail(Errors.ArgumentError, `mail_send(): ${problem}`);
}

/** Control characters, among them line breaks, with which a value could add header fields; and half characters. */
const UNSAFE = /[\p{Cc}\u2028\u2029\p{Cs}]/u;

function checkLine(what: string, text: string): string {
  if (UNSAFE.test(text))
    refuse(`${what} contains a line break or another control character: ${inspect(text.slice(0, 100))}`);
  if (text.length > 1000) refuse(`${what} is longer than 1,000 characters`);
  return text;
}

const LOCAL = '[^\\s<>()\\[\\]\\\\,;:"@]+';
const DOMAIN = '(?:[^\\s<>()\\[\\]\\\\,;:"@]+|\\[[\\da-fA-F:.]+\\])';
const BARE = new RegExp(`^${LOCAL}@${DOMAIN}$`);
/** The name ends where the address begins: no two parts of the pattern match the same characters. */
const NAMED = new RegExp(`^(?:"([^"\\\\]*)"\\s*|([^"<>]*))<(${LOCAL}@${DOMAIN})>$`);

/** Parses `ann@example.org` or `Ann <ann@example.org>`: always one address, so that no value can add recipients. */
function addressOf(what: string, text: string): Address {
  checkLine(what, text);
  const given = text.trim();
  if (BARE.test(given)) return { name: '', address: given };
  const named = NAMED.exec(given);
  if (named === null)
    return refuse(
      `${what} must be an address such as "ann@example.org" or "Ann <ann@example.org>", got ${inspect(text)}; several are a Vector`,
    );
  return { name: named[1] ?? named[2].trim(), address: named[3] };
}

function addressesOf(what: string, given: Value): Address[] {
  if (given === null) return [];
  return (Array.isArray(given) ? given : [given]).map((text) =>
    typeof text === 'string' ? addressOf(what, text) : refuse(`${what} must be a String, got ${typeName(text)}`),
  );
}

/** Types of parts that consist of parts, which an attachment does not; and of mails. */
const COMPOSITE = /^(?:multipart|message)\//i;
const MAIL = /^message\/rfc822$/i;

const TYPE = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/;

function attachmentOf(given: Value): Attachment {
  if (!(given instanceof Hash))
    return refuse(`an attachment must be a Hash of name, bytes and type, got ${typeName(given)}`);
  const [name, bytes, type] = ['name', 'bytes', 'type'].map((key) => given.get(key) ?? null);
  for (const key of given.keys())
    if (!['name', 'bytes', 'type'].includes(String(key)))
      refuse(`an attachment has no key ${inspect(key)}; it has name, bytes and type`);
  if (typeof name !== 'string' || name === '')
    return refuse('the name of an attachment must be a String that is not empty');
  checkLine('the name of an attachment', name);
  if (!(bytes instanceof Bytes) && typeof bytes !== 'string')
    return refuse(`the bytes of attachment ${inspect(name)} must be Bytes or a String, got ${typeName(bytes)}`);
  if (type !== null && (typeof type !== 'string' || !TYPE.test(type)))
    refuse(
      `the type of attachment ${inspect(name)} must be a media type such as "application/pdf", got ${inspect(type)}`,
    );
  if (type !== null && COMPOSITE.test(type) && !MAIL.test(type))
    refuse(
      `the type of attachment ${inspect(name)} must not be a multipart/ or message/ type other than message/rfc822, got ${inspect(type)}; "application/octet-stream" fits any file`,
    );
  return {
    name,
    type,
    content:
      typeof bytes === 'string' ? Buffer.from(wellFormed(bytes, `attachment ${inspect(name)}`)) : bufferOf(bytes),
  };
}

function bodyOf(what: string, given: Value): string | null {
  if (given === null) return null;
  const text = toText(given);
  if (text.length > MAX_TEXT) refuse(`the ${what} is longer than ${MAX_TEXT} characters`);
  return wellFormed(text, `the ${what}`);
}

/** What a program passes to `mail_send`. */
export interface Given {
  to: Value;
  subject: string;
  text: Value;
  html: Value;
  from: string;
  cc: Value;
  bcc: Value;
  replyTo: Value;
  attachments: readonly Value[];
}

/** Checks a mail. @throws ArgumentError, ValueError */
export function mailOf(given: Given): Mail {
  const to = addressesOf('to', given.to);
  const cc = addressesOf('cc', given.cc);
  const bcc = addressesOf('bcc', given.bcc);
  const count = to.length + cc.length + bcc.length;
  if (count === 0) refuse('there are no recipients');
  if (count > MAX_RECIPIENTS) refuse(`a mail may have at most ${MAX_RECIPIENTS} recipients, got ${count}`);
  const attachments = given.attachments.map(attachmentOf);
  const attached = attachments.reduce((sum, { content }) => sum + content.length, 0);
  if (attached > MAX_ATTACHED)
    refuse(`the attachments have ${attached} bytes together, at most ${MAX_ATTACHED} can be sent`);
  const text = bodyOf('text', given.text);
  const html = bodyOf('html', given.html);
  if (text === null && html === null) refuse('a mail needs text: or html:');
  return {
    from: addressOf('from', given.from),
    to,
    cc,
    bcc,
    replyTo: addressesOf('reply_to', given.replyTo),
    subject: checkLine('subject', given.subject),
    text,
    html,
    attachments,
  };
}

/** A body in pieces, between which other work of the process is done. */
function streamed(bytes: Buffer): Readable {
  return Readable.from(pieces(bytes), { objectMode: false, highWaterMark: PIECE });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield bytes.subarray(at, at + PIECE);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function content(text: string | null): string | Readable | undefined {
  if (text === null) return undefined;
  return text.length > PIECE ? streamed(Buffer.from(text)) : text;
}

/** Maximum bytes of a line in a mail, without its end. */
const MAX_LINE = 998;

/** Whether a mail can be attached as it is: attached mails must not be encoded, so all servers must be able to pass it on. */
async function isPlainMail(bytes: Buffer): Promise<boolean> {
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    length = byte === 0x0a || byte === 0x0d ? 0 : length + 1;
    if (byte === 0 || byte > 0x7e || length > MAX_LINE) return false;
    if (at % PIECE === PIECE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
}

/** An attachment for the package. Its type is that of its name if none is given. */
async function partOf({ name, type, content: bytes }: Attachment): Promise<object> {
  const { detectMimeType } = await import('nodemailer/lib/mime-funcs');
  const own = type ?? detectMimeType(name);
  const isMail = MAIL.test(own) && (await isPlainMail(bytes));
  return {
    filename: name,
    contentType: COMPOSITE.test(own) && !isMail ? 'application/octet-stream' : own,
    ...(isMail ? { contentTransferEncoding: '7bit' } : {}),
    content: bytes.length > PIECE ? streamed(bytes) : bytes,
  };
}

/** A mail in the Internet Message Format. */
export interface Composed {
  readonly id: string;
  readonly sender: string;
  readonly recipients: string[];
  stream(): Readable;
}

/** Composes a mail (RFC 5322, MIME). */
export async function composed(mail: Mail): Promise<Composed> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, to, cc, bcc, replyTo, subject, text, html, attachments } = mail;
  const node = new MailComposer({
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    replyTo: [...replyTo],
    subject,
    text: content(text),
    html: content(html),
    ...((text?.length ?? 0) > PIECE || (html?.length ?? 0) > PIECE ? { textEncoding: 'base64' as const } : {}),
    attachments: await Promise.all(attachments.map(partOf)),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const envelope = node.getEnvelope();
  return {
    id: node.messageId(),
    sender: envelope.from === false ? '' : (envelope.from ?? ''),
    recipients: envelope.to,
    stream: () => node.createReadStream(),
  };
}
