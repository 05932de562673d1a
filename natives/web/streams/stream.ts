import { native } from '../../../vm/calls/native.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Closure, type NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { bufferOf } from '../../core/bytes/texts.js';
import { methodsOf } from '../../core/declare.js';
import { withForms } from '../../core/json/forms.js';
import type { Exchange } from '../request/exchange.js';
import { Response } from '../response/response.js';
import { headerFields, isBare } from '../response/send.js';
import { eventText, PING } from './events.js';
import { StreamWriter } from './writer.js';

const OUT = new HandleType('SvcStream');
const EVENTS = new HandleType('SvcEvents');

/** Milliseconds between the comments that keep an event stream open. */
const PING_MS = 15_000;

/** The object passed to the block of a streamed response, which writes to it. */
class Stream extends Handle {
  constructor(
    readonly type: HandleType,
    readonly writer: StreamWriter,
  ) {
    super();
  }
}

/** A response whose body is written by a block while it is sent. Headers, status and cookies work as in others. */
export class StreamedResponse extends Response {
  constructor(contentType: string, run: (exchange: Exchange, response: Response) => void) {
    super(200, '', null);
    this.addField('Content-Type', contentType);
    this.sender = (exchange, response) => {
      if (exchange.isHead || isBare(response.status))
        exchange.res.writeHead(response.status, headerFields(response)).end();
      else run(exchange, response);
    };
  }
}

/** Adds the charset to a text type: the stream is written as UTF-8. */
function withCharset(type: string): string {
  return /^(text\/[^;]*|application\/json *)$/i.test(type) ? `${type.trimEnd()}; charset=utf-8` : type;
}

function checkBlock(block: Value, name: string): void {
  if (!(block instanceof Closure)) fail(Errors.TypeError, `${name}() needs a block`);
}

function streamResponse(vm: NativeContext, contentType: string, block: Value): Response {
  checkBlock(block, 'stream_response');
  return new StreamedResponse(withCharset(contentType), (exchange, response) => {
    const writer = new StreamWriter(vm, exchange, false);
    writer.start(() => vm.spawn('stream', block, [new Stream(OUT, writer)]), response);
  });
}

function sseResponse(vm: NativeContext, block: Value): Response {
  checkBlock(block, 'sse_response');
  const made = new StreamedResponse('text/event-stream; charset=utf-8', (exchange, response) => {
    const writer = new StreamWriter(vm, exchange, true);
    writer.start(() => vm.spawn('stream', block, [new Stream(EVENTS, writer)]), response);
    writer.repeat(PING, PING_MS);
  });
  made.addField('Cache-Control', 'no-cache');
  // Proxies such as nginx would buffer the events.
  made.addField('X-Accel-Buffering', 'no');
  return made;
}

const CLOSED = [
  'closed?',
  '',
  'Boolean',
  'Whether the client has disconnected or the stream has ended.',
  (_vm: NativeContext, { writer }: Stream) => writer.isClosed,
] as const;

/** `stream_response`, `sse_response`, and the methods of the objects passed to their blocks. */
export const streamNatives: NativeFunction[] = [
  native(
    'stream_response',
    'content_type: String, &block: Function',
    'SvcResponse',
    'A response whose body is written by the block while it is sent.',
    streamResponse,
  ),
  native(
    'sse_response',
    '&block: Function',
    'SvcResponse',
    'A response of Server-Sent Events sent by the block.',
    sseResponse,
  ),
  ...methodsOf('SvcStream', [
    [
      'write',
      'value: Any',
      'Nil',
      'Sends Bytes, or another value as printed by `print`; waits while the client is slow. ConnectionError when it has disconnected.',
      (_vm, { writer }: Stream, value: Value) => writer.write(value instanceof Bytes ? bufferOf(value) : toText(value)),
    ],
    CLOSED,
  ]),
  ...methodsOf('SvcEvents', [
    [
      'send',
      'data: Any, event: String? = nil, id: Any = nil, retry: Integer? = nil',
      'Nil',
      'Sends an event; waits while the client is slow. ConnectionError when it has disconnected.',
      (vm: NativeContext, { writer }: Stream, data: Value, event: Value, id: Value, retry: Value) =>
        withForms(vm, data, (form) => writer.write(eventText(form, event, id, retry))),
    ],
    CLOSED,
  ]),
];
for (const fn of streamNatives) if (fn.owner !== '') (fn.owner === 'SvcStream' ? OUT : EVENTS).methods.set(fn.name, fn);
