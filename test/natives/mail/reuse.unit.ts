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
