import { back } from './frames.js';
import { acceptOf } from './rawserver.js';
import { everyCut, Writer, type Case } from './rfc6455-case.js';

/** A server's answer to the client's handshake, and its effect in the program. */
export interface Answer {
  name: string;
  /** The answer to a key, one element for each TCP write. */
  writes: (key: string) => readonly Buffer[];
  /** Next step of the server: play a case, close, wait for the client to close, or close after the client's timeout. */
  then: Omit<Case, 'name'> | 'close' | 'wait' | 'stay';
  /** Output of the program. */
  seen: string;
  /** The client's timeout in seconds. */
  timeout?: number;
}

const ECHO = { steps: [], back: [] };

type Fields = Readonly<Record<string, string | readonly string[] | null>>;

/** A valid answer, changed by the given fields: null omits a field, several values repeat it. */
function answer(key: string, fields: Fields = {}, line = 'HTTP/1.1 101 Switching Protocols'): Buffer {
  const all = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': acceptOf(key), ...fields };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  return Buffer.from([line, ...lines, '\r\n'].join('\r\n'));
}

const HOST = 'ConnectionError: ADDRESS refused the WebSocket with';
const CANNOT = 'ConnectionError: cannot connect to ADDRESS:';

const plain = (status: string, more = ''): Answer => ({
  name: `the answer is ${status}${more === '' ? '' : ' with more'}`,
  writes: () => [Buffer.from(`HTTP/1.1 ${status}\r\n${more}Content-Length: 2\r\nConnection: close\r\n\r\nno`)],
  then: 'close',
  seen: `${HOST} ${status}`,
});

const LATE = 'TimeoutError: timed out after 1.0s';

const bad = (name: string, seen: string, fields: Fields, line?: string): Answer => ({
  name,
  writes: (key) => [answer(key, fields, line)],
  then: 'close',
  seen: `${CANNOT} ${seen}`,
});
const good = (name: string, fields: Fields, line?: string): Answer => ({
  name,
  writes: (key) => [answer(key, fields, line)],
  then: ECHO,
  seen: '1000',
});
const raw = (name: string, bytes: string, seen: string, then: Answer['then'] = 'close'): Answer => ({
  name,
  writes: () => [Buffer.from(bytes)],
  then,
  seen,
  timeout: seen === LATE ? 1 : undefined,
});

/** Answers that do not switch protocols. */
const notSwitched = (name: string, fields: Fields): Answer => ({
  ...bad(name, '', fields),
  seen: `${HOST} 101 Switching Protocols`,
});

const NOT_HTTP = `${CANNOT} the response is not valid HTTP`;
const BROKEN = `${CANNOT} the connection was broken`;

// prettier-ignore
const refusals: Answer[] = [
  ...['200 OK', '204 No Content', '301 Moved Permanently', '302 Found', '400 Bad Request', '401 Unauthorized', '403 Forbidden', '404 Not Found', '426 Upgrade Required', '500 Internal Server Error', '503 Service Unavailable'].map((status) => plain(status)),
  plain('302 Found', 'Location: http://127.0.0.1:1/\r\n'),
  bad('another Accept', 'Invalid Sec-WebSocket-Accept header', { 'Sec-WebSocket-Accept': 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=' }),
  bad('no Accept', 'Invalid Sec-WebSocket-Accept header', { 'Sec-WebSocket-Accept': null }),
  bad('an empty Accept', 'Invalid Sec-WebSocket-Accept header', { 'Sec-WebSocket-Accept': '' }),
  { ...bad('two Accepts', 'Invalid Sec-WebSocket-Accept header', {}), writes: (key) => [answer(key, { 'Sec-WebSocket-Accept': [acceptOf(key), acceptOf(key)] })] },
  { ...bad('Accept in small letters', 'Invalid Sec-WebSocket-Accept header', {}), writes: (key) => [answer(key, { 'Sec-WebSocket-Accept': acceptOf(key).toLowerCase() })] },
  bad('another protocol', 'Invalid Upgrade header', { Upgrade: 'h2c' }),
  bad('an extension that was not offered', 'Server sent a Sec-WebSocket-Extensions header but no extension was requested', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }),
  bad('a subprotocol that was not offered', 'Server sent a subprotocol but none was requested', { 'Sec-WebSocket-Protocol': 'chat' }),
  notSwitched('no Upgrade', { Upgrade: null }),
  notSwitched('no Connection', { Connection: null }),
  notSwitched('Connection without Upgrade', { Connection: 'keep-alive' }),
  { ...notSwitched('no Upgrade, and the connection stays', { Upgrade: null }), then: 'wait' },
];

// prettier-ignore
const broken: Answer[] = [
  raw('the connection is closed at once', '', BROKEN),
  raw('the connection is closed within the answer', 'HTTP/1.1 101 Swit', BROKEN),
  raw('the connection is closed before the empty line', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n', BROKEN),
  raw('the answer is no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', NOT_HTTP),
  raw('the answer is a frame', '\x81\x05hello', NOT_HTTP),
  raw('the answer is HTTP/2', 'HTTP/2 101\r\n\r\n', NOT_HTTP),
  raw('5 MB of header fields', `HTTP/1.1 101 Switching Protocols\r\n${`X-Field: ${'x'.repeat(991)}\r\n`.repeat(5000)}\r\n`, NOT_HTTP, 'wait'),
  raw('a header field of 5 MB', `HTTP/1.1 101 Switching Protocols\r\nX-Field: ${'x'.repeat(5_000_000)}`, NOT_HTTP, 'wait'),
  raw('no answer', '', LATE, 'wait'),
  raw('half an answer', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n', LATE, 'wait'),
  raw('100 Continue without end', 'HTTP/1.1 100 Continue\r\n\r\n', LATE, 'wait'),
  { name: 'a good answer and no message', writes: (key) => [answer(key)], then: 'stay', seen: LATE, timeout: 1 },
  { name: 'a good answer and the end of the connection', writes: (key) => [answer(key)], then: 'close', seen: '1006' },
];

function accepted(): Answer[] {
  const w = new Writer('client');
  const text = w.text('early');
  const early = { steps: [], back: [back.text('early')] };
  const cut = (at: number): Answer => ({
    name: `the answer cut at byte ${at}`,
    writes: (key) => [answer(key).subarray(0, at), answer(key).subarray(at)],
    then: ECHO,
    seen: '1000',
  });
  // prettier-ignore
  return [
    good('a good answer', {}),
    good('another reason', {}, 'HTTP/1.1 101 Web Socket Protocol Handshake'),
    good('no reason', {}, 'HTTP/1.1 101'),
    ...['WebSocket', 'WEBSOCKET'].map((Upgrade) => good(`Upgrade: ${Upgrade}`, { Upgrade })),
    ...['upgrade', 'UPGRADE', 'keep-alive, Upgrade'].map((Connection) => good(`Connection: ${Connection}`, { Connection })),
    good('unknown fields', { 'X-Other': ['a', 'b'], 'Set-Cookie': 'a=b' }),
    good('10 KiB of header fields', { 'X-Field': 'x'.repeat(10_000) }),
    ...Array.from({ length: answer('x'.repeat(24)).length - 1 }, (_, i) => cut(i + 1)),
    { name: 'the answer byte by byte', writes: (key) => Array.from(answer(key), (byte) => Buffer.from([byte])), then: ECHO, seen: '1000' },
    { name: 'a message in the packet of the answer', writes: (key) => [Buffer.concat([answer(key), text])], then: early, seen: '1000' },
    ...everyCut(text).map(([at, first, second]): Answer => ({ name: `a message cut at byte ${at} by the packet of the answer`, writes: (key) => [Buffer.concat([answer(key), first]), second], then: early, seen: '1000' })),
    { name: 'a close in the packet of the answer', writes: (key) => [Buffer.concat([answer(key), w.close(1001, 'busy')])], then: { steps: [], back: [back.close(1001, 'busy')] }, seen: '1001 busy' },
    { name: 'a masked frame in the packet of the answer', writes: (key) => [Buffer.concat([answer(key), w.text('x', { mask: Buffer.from('abcd') })])], then: { steps: [], back: [back.close(1002)] }, seen: '1006' },
    { name: 'a message and a close in the packet of the answer', writes: (key) => [Buffer.concat([answer(key), w.ping('p'), w.close(1000)])], then: { steps: [], back: [back.pong('p'), back.close(1000)] }, seen: '1000' },
  ];
}

/** Handshakes with the client. */
export const ANSWERS: readonly Answer[] = [...refusals, ...broken, ...accepted()];
