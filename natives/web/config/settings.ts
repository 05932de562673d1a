import { Errors, fail } from '../../../vm/values/error.js';
import { inspect, toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { inSeconds } from '../../core/dates/duration.js';

/** Limits and switches of a server, changed with `app.set(name, value)`; listed in docs/web.md. */
export interface Settings {
  /** Maximum bytes of a header block (431), maximum number of its fields, maximum bytes of a Cookie header. */
  header_bytes: number;
  header_fields: number;
  cookie_bytes: number;
  /** Seconds in which the header block must arrive, and the whole request (408). */
  header_seconds: number;
  request_seconds: number;
  /** Seconds that a connection without a request stays open, and that a client may read nothing of its response. */
  keep_alive_seconds: number;
  write_seconds: number;
  /** Seconds that requests in flight have to finish when the server stops. */
  drain_seconds: number;
  /** Maximum bytes of a body (413), and of a multipart body. */
  body_bytes: number;
  upload_bytes: number;
  /** Maximum number of query or form pairs (400). */
  query_pairs: number;
  /** Maximum bytes of all request bodies in memory (503). */
  input_bytes: number;
  /** Maximum bytes of all responses that are waiting to be sent (503). */
  output_bytes: number;
  /** Maximum bytes of a WebSocket message (1009), and of what all WebSockets hold together (1013). */
  message_bytes: number;
  websocket_bytes: number;
  /** Seconds between pings; a WebSocket that stays silent for this long is closed. */
  ping_seconds: number;
  /** Maximum live threads (503), and maximum Svc frames on one stack (StackError). */
  threads: number;
  call_depth: number;
  /** Number of proxies in front of the service that append to X-Forwarded-For; true means one, false none. */
  trust_proxy: boolean | number;
  /** Address of the bus that carries messages to rooms, and broadcasts, to other processes; null: `local:`. */
  bus: string | null;
  /** How the library answers where it refuses a request by itself: `text`, or `json` like the 422 of a declared route. */
  refusals: 'text' | 'json';
}

/** The defaults. */
export function defaultSettings(): Settings {
  return {
    header_bytes: 16 * 1024,
    header_fields: 100,
    cookie_bytes: 8 * 1024,
    header_seconds: 8,
    request_seconds: 30,
    keep_alive_seconds: 5,
    write_seconds: 30,
    drain_seconds: 10,
    body_bytes: 1024 * 1024,
    upload_bytes: 32 * 1024 * 1024,
    query_pairs: 1000,
    input_bytes: 256 * 1024 * 1024,
    output_bytes: 256 * 1024 * 1024,
    message_bytes: 1024 * 1024,
    websocket_bytes: 64 * 1024 * 1024,
    ping_seconds: 30,
    threads: 10_000,
    call_depth: 10_000,
    trust_proxy: false,
    bus: null,
    refusals: 'text',
  };
}

/** Changes one setting. @throws ArgumentError for an unknown name or a value that does not fit */
export function changeSetting(settings: Settings, name: string, given: Value): void {
  const value = name.endsWith('_seconds') ? inSeconds(given) : given;
  const known = settings as unknown as Record<string, number | boolean | string>;
  if (!Object.hasOwn(known, name)) {
    const near = nearest(name, Object.keys(known));
    fail(
      Errors.ArgumentError,
      `there is no setting '${name}'${near === null ? `; there are ${Object.keys(known).join(', ')}` : `, did you mean '${near}'?`}`,
    );
  }
  if (name === 'bus') {
    if (typeof value !== 'string')
      fail(Errors.ArgumentError, `setting 'bus' needs an address such as "redis://localhost", got ${toText(value)}`);
    settings.bus = value;
    return;
  }
  if (name === 'refusals') {
    if (value !== 'text' && value !== 'json')
      fail(Errors.ArgumentError, `setting 'refusals' needs "text" or "json", got ${inspect(value)}`);
    settings.refusals = value;
    return;
  }
  const isProxies = name === 'trust_proxy';
  const fits = (isProxies && typeof value === 'boolean') || (typeof value === 'number' && value > 0);
  if (!fits)
    fail(
      Errors.ArgumentError,
      `setting '${name}' needs ${isProxies ? 'true, false or the number of proxies' : 'an Integer above 0'}, got ${toText(value)}`,
    );
  known[name] = value;
}
