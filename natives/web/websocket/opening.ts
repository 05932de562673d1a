import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { HeaderHash } from '../../http/headerhash.js';
import { mergeRawHeaders } from '../../http/headers.js';
import { parsePairs } from '../../http/urlencoded.js';
import type { SessionPolicy } from '../sessions/policy.js';

/** No character of a header field (RFC 9110, 5.5). */
const SEPARATOR = '\n';

/** Header fields as one text: the array and its texts would take three times as much memory. */
export type PackedHeaders = string;

/** Packs names and values of header fields as received, in turn. */
export function packHeaders(rawHeaders: readonly string[]): PackedHeaders {
  return rawHeaders.join(SEPARATOR);
}

/** The names and values of packed header fields, in turn. */
export function unpackHeaders(packed: PackedHeaders): string[] {
  return packed === '' ? [] : packed.split(SEPARATOR);
}

/** What a connection keeps of its handshake. */
export interface OpeningData {
  path: string;
  /** Address and port of the other side. */
  host: string;
  port: number | null;
  /** Names and values of the parameters of the path. */
  names: readonly string[];
  values: readonly string[];
  /** The query as sent, and the most pairs that are read of it. */
  query: string;
  queryPairs: number;
  headers: PackedHeaders;
  /** How sessions of the application travel; null for clients, and without `app.sessions`. */
  policy: SessionPolicy | null;
  /** Maximum bytes of an incoming message. */
  messageBytes: number;
  /** Whether binary messages are received as Bytes; else as texts. */
  binary: boolean;
  /** Default timeout of `recv` in seconds; nil means for ever. */
  timeout: Value;
  /** Whether outgoing messages pass through a compressor, whose queue is invisible to the socket. */
  compressed: boolean;
}

/** The handshake of a connection as programs see it: what most of them never ask for is made when it is asked for. */
export class Opening {
  private paramHash: Hash | null = null;
  private queryHash: Hash | null = null;
  private headerHash: Hash | null = null;

  constructor(readonly data: OpeningData) {}

  /** The address of the other side as host:port. */
  get peer(): string {
    const { host, port } = this.data;
    if (port === null) return host;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  get params(): Hash {
    const { names, values } = this.data;
    return (this.paramHash ??= Hash.from(names.map((name, i) => [name, values[i]])));
  }

  get query(): Hash {
    const { query, queryPairs } = this.data;
    return (this.queryHash ??= Hash.from(parsePairs(query, queryPairs) ?? []));
  }

  get headers(): Hash {
    return (this.headerHash ??= new HeaderHash(mergeRawHeaders(unpackHeaders(this.data.headers))));
  }
}
