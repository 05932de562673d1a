import { afterwards, native } from '../../../vm/calls/native.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Closure, type NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { STEP } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { bufferOf } from '../../core/bytes/texts.js';
import { methodsOf } from '../../core/declare.js';
import { withMessage } from '../../core/json/message.js';
import { made } from '../../core/strings/stepwise.js';
import { withText } from '../../core/strings/valuetext.js';
import type { Exchange } from '../request/exchange.js';
import { Response, type UnreadBody } from '../response/response.js';
import { headerFields, isBare } from '../response/send.js';
import { dataLines, eventHead, NO_LINE_FEED, PING } from './events.js';
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

const UNREADABLE: UnreadBody = {
  bytes: () =>
    fail(
      Errors.RuntimeError,
      'the body of a stream is made while it is sent: return a text or Bytes if filters or middleware have to read it',
    ),
};

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
    this.unread = UNREADABLE;
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

/** Sends an event: Bytes as printed, hashes, vectors and records as JSON. */
function sendEvent(vm: NativeContext, writer: StreamWriter, data: Value, head: string): Value | undefined {
  const send = (text: string): Value | undefined => writer.write(`${head}data: ${text}\n\n`);
  const inLines = (text: string): Value | undefined => {
    if (text.length <= STEP) return send(dataLines(text));
    return afterwards(
      vm,
      () => made(vm, 'event', text, dataLines, NO_LINE_FEED),
      (lines) => send(lines as string),
    );
  };
  if (data instanceof Bytes) return withText(vm, data, inLines);
  return withMessage(vm, data, (text) => inLines(text as string));
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
      (vm: NativeContext, { writer }: Stream, value: Value) =>
        value instanceof Bytes ? writer.write(bufferOf(value)) : withText(vm, value, (text) => writer.write(text)),
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
        sendEvent(vm, writer, data, eventHead(event, id, retry)),
    ],
    CLOSED,
  ]),
];
for (const fn of streamNatives) if (fn.owner !== '') (fn.owner === 'SvcStream' ? OUT : EVENTS).methods.set(fn.name, fn);
