import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { OutputHandle } from '../../core/output.js';
import { cut, FieldText, quoted } from '../../logging/fieldtext.js';
import { jsonFields, textLine } from '../../logging/line.js';
import { fieldsFrom, SETTINGS } from '../../logging/logger.js';
import type { Redaction } from '../../logging/redaction.js';
import { openSink, type Sink } from '../../logging/sink.js';
import type { App } from '../app/app.js';
import type { Answered } from '../request/exchange.js';

/** Maximum characters of a path, a query, or the name of a browser. */
const MAX_SENT = 2048;

type Json = readonly (readonly [name: string, json: string])[];

/** What is known of a request besides method, path and status. */
function details({ request, route, bytes, isCut, startedAt, closeCode }: Answered, redaction: Redaction): Json {
  const { parts } = request;
  const agent = request.header('user-agent');
  return [
    ['query', quoted(cut(redaction.query(parts.query), MAX_SENT))],
    ['route', route === null ? 'null' : quoted(route.pattern)],
    ['bytes', String(bytes)],
    ...(isCut === true ? ([['cut', 'true']] as const) : []),
    ['ms', String(Math.round((performance.now() - startedAt) * 100) / 100)],
    ['agent', agent === null ? 'null' : quoted(cut(agent, MAX_SENT))],
    ...(closeCode === undefined ? [] : ([['close_code', String(closeCode)]] as const)),
  ];
}

/** The fields that the program has added. */
function ownFields({ request }: Answered, redaction: Redaction): [string, string][] {
  if (request.logFields === null) return [];
  const text = new FieldText(redaction);
  return fieldsFrom(request.logFields).map(([name, value]) => [name, text.field(name, value)]);
}

/** One line as JSON, with the fields in reading order. */
function jsonLine(answered: Answered, redaction: Redaction, time: number): string {
  const { request, status } = answered;
  const { id, method, path } = request.parts;
  const [query, route, ...rest] = details(answered, redaction);
  const own: Json = [
    ['time', `"${new Date(time).toISOString()}"`],
    ['id', quoted(id)],
    ['ip', quoted(cut(request.ip, MAX_SENT))],
    ['method', quoted(method)],
    ['path', quoted(cut(path, MAX_SENT))],
    query,
    route,
    ['status', String(status)],
    ...rest,
  ];
  const names = new Set(own.map(([name]) => name));
  const further = ownFields(answered, redaction).map(
    ([name, json]) => [names.has(name) ? `_${name}` : name, json] as const,
  );
  return `{${jsonFields([...own, ...further])}}\n`;
}

const READABLE = textLine(false);

/** One line for people: `12:00:03.120 INFO  GET /notes 200 bytes=34 …`. */
function readableLine(answered: Answered, redaction: Redaction, time: number): string {
  const { request, status, closeCode } = answered;
  const { id, method, path } = request.parts;
  return READABLE({
    time,
    level: status >= 500 ? 'error' : 'info',
    message: `${closeCode === undefined ? method : 'CLOSE'} ${cut(path, MAX_SENT)} ${closeCode ?? status}`,
    own: [...details(answered, redaction), ...ownFields(answered, redaction)].filter(
      ([, json]) => json !== 'null' && json !== '""',
    ),
    context: [
      ['ip', quoted(cut(request.ip, MAX_SENT))],
      ['id', quoted(id)],
    ],
  });
}

/**
 * Native `app.log(:access)`: writes a line after each request, after each handshake of a WebSocket and at the end of
 * each WebSocket. The status is 499 when the client disconnected before the answer.
 */
export function enableLog(
  vm: NativeContext,
  app: App,
  what: string,
  format: string,
  to: string | OutputHandle | null,
): null | undefined {
  if (what !== 'access') fail(Errors.ArgumentError, `app.log() supports only "access", got "${what}"`);
  if (format !== 'json' && format !== 'text')
    fail(Errors.ValueError, `app.log(): format must be json or text, got "${format}"`);
  const { redaction } = SETTINGS.of(vm);
  const make = format === 'json' ? jsonLine : readableLine;
  const use = (sink: Sink): null => {
    app.observers.push((answered) => sink.write(make(answered, redaction, vm.host.wallClock())));
    return null;
  };
  const sink = openSink(vm, to);
  return sink instanceof Promise ? vm.waitForPromise('log', sink.then(use)) : use(sink);
}
