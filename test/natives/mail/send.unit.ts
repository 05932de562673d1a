import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import t, { type Test } from 'tap';
import { Bytes } from '../../../vm/values/bytes.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { freePort } from '../../freeport.js';
import { until } from '../../patience.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { fakeServer } from './fakeserver.js';
import { Sender } from './sender.js';

interface Received {
  from: string;
  to: string[];
  raw: string;
  secure: boolean;
  user: string | undefined;
}

/** A mail server; `url` has its address. */
async function mailServer(
  t: Test,
  options: SMTPServerOptions = {},
): Promise<{ url: string; port: number; mails: Received[]; connections: () => number }> {
  const mails: Received[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 50,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onAuth({ username, password }, _session, done) {
      if (password === 'pass:word') done(null, { user: username });
      else done(new Error('Invalid username or password'));
    },
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('nobody')) done(Object.assign(new Error('No such user here'), { responseCode: 550 }));
      else done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        if (raw.includes('Subject: spam'))
          return done(Object.assign(new Error('Looks like spam'), { responseCode: 554 }));
        const { envelope } = session;
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw,
          secure: session.secure,
          user: session.user,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, port, mails, connections: () => connections };
}

t.test('a mail with everything', async (t) => {
  const { url, mails } = await mailServer(t);
  const sender = new Sender({ SMTP_URL: url, MAIL_FROM: 'Shop <shop@example.org>' });
  const result = (await sender.call('mail_send', {
    to: ['Ann Ü <ann@example.org>', 'bob@example.org'],
    subject: 'Grüße 😀',
    text: 'Guten Tag\n.\n..',
    html: '<p>Guten Tag</p>',
    cc: 'cc@example.org',
    bcc: ['bcc@example.org'],
    reply_to: '"Doe, Jane" <jane@example.org>',
    attachments: [
      Hash.from([
        ['name', 'bïll.pdf'],
        ['bytes', new Bytes(Buffer.from([0, 1, 255]))],
        ['type', 'application/pdf'],
      ]),
      Hash.from([
        ['name', 'a.csv'],
        ['bytes', 'a,b\n'],
      ]),
    ],
  })) as Hash;
  t.strictSame(result.get('accepted'), ['ann@example.org', 'bob@example.org', 'cc@example.org', 'bcc@example.org']);
  t.strictSame(result.get('rejected'), []);
  t.match(result.get('id'), /^<.*@example\.org>$/);
  t.match(result.get('response'), /^250/);
  const [{ from, to, raw }] = mails;
  t.equal(from, 'shop@example.org');
  t.strictSame(to, ['ann@example.org', 'bob@example.org', 'cc@example.org', 'bcc@example.org']);
  t.match(raw, /^From: Shop <shop@example\.org>\r\n/);
  t.match(raw, /Subject: =\?UTF-8\?/);
  t.match(raw, /To: =\?UTF-8\?.*<ann@example\.org>, bob@example\.org/);
  t.match(raw, /Cc: cc@example\.org/);
  t.notMatch(raw, /bcc@example/i);
  t.match(raw, /Reply-To: "Doe, Jane" <jane@example\.org>/);
  t.match(raw, /Content-Type: multipart\/mixed/);
  t.match(raw, /Content-Type: text\/plain; charset=utf-8/);
  t.match(raw, /Content-Type: text\/html; charset=utf-8/);
  t.match(raw, /Content-Type: application\/pdf/);
  t.match(raw, /AAH\//);
  t.match(raw, /Content-Type: text\/csv/);
});

t.test('large bodies arrive whole, over few connections', async (t) => {
  const { url, mails, connections } = await mailServer(t);
  const sender = new Sender({ SMTP_URL: url });
  await sender.call('mail_config', { url, connections: 2 });
  const bytes = Buffer.alloc(3_000_000, 'äöü');
  const attachments = [
    Hash.from([
      ['name', 'x.bin'],
      ['bytes', new Bytes(bytes)],
    ]),
  ];
  const text = 'Zeile mit ü\n'.repeat(50_000);
  await sender.send({ attachments, text });
  const parts = mails[0].raw.split(/\r\n--[^\r]+/);
  const decoded = parts.map((part) => Buffer.from(part.split('\r\n\r\n')[1] ?? '', 'base64'));
  t.ok(
    decoded.some((part) => part.equals(bytes)),
    'the attachment',
  );
  t.ok(
    decoded.some((part) => part.toString().replaceAll('\r\n', '\n') === text),
    'the text',
  );
  await Promise.all(Array.from({ length: 20 }, (_, i) => sender.send({ subject: `n${i}` })));
  t.equal(mails.length, 21);
  t.ok(connections() <= 3, `${connections()} connections`);
});

t.test('nothing adds header fields or recipients', async (t) => {
  const { url, mails } = await mailServer(t);
  const sender = new Sender({ SMTP_URL: url });
  const line = /^ArgumentError: mail_send\(\): .* contains a line break or another control character/;
  for (const bad of ['\n', '\r', '\r\n', '\0', '\u2028', '\x7f'].map((text) => `x${text}Bcc: evil@example.org`)) {
    t.match(await sender.send({ subject: bad }), line);
    t.match(await sender.send({ to: `ann@example.org${bad}` }), line);
    t.match(await sender.send({ to: `${bad} <ann@example.org>` }), line);
    t.match(await sender.send({ from: `${bad} <ann@example.org>` }), line);
    t.match(await sender.send({ reply_to: `${bad} <ann@example.org>` }), line);
    t.match(
      await sender.send({
        attachments: [
          Hash.from([
            ['name', bad],
            ['bytes', ''],
          ]),
        ],
      }),
      line,
    );
  }
  for (const bad of [
    '',
    'ann',
    '@',
    'a@',
    '@b',
    'a@b, c@d',
    'a@b c@d',
    'a@b;c@d',
    '<a@b',
    'A <a@b> <c@d>',
    'a@b@c',
    'undisclosed: a@b;',
    '"x" a@b',
    'a <b> <c@d>',
  ])
    t.match(await sender.send({ to: bad }), /^ArgumentError: mail_send\(\): to must be an address such as/, bad);
  t.equal(mails.length, 0);
});

t.test('addresses are parsed in linear time', async (t) => {
  const sender = new Sender({ SMTP_URL: 'test' });
  const space = ' '.repeat(999);
  const started = performance.now();
  for (let n = 0; n < 20; n++)
    for (const bad of [`${space}a`, `"${space}`, `""${space.slice(2)}a`, `a${space}`, `a@b${space.slice(3)}a`])
      t.match(await sender.send({ to: bad }), /^ArgumentError: mail_send\(\): to must be an address/);
  t.ok(performance.now() - started < 5000);
  for (const [given, shown] of [
    [`${space.slice(3)}a@b`, 'a@b'],
    ['  Ann  Lee   <a@b>  ', 'Ann  Lee <a@b>'],
    ['"Lee, Ann"<a@b>', 'Lee, Ann <a@b>'],
    ['" Ann " \u00a0 <a@[::1]>', ' Ann  <a@[::1]>'],
    ['<a@b>', 'a@b'],
    ['   <a@b>', 'a@b'],
  ]) {
    await sender.send({ to: given });
    const mails = (await sender.call('mail_outbox')) as Hash[];
    t.strictSame(mails.at(-1)?.get('to'), [shown], given);
  }
});

t.test('arguments are checked', async (t) => {
  const sender = new Sender({ SMTP_URL: 'smtp://127.0.0.1:1' });
  const attachment = (entries: [string, Value][]): Record<string, Value> => ({ attachments: [Hash.from(entries)] });
  for (const [args, message] of [
    [{ to: [] }, /there are no recipients/],
    [{ to: [1] }, /to must be a String, got Integer/],
    [{ to: Array.from({ length: 1001 }, () => 'a@b') }, /at most 1000 recipients, got 1001/],
    [{ text: null }, /a mail needs text: or html:/],
    [{ text: 'x'.repeat(2 ** 20 + 1) }, /the text is longer than 1048576 characters/],
    [{ subject: 'x'.repeat(1001) }, /subject is longer than 1,000 characters/],
    [{ attachments: [1] }, /an attachment must be a Hash of name, bytes and type, got Integer/],
    [attachment([['bytes', '']]), /the name of an attachment/],
    [
      attachment([
        ['name', 'a'],
        ['bytes', 1],
      ]),
      /the bytes of attachment "a" must be Bytes or a String, got Integer/,
    ],
    [
      attachment([
        ['name', 'a'],
        ['bytes', ''],
        ['type', 'x'],
      ]),
      /the type of attachment "a" must be a media type/,
    ],
    [
      attachment([
        ['name', 'a'],
        ['path', '/etc/passwd'],
      ]),
      /an attachment has no key "path"/,
    ],
    ...['multipart/mixed', 'Multipart/related', 'message/partial', 'message/external-body'].map((type) => [
      attachment([
        ['name', 'a'],
        ['bytes', ''],
        ['type', type],
      ]),
      /the type of attachment "a" must not be a multipart\/ or message\/ type other than message\/rfc822/,
    ]),
    [{ from: 'x' }, /from must be an address/],
  ] as [Record<string, Value>, RegExp][])
    t.match(await sender.send(args), message);
  for (const [args, message] of [
    [{ url: 'http://x' }, /must be like smtp:/],
    [{ url: '' }, /must be like smtp:/],
    [{ url: 'smtp://a:%@b' }, /percent-encoded/],
    [{ url: 'smtp://x', tls: 'yes' }, /tls: must be "auto", "required" or "off", got "yes"/],
    [{ url: 'smtp://x', connections: 0 }, /connections must be 1 to 100, got 0/],
    [{ url: 'smtp://x', timeout: 0 }, /timeout must be more than 0 seconds/],
  ] as [Record<string, Value>, RegExp][])
    t.match(await sender.call('mail_config', args), message);
  t.match(await new Sender().send(), /^RuntimeError: mail_send\(\) needs a mail server: call mail_config/);
  t.match(await new Sender().call('mail_config'), /^ArgumentError: mail_config\(\) needs the address/);
  t.match(await new Sender({ SMTP_URL: 'test' }).send({ from: null }), /^ArgumentError: mail_send\(\) needs a sender/);
  t.match(await new Sender().call('mail_outbox'), /^RuntimeError: mail_outbox\(\) is for tests/);
});

t.test('types of attachments', async (t) => {
  const sender = new Sender({ SMTP_URL: 'test' });
  const mail = 'From: a@b\n\nHello\n';
  const other = 'application/octet-stream';
  for (const [name, type, bytes, expected, encoding] of [
    ['a.eml', 'message/rfc822', mail, 'message/rfc822', '7bit'],
    ['a.eml', null, mail, 'message/rfc822', '7bit'],
    ['a.eml', null, mail + `${'x'.repeat(998)}\n`.repeat(100), 'message/rfc822', '7bit'],
    ['a.eml', null, 'ü', other, 'base64'],
    ['a.eml', null, 'x\0', other, 'base64'],
    ['a.mht', null, mail + 'x'.repeat(999), other, 'base64'],
    ['a.eml', 'message/rfc822', `${mail.repeat(5000)}ü`, other, 'base64'],
    ['a.gzip', null, 'x', other, 'base64'],
    ['a.gz', null, 'x', 'application/x-gzip', 'base64'],
    ['a', null, 'x', other, 'base64'],
    ['a.eml', 'text/plain', 'x', 'text/plain', 'base64'],
  ] as const) {
    const given: [string, Value][] = [
      ['name', name],
      ['bytes', bytes],
      ['type', type],
    ];
    await sender.send({ attachments: [Hash.from(given)] });
    const { length, [length - 1]: last } = (await sender.call('mail_outbox')) as Hash[];
    const part = String(last.get('raw')).split(/\r\n--[^\r]+\r\n/)[2];
    t.match(part, new RegExp(`^Content-Type: ${expected}; name=`), `${name} ${type}`);
    t.match(part, new RegExp(`Content-Transfer-Encoding: ${encoding}\r\n`), `${name} ${type}`);
  }
});

t.test('what the server refuses', async (t) => {
  const { url, mails } = await mailServer(t);
  const sender = new Sender({ SMTP_URL: url });
  const at = url.slice(7);
  t.equal(
    await sender.send({ to: 'nobody@example.org' }),
    `MailError recipient: the mail server ${at} refuses sender or recipients: 550 No such user here`,
  );
  const some = (await sender.send({ to: ['nobody@example.org', 'ann@example.org'] })) as Hash;
  t.strictSame([some.get('accepted'), some.get('rejected')], [['ann@example.org'], ['nobody@example.org']]);
  t.equal(
    await sender.send({ subject: 'spam' }),
    `MailError refused: the mail server ${at} refuses the mail: 554 Looks like spam`,
  );
  t.equal(inspect(((await sender.send()) as Hash).get('accepted') ?? null), '["ann@example.org"]', 'and goes on');
  t.equal(mails.length, 2);
});

t.test('logins', async (t) => {
  const { port, mails } = await mailServer(t, { authOptional: false, allowInsecureAuth: true });
  const sender = new Sender();
  await sender.call('mail_config', { url: `smtp://ann:pass%3Aword@127.0.0.1:${port}` });
  await sender.send();
  t.equal(mails[0].user, 'ann');
  await sender.call('mail_config', { url: `smtp://ann:wrong@127.0.0.1:${port}` });
  t.match(await sender.send(), /^MailError login: the mail server 127\.0\.0\.1:\d+ refuses the login: 535 /);
  t.notMatch(await sender.send(), /wrong/, 'the message has no password');
});

t.test('TLS from the start and by STARTTLS', async (t) => {
  const own = { key: KEY, cert: CERTIFICATE };
  const secure = await mailServer(t, { ...own, secure: true });
  const starting = await mailServer(t, { ...own, disabledCommands: [] });
  const sender = new Sender();
  await sender.call('mail_config', { url: `smtps://127.0.0.1:${secure.port}`, ca: CERTIFICATE });
  t.match(inspect(await sender.send()), /accepted: \["ann@example.org"\]/);
  await sender.call('mail_config', { url: starting.url, ca: CERTIFICATE });
  await sender.send();
  t.strictSame([secure.mails[0].secure, starting.mails[0].secure], [true, true]);
  await sender.call('mail_config', { url: starting.url, tls: 'off' });
  await sender.send();
  t.equal(starting.mails[1].secure, false);
  for (const url of [`smtps://127.0.0.1:${secure.port}`, starting.url]) {
    await sender.call('mail_config', { url });
    t.match(await sender.send(), /^MailError tls: the mail server .* has a certificate that is not trusted/, url);
  }
  const plain = await mailServer(t);
  await sender.call('mail_config', { url: plain.url, tls: 'required' });
  t.match(await sender.send(), /^MailError tls: the mail server .* offers no secure connection/);
  t.equal(plain.mails.length, 0);
});

t.test('servers that do not speak TLS', async (t) => {
  const plain = await fakeServer(t, () => undefined);
  const sender = new Sender();
  await sender.call('mail_config', { url: plain.url.replace('smtp:', 'smtps:') });
  const no =
    /^MailError tls: the mail server 127\.0\.0\.1:\d+ offers no secure connection: the server does not speak TLS/;
  const onPort = await sender.send();
  t.match(onPort, no);
  t.match(onPort, / on this port: smtps:\/\/ is for ports that begin with TLS, such as 465/);
  const starting = await fakeServer(t, ({ command }) => (command === 'EHLO' ? '250-fake\r\n250 STARTTLS' : undefined));
  await sender.call('mail_config', { url: starting.url });
  const afterStart = await sender.send();
  t.match(afterStart, no);
  t.match(afterStart, / after STARTTLS, which its operator must repair/);
  t.equal(plain.stored.length + starting.stored.length, 0);
});

t.test('a server that is down, slow, or no mail server', async (t) => {
  const sender = new Sender();
  await sender.call('mail_config', { url: `smtp://127.0.0.1:${await freePort()}` });
  t.match(
    await sender.send(),
    /^MailError connection: the mail server 127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/,
  );
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await sender.call('mail_config', { url, timeout: new Float(0.1) });
  t.match(await sender.send(), /^MailError timeout: the mail server .* does not answer in time/);
  await sender.call('mail_config', { url, timeout: 3600 });
  const { result, cancel } = sender.start('mail_send', { to: 'a@b', subject: '', text: '', from: 'a@b' });
  const before = sockets.length;
  await until('the connection', () => (sockets.length > before ? true : null));
  cancel();
  t.equal(await result, 'cancel');
  await until('its end', () => (sockets[before].destroyed || sockets[before].readableEnded ? true : null));
  const odd = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  t.teardown(() => odd.close());
  await sender.call('mail_config', { url: `smtp://127.0.0.1:${(odd.address() as AddressInfo).port}` });
  t.match(await sender.send(), /^MailError (refused|connection): the mail server/);
});

t.test('a kept connection that the server has closed is replaced', async (t) => {
  const open: Socket[] = [];
  const { url, mails, port } = await mailServer(t);
  const proxy = createServer((socket) => {
    open.push(socket);
    void import('node:net').then(({ connect }) => {
      const behind = connect(port, '127.0.0.1');
      for (const one of [socket, behind]) one.on('error', () => {});
      socket.pipe(behind).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  t.ok(url);
  const sender = new Sender();
  await sender.call('mail_config', { url: `smtp://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  await sender.send();
  open[0].destroy();
  t.match(inspect(await sender.send()), /accepted: \["ann@example.org"\]/);
  t.equal(mails.length, 2);
});

t.test('the outbox of a test', async (t) => {
  const sender = new Sender({ SMTP_URL: 'test', MAIL_FROM: 'me@example.org' });
  await sender.call('mail_send', { to: 'Ann <ann@example.org>', subject: 'Hi', html: '<b>x</b>' });
  const [mail] = (await sender.call('mail_outbox')) as Hash[];
  t.strictSame(
    ['from', 'to', 'subject', 'text', 'html'].map((key) => mail.get(key)),
    ['me@example.org', ['Ann <ann@example.org>'], 'Hi', null, '<b>x</b>'],
  );
  t.match(mail.get('raw'), /^From: me@example\.org\r\nTo: Ann <ann@example\.org>/);
  t.match(await sender.send({ to: 'x' }), /^ArgumentError/);
});
