/** Mails over connections that have carried a mail before. */
import t from 'tap';
import { inspect } from '../../../vm/values/text/text.js';
import { fakeServer } from './fakeserver.js';
import { Sender } from './sender.js';

const SENT = /accepted: \["ann@example.org"\]/;

t.test('a mail whose connection breaks before the answer is not sent again', async (t) => {
  const { url, stored } = await fakeServer(t, ({ command, carried }) =>
    command === '.' && carried === 1 ? null : undefined,
  );
  const sender = new Sender({ SMTP_URL: url });
  t.match(inspect(await sender.send()), SENT);
  t.match(await sender.send(), /^MailError connection: the mail server .* cannot be reached/);
  t.equal(stored.length, 2);
  t.match(inspect(await sender.send()), SENT, 'the next mail has a new connection');
});

t.test('a mail of which the server has nothing is sent over another connection', async (t) => {
  for (const step of ['MAIL', 'RCPT', 'DATA']) {
    const { url, stored } = await fakeServer(t, ({ command, carried }) =>
      command === step && carried === 1 ? null : undefined,
    );
    const sender = new Sender({ SMTP_URL: url });
    for (let mails = 0; mails < 3; mails++) t.match(inspect(await sender.send()), SENT, step);
    t.equal(stored.length, 3, step);
  }
});

t.test('a server that ends a connection with 421', async (t) => {
  for (const step of ['MAIL', 'RCPT', 'DATA']) {
    for (const extensions of ['250 fake', '250-fake\r\n250 PIPELINING']) {
      const { url, stored } = await fakeServer(t, ({ command, carried }) => {
        if (command === 'EHLO') return extensions;
        return command === step && carried === 2 ? '421 too many mails in this connection' : undefined;
      });
      const sender = new Sender({ SMTP_URL: url });
      for (let mails = 0; mails < 5; mails++) t.match(inspect(await sender.send()), SENT, `${step} ${extensions}`);
      t.equal(stored.length, 5, 'each mail was sent once');
    }
  }
  for (const step of ['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', '.']) {
    const { port } = await fakeServer(t, ({ command }) => {
      if (command === step) return '421 too busy';
      return command === 'EHLO' ? '250-fake\r\n250 AUTH PLAIN' : undefined;
    });
    const sender = new Sender({ SMTP_URL: `smtp://ann:word@127.0.0.1:${port}` });
    for (const to of ['ann@example.org', ['ann@example.org', 'bob@example.org']])
      t.match(
        await sender.send({ to }),
        /^MailError connection: the mail server .* ends the connection: 421 too busy/,
        step,
      );
  }
});

t.test('one of several recipients is answered with 421', async (t) => {
  for (const extensions of ['250 fake', '250-fake\r\n250 PIPELINING']) {
    let recipients = 0;
    const { url, stored } = await fakeServer(t, ({ command }) => {
      if (command === 'EHLO') return extensions;
      if (command !== 'RCPT') return undefined;
      return ['450 later', '421 too many recipients'][recipients++];
    });
    const sender = new Sender({ SMTP_URL: url });
    const to = ['ann@example.org', 'bob@example.org'];
    t.match(await sender.send({ to }), /^MailError connection: /, extensions);
    t.equal(stored.length, 0);
  }
});
