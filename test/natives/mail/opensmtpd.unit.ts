import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { type Hash } from '../../../vm/values/hash.js';
import { freePort } from '../../freeport.js';
import { until } from '../../patience.js';
import { Sender } from './sender.js';

/** OpenSMTPD runs as root, with its queue in a fixed place. */
const reason =
  spawnSync('smtpd', ['-h']).error === undefined && process.getuid?.() === 0
    ? false
    : 'needs the Debian package opensmtpd, and root';

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

t.test('OpenSMTPD takes a mail, and refuses a recipient', { skip: reason }, async (t) => {
  const port = await freePort();
  const folder = t.testdir({});
  const config = join(folder, 'smtpd.conf');
  const rules = [
    `listen on 127.0.0.1 port ${port} hostname mail.example.org`,
    `action "keep" maildir "${folder}/mail" virtual { "@" => nobody }`,
    'match from any for domain "example.org" action "keep"',
  ];
  writeFileSync(config, `${rules.join('\n')}\n`, { mode: 0o600 });
  const server = spawn('smtpd', ['-d', '-f', config], { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  t.teardown(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  await until('OpenSMTPD', () => answers(port));
  const sender = new Sender({ SMTP_URL: `smtp://127.0.0.1:${port}` });
  const sent = (await sender.send({ subject: 'Grüße', text: 'ü\n.\n' })) as Hash;
  t.strictSame(sent.get('accepted'), ['ann@example.org']);
  t.match(sent.get('response'), /Message accepted for delivery/);
  t.match(
    await sender.send({ to: 'x@other.example' }),
    /^MailError recipient: .*550 Invalid recipient: <x@other\.example>/,
  );
});
