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

/** What holds for all connections of a route. */
export interface Terms {
  /** The most pairs that are read of a query. */
  queryPairs: number;
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
  private made: { params?: Hash; query?: Hash; headers?: Hash } | null = null;

  constructor(
    readonly path: string,
    /** Address and port of the other side. */
    private readonly host: string,
    private readonly port: number | null,
    /** Names and values of the parameters of the path. */
    private readonly names: readonly string[],
    private readonly values: readonly string[],
    /** The query as sent. */
    private readonly queryText: string,
    private readonly packed: PackedHeaders,
    readonly terms: Terms,
  ) {}

  /** The address of the other side as host:port. */
  get peer(): string {
    const { host, port } = this;
    if (port === null) return host;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  get params(): Hash {
    return ((this.made ??= {}).params ??= Hash.from(this.names.map((name, i) => [name, this.values[i]])));
  }

  get query(): Hash {
    return ((this.made ??= {}).query ??= Hash.from(parsePairs(this.queryText, this.terms.queryPairs) ?? []));
  }

  get headers(): Hash {
    return ((this.made ??= {}).headers ??= new HeaderHash(mergeRawHeaders(unpackHeaders(this.packed))));
  }
}
