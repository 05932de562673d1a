import { HEAD } from './attack.js';

/** A request whose Transfer-Encoding line is not what it should be. */
export interface Framing {
  bytes: string;
  /**
   * `refused`: 400 alone. `unknown`: 501 alone, for a coding that nobody knows. `body`: the length counts, and the request inside the body does not run. `chunked`: the line is a good one, so that the
   * request behind the last chunk runs. `bare`: the line means nothing, so that the chunk is no request.
   */
  expected: 'refused' | 'unknown' | 'body' | 'chunked' | 'bare';
}

const NAMES = [
  'Transfer-Encoding',
  'tRANSFER-eNCODING',
  'Transfer-Encoding ',
  ' Transfer-Encoding',
  'Transfer-Encoding\0',
  'Transfer\r\n-Encoding',
  'X: y\nTransfer-Encoding',
  'X: y\rTransfer-Encoding',
  'X-Transfer-Encoding',
  'Transfer_Encoding',
];

const COLONS = [':', ': \t', ':\r\n '];

const VALUES = [
  'chunked',
  'CHUNKED',
  'chunked ',
  'chunked\t',
  'xchunked',
  'chunkedx',
  'chunk',
  'chunked, identity',
  'identity',
  'identity, chunked',
  'gzip, chunked',
  'chunked, chunked',
  '',
  'chunked;q=1',
  '"chunked"',
  "'chunked'",
  'chun ked',
  'chunked\0',
  '\x0bchunked',
  'chunked\xa0',
  'chunked,',
  ', chunked',
  'chunked\r\nTransfer-Encoding: chunked',
  'chunked\r\nTransfer-Encoding: identity',
  'identity\r\nTransfer-Encoding: chunked',
  'chun\r\n ked',
  'chunked\nX: y',
  'chunked\r',
  'x\r\n\tchunked',
];

/** A body that is empty for who reads chunks, and a request behind it. */
const BODY = `0\r\n\r\nGET /smuggled ${HEAD}Connection: close\r\n\r\n`;

/** What RFC 9112 makes of the line; a blank or tab around a value means nothing. */
function kindOf(line: string): 'chunked' | 'unknown' | 'other field' | 'broken' {
  if (/^transfer-encoding:[ \t]*(gzip|identity)(, |\r\ntransfer-encoding: )chunked$/i.test(line)) return 'unknown';
  // Node's parser takes a tab at the end of the value for a part of it, which is on the safe side.
  if (/^((x-transfer-|transfer_)encoding:[ \t]*(chunked|identity)\r\n)?transfer-encoding:[ \t]*chunked *$/i.test(line))
    return 'chunked';
  return /^(?!transfer-encoding:)[!#$%&'*+.^_`|~0-9a-z-]+:[\t\x20-\x7e\x80-\xff]*$/i.test(line)
    ? 'other field'
    : 'broken';
}

/** Every name with every colon and every value, without and with a Content-Length. */
export function* framings(): Generator<Framing> {
  for (const name of NAMES) {
    for (const colon of COLONS) {
      for (const value of VALUES) {
        const line = name + colon + value;
        const kind = kindOf(line);
        yield {
          bytes: `POST /body ${HEAD}${line}\r\n\r\n${BODY}`,
          expected: kind === 'other field' ? 'bare' : kind === 'broken' ? 'refused' : kind,
        };
        const length = `Content-Length: ${BODY.length}\r\n`;
        // Before and behind the line: a parser meets them in that order.
        const fields = value.length % 2 === 0 ? `${length}${line}\r\n` : `${line}\r\n${length}`;
        yield {
          bytes: `POST /body ${HEAD}${fields}\r\n${BODY}`,
          expected: kind === 'other field' ? 'body' : 'refused',
        };
      }
    }
  }
}
