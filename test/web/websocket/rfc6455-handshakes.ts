import { back } from './frames.js';
import { KEY } from './rawclient.js';
import { everyCut, Writer, type Case } from './rfc6455-case.js';

/** An opening handshake and its expected answer. */
export interface Handshake {
  name: string;
  /** The request, one element for each TCP write. */
  writes: readonly Buffer[];
  /** Null: 101 that ends with the lines in `more`; then the connection must echo. */
  refused: Refusal | null;
  more?: string;
  /** Case to play on the connection; by default a message and its echo. */
  then?: Omit<Case, 'name'>;
}

/** An answer that is not 101: status, text, and lines besides those of every answer. */
export interface Refusal {
  status: string;
  text: string;
  fields?: readonly string[];
  /** Content-Length of an answer without its text. */
  length?: number;
  connection?: string;
  /** Content-Type, if it is not plain text. */
  type?: string;
}

const KEY_PROBLEM: Refusal = {
  status: '400 Bad Request',
  text: 'Sec-WebSocket-Key is missing or is not 16 bytes in base64',
};
const BAD_REQUEST: Refusal = { status: '400 Bad Request', text: 'Bad Request' };
const NOT_GET: Refusal = { status: '400 Bad Request', text: 'a WebSocket handshake is a GET request' };
const NOT_FOUND: Refusal = { status: '404 Not Found', text: '404 Not Found' };
const ORIGIN: Refusal = { status: '403 Forbidden', text: 'this origin may not connect' };
const BAD_EXTENSION: Refusal = {
  status: '400 Bad Request',
  type: 'text/html',
  text: 'Invalid or unacceptable Sec-WebSocket-Extensions header',
};
const BAD_PROTOCOL: Refusal = {
  status: '400 Bad Request',
  type: 'text/html',
  text: 'Invalid Sec-WebSocket-Protocol header',
};
const UPGRADE: Refusal = {
  status: '426 Upgrade Required',
  connection: 'Upgrade, close',
  text: 'Upgrade Required',
  fields: ['Sec-WebSocket-Version: 13', 'Upgrade: websocket'],
};
const PLAIN: Refusal = { status: '200 OK', text: 'plain' };

type Fields = Readonly<Record<string, string | readonly string[] | null>>;

const FIELDS: Fields = {
  Host: 'svc.test',
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Key': KEY,
  'Sec-WebSocket-Version': '13',
};

/** A valid request, changed by the given fields: null omits a field, several values repeat it. */
function request(fields: Fields = {}, line = 'GET /echo HTTP/1.1'): Buffer {
  const lines = Object.entries({ ...FIELDS, ...fields }).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  return Buffer.from([line, ...lines, '\r\n'].join('\r\n'));
}

const good = (name: string, fields: Fields, line?: string, more?: string): Handshake => ({
  name,
  writes: [request(fields, line)],
  refused: null,
  more,
});
const bad = (name: string, refused: Refusal, fields: Fields, line?: string): Handshake => ({
  name,
  writes: [request(fields, line)],
  refused,
});

// prettier-ignore
const KEYS: readonly [name: string, key: string | null][] = [
  ['no key', null], ['an empty key', ''], ['a key of 15 bytes', 'MTIzNDU2Nzg5MDEyMzQ1'], ['a key of 17 bytes', 'MTIzNDU2Nzg5MDEyMzQ1Njc='], ['a short key', 'c2hvcnQ='],
  ['a key without padding', KEY.slice(0, 22)], ['a key with half its padding', KEY.slice(0, 23)], ['a key in the letters of URLs', 'dGhlIHNhbXBsZSBub2-_ZQ=='],
  ['a key that is no base64', '!!!!!!!!!!!!!!!!!!!!!!=='], ['a key with a space within', 'dGhlIHNhbXBs SBub25jZQ=='], ['two keys in one field', `${KEY}, ${KEY}`],
];

// prettier-ignore
const problems: Handshake[] = [
  ...KEYS.map(([name, key]) => bad(`${name}`, KEY_PROBLEM, { 'Sec-WebSocket-Key': key })),
  bad('two keys', KEY_PROBLEM, { 'Sec-WebSocket-Key': [KEY, 'AAAAAAAAAAAAAAAAAAAAAA=='] }),
  bad('the same key twice', KEY_PROBLEM, { 'Sec-WebSocket-Key': [KEY, KEY] }),
  ...['12', '8', '7', '0', '14', '013', '13.0', '13, 8', '+13', 'x', ''].map((version) => bad(`version ${version}`, UPGRADE, { 'Sec-WebSocket-Version': version })),
  bad('no version', UPGRADE, { 'Sec-WebSocket-Version': null }),
  bad('two versions', UPGRADE, { 'Sec-WebSocket-Version': ['13', '8'] }),
  ...['POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map((method) => bad(`${method}`, method === 'HEAD' ? { ...NOT_GET, text: '', length: NOT_GET.text.length } : NOT_GET, {}, `${method} /echo HTTP/1.1`)),
  bad('HTTP/1.0', { status: '400 Bad Request', text: 'a WebSocket handshake needs HTTP/1.1' }, {}, 'GET /echo HTTP/1.0'),
  bad('no Host', BAD_REQUEST, { Host: null }),
  bad('two Hosts', BAD_REQUEST, { Host: ['a', 'b'] }),
  bad('HEAD of another path', { ...NOT_FOUND, text: '', length: NOT_FOUND.text.length }, {}, 'HEAD /nothing HTTP/1.1'),
  bad('another path', NOT_FOUND, {}, 'GET /nothing HTTP/1.1'),
  bad('the path in capitals', NOT_FOUND, {}, 'GET /ECHO HTTP/1.1'),
  bad('a longer path', NOT_FOUND, {}, 'GET /echo/more HTTP/1.1'),
  bad('the path of a plain route', NOT_FOUND, {}, 'GET /plain HTTP/1.1'),
  bad('no Upgrade', UPGRADE, { Upgrade: null }),
  bad('no Connection', UPGRADE, { Connection: null }),
  bad('Connection without Upgrade', UPGRADE, { Connection: 'keep-alive' }),
  bad('neither Upgrade nor Connection', UPGRADE, { Upgrade: null, Connection: null }),
  bad('another protocol', UPGRADE, { Upgrade: 'h2c' }),
  bad('another protocol for a plain route', PLAIN, { Upgrade: 'h2c' }, 'GET /plain HTTP/1.1'),
  ...['https://evil.test', 'null', 'http://good.test', 'https://good.test:444', 'https://good.test.evil.test', 'https://evil.test/https://good.test', 'https://sub.good.test', ''].map((Origin) => (
    bad(`origin ${Origin}`, ORIGIN, { Origin }, 'GET /guarded HTTP/1.1'))),
  bad('two origins', ORIGIN, { Origin: 'https://good.test, https://evil.test' }, 'GET /guarded HTTP/1.1'),
];

// prettier-ignore
const accepted: Handshake[] = [
  good('the example of RFC 6455', {}),
  good('with a query', {}, 'GET /echo?a=1&b=2 HTTP/1.1'),
  ...['Upgrade', 'upgrade', 'UPGRADE', 'keep-alive, Upgrade', 'Keep-Alive, UPGRADE', 'upgrade,keep-alive', 'keep-alive,upgrade', 'keep-alive ,  uPgRaDe'].map((Connection) => good(`Connection: ${Connection}`, { Connection })),
  good('two Connection fields', { Connection: ['keep-alive', 'Upgrade'] }),
  ...['websocket', 'WebSocket', 'WEBSOCKET'].map((Upgrade) => good(`Upgrade: ${Upgrade}`, { Upgrade })),
  good('field names in small letters', { 'Upgrade': null, 'Connection': null, 'Sec-WebSocket-Key': null, 'Sec-WebSocket-Version': null, 'upgrade': 'websocket', 'connection': 'upgrade', 'sec-websocket-key': KEY, 'sec-websocket-version': '13' }),
  good('spaces around the key', { 'Sec-WebSocket-Key': ` ${KEY}  ` }),
  good('an unknown field', { 'X-Other': 'a' }),
  good('an extension that is offered is not taken', { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' }),
  good('an unknown extension is ignored', { 'Sec-WebSocket-Extensions': 'x-unknown; a=1, other' }),
  good('an unknown extension is not taken where messages are compressed', { 'Sec-WebSocket-Extensions': 'x-unknown' }, 'GET /zip HTTP/1.1'),
  // If a context is kept, short messages are compressed, too.
  { ...good('an extension is taken where messages are compressed', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }, 'GET /zip HTTP/1.1', 'Sec-WebSocket-Extensions: permessage-deflate\r\n'), then: { steps: [], back: [] } },
  good('an extension is taken with its parameters', { 'Sec-WebSocket-Extensions': 'permessage-deflate; server_no_context_takeover' }, 'GET /zip HTTP/1.1', 'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n'),
  bad('an extension with a bad parameter', BAD_EXTENSION, { 'Sec-WebSocket-Extensions': 'permessage-deflate; server_max_window_bits=99' }, 'GET /zip HTTP/1.1'),
  bad('an extension field that cannot be read', BAD_EXTENSION, { 'Sec-WebSocket-Extensions': 'permessage-deflate; =' }, 'GET /zip HTTP/1.1'),
  good('a subprotocol is agreed to', { 'Sec-WebSocket-Protocol': 'chat' }, undefined, 'Sec-WebSocket-Protocol: chat\r\n'),
  good('the first of several subprotocols', { 'Sec-WebSocket-Protocol': 'chat, superchat' }, undefined, 'Sec-WebSocket-Protocol: chat\r\n'),
  bad('a subprotocol twice', BAD_PROTOCOL, { 'Sec-WebSocket-Protocol': 'chat, chat' }),
  bad('a subprotocol that is no token', BAD_PROTOCOL, { 'Sec-WebSocket-Protocol': 'a b' }),
  bad('no subprotocol in its field', BAD_PROTOCOL, { 'Sec-WebSocket-Protocol': '' }),
  good('compression is not forced on a client', {}, 'GET /zip HTTP/1.1'),
  good('any origin where none is asked for', { Origin: 'https://evil.test' }),
  good('an allowed origin', { Origin: 'https://good.test' }, 'GET /guarded HTTP/1.1'),
  good('an allowed origin with a port', { Origin: 'http://other.test:8080' }, 'GET /guarded HTTP/1.1'),
  good('an allowed origin in capitals', { Origin: 'HTTPS://GOOD.TEST' }, 'GET /guarded HTTP/1.1'),
  good('no origin, as programs send it', {}, 'GET /guarded HTTP/1.1'),
];

function pieces(): Handshake[] {
  const w = new Writer('server');
  const text = w.text('early');
  const early = { steps: [], back: [back.text('early')] };
  // prettier-ignore
  return [
    ...everyCut(request()).map(([at, first, second]): Handshake => ({ name: `the handshake cut at byte ${at}`, writes: [first, second], refused: null })),
    { name: 'the handshake byte by byte', writes: Array.from(request(), (byte) => Buffer.from([byte])), refused: null },
    { name: 'a message in the packet of the handshake', writes: [Buffer.concat([request(), text])], refused: null, then: early },
    { name: 'a message after the handshake, not waiting', writes: [request(), text], refused: null, then: early },
    ...everyCut(text).map(([at, first, second]): Handshake => ({ name: `a message cut at byte ${at} by the packet of the handshake`, writes: [Buffer.concat([request(), first]), second], refused: null, then: early })),
    { name: 'two messages in the packet of the handshake', writes: [Buffer.concat([request(), text, text])], refused: null, then: { steps: [], back: [back.text('early'), back.text('early')] } },
    { name: 'a ping in the packet of the handshake', writes: [Buffer.concat([request(), w.ping('p')])], refused: null, then: { steps: [], back: [back.pong('p')] } },
    { name: 'a close in the packet of the handshake', writes: [Buffer.concat([request(), w.close(1001)])], refused: null, then: { steps: [], back: [back.close(1001)] } },
    { name: 'a broken frame in the packet of the handshake', writes: [Buffer.concat([request(), w.frame(3)])], refused: null, then: { steps: [], back: [back.close(1002)] } },
    { name: 'a message after a bad handshake is not read', writes: [Buffer.concat([request({ 'Sec-WebSocket-Key': null }), text])], refused: KEY_PROBLEM },
    { name: 'a request after a bad handshake is not answered', writes: [Buffer.concat([request({ 'Sec-WebSocket-Key': null }), request()])], refused: KEY_PROBLEM },
  ];
}

/** Handshakes with the server. */
export const HANDSHAKES: readonly Handshake[] = [...problems, ...accepted, ...pieces()];
