import { HEAD } from './attack.js';

/** A request with an unusual Transfer-Encoding line. */
export interface Framing {
  bytes: string;
  /**
   * `refused`: only 400. `unknown`: only 501, for an unknown coding. `body`: the length is used, and the request in the
   * body does not run. `chunked`: the line is valid, so the request after the last chunk runs. `bare`: the line has no
   * meaning, so the chunk is not a valid request.
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

/** A body that is empty if read as chunks, and a request after it. */
const BODY = `0\r\n\r\nGET /smuggled ${HEAD}Connection: close\r\n\r\n`;

/** Meaning of the line by RFC 9112; blanks and tabs around a value are ignored. */
function kindOf(line: string): 'chunked' | 'unknown' | 'other field' | 'broken' {
  if (/^transfer-encoding:[ \t]*(gzip|identity)(, |\r\ntransfer-encoding: )chunked$/i.test(line)) return 'unknown';
  // Node's parser treats a tab at the end as a part of the value, which is safe.
  if (/^((x-transfer-|transfer_)encoding:[ \t]*(chunked|identity)\r\n)?transfer-encoding:[ \t]*chunked *$/i.test(line))
    return 'chunked';
  return /^(?!transfer-encoding:)[!#$%&'*+.^_`|~0-9a-z-]+:[\t\x20-\x7e\x80-\xff]*$/i.test(line)
    ? 'other field'
    : 'broken';
}

/** All combinations of name, colon and value, with and without a Content-Length. */
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
        // Before and after the line, because a parser may depend on the order.
        const fields = value.length % 2 === 0 ? `${length}${line}\r\n` : `${line}\r\n${length}`;
        yield {
          bytes: `POST /body ${HEAD}${fields}\r\n${BODY}`,
          expected: kind === 'other field' ? 'body' : 'refused',
        };
      }
    }
  }
}
