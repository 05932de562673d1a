import t from 'tap';
import { type Exchange, parseExchanges, unescape } from './exchange.js';
import { compareResponse } from './play.js';

/** Bytes that the first exchange sends, as text. */
function sent({ steps }: Exchange): string {
  return steps.map((step) => ('send' in step ? step.send.toString('latin1') : `<${Object.keys(step)[0]}>`)).join('');
}

function only(text: string): Exchange {
  return parseExchanges(text)[0];
}

t.test('missing header fields of a request are added', async (t) => {
  t.equal(sent(only('GET /a?b=c d\n\n=> 200')), 'GET /a?b=c d HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  t.equal(
    sent(only('POST /\nX-A: b: c\n\né\n\n=> 200')),
    'POST / HTTP/1.1\r\nHost: svc.test\r\nX-A: b: c\r\nContent-Length: 2\r\n\r\n\xc3\xa9',
  );
  t.equal(
    sent(only('POST /\nHost: <absent>\nContent-Length: 9\n\na\n\nb\n\n\n=> 200')),
    'POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\na\n\nb',
  );
  t.equal(
    sent(only('POST /\nTransfer-Encoding: chunked\n\nab\n\n=> 200')),
    'POST / HTTP/1.1\r\nHost: svc.test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
  );
});

t.test('RAW sends its lines unchanged', async (t) => {
  const exchange = only(
    'RAW\nGET / HTTP/1.1\\r\\n\n@send "ab" * 3\n@pause 5\n\\xff"\n@end\n\n=> 200\n\nx\n=> 400|431\n=> closed',
  );
  t.equal(sent(exchange), 'GET / HTTP/1.1\r\nababab<pause>\xff"<end>');
  t.strictSame(exchange.methods, ['GET']);
  t.strictSame(
    exchange.responses.map(({ status }) => status),
    ['200', '400|431'],
  );
  t.ok(exchange.closes);
});

t.test('bodies may be written with escapes', async (t) => {
  t.equal(unescape('\\r\\n\\t\\0\\\\\\"\\x41é').toString(), '\r\n\t\0\\"Aé');
  t.equal(String(only('GET /\n\n=> 200\n\n@body "[" * 3 "\\"" "]" * 3').responses[0].body), '[[["]]]');
  t.throws(() => parseExchanges('GET /\n\n=> 200\n\n@body [ * 3'), { message: /should be/ });
});

t.test('errors name their line', async (t) => {
  t.throws(() => parseExchanges('GET /\n\n=> 200\n---\n\nGET /\n\nbody'), { message: /^line 6: / });
  t.throws(() => parseExchanges('GET /\n\n=> maybe'), { message: /^line 1: / });
  t.throws(() => parseExchanges('GET /\n\n=> 200\n---'), { message: /^line 5: / });
  t.equal(only('# A name\n# of two lines.\nGET /\n\n=> 200').title, 'A name of two lines.');
});

/** Whether a response passes. */
function passes(expected: string, actual: string): boolean {
  const [wanted] = only(`GET /\n\n${expected}`).responses;
  const [came] = only(`GET /\n\n${actual}`).responses;
  const body = came.body instanceof Buffer ? came.body : Buffer.alloc(0);
  const texts = compareResponse(wanted, { status: Number(came.status), headers: came.headers, body });
  return texts.actual === texts.expected;
}

t.test('status, headers and body are compared', async (t) => {
  t.ok(passes('=> 200', '=> 200\nA: b\n\nany body'));
  t.notOk(passes('=> 200', '=> 201'));
  t.ok(passes('=> 200|201', '=> 201'));
  t.ok(passes('=> 200\na: b', '=> 200\nX: y\nA: b'));
  t.notOk(passes('=> 200\na: b', '=> 200\nA: bc'));
  t.notOk(passes('=> 200\na: b', '=> 200\nA: b\nA: b'), 'a field too many');
  t.ok(passes('=> 200\na: b\na: c', '=> 200\nA: b\na: c'));
  t.notOk(passes('=> 200\na: b\na: c', '=> 200\nA: c\na: b'), 'another order');
  t.ok(passes('=> 200\na: <absent>\nb: <any>\nc: ~^x+$', '=> 200\nb: 1\nc: xx'));
  t.notOk(passes('=> 200\na: <absent>', '=> 200\na: 1'));
  t.notOk(passes('=> 200\nc: ~^x+$', '=> 200\nc: y'));
  t.ok(passes('=> 200\n\nab', '=> 200\n\nab'));
  t.notOk(passes('=> 200\n\nab', '=> 200\n\nabc'));
  t.ok(passes('=> 200\n\n~^a.b$', '=> 200\n\na\nb'));
  t.ok(passes('=> 200\n\n<empty>', '=> 200'));
  t.notOk(passes('=> 200\n\n<empty>', '=> 200\n\nx'));
});
