import { native } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Steps } from '../../../vm/values/steps.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { inSeconds } from '../../core/dates/duration.js';
import { methodsOf } from '../../core/declare.js';
import { parseJson, withJson } from '../../core/json/index.js';
import { withMessage } from '../../core/json/message.js';
import { findSession } from '../sessions/saving.js';
import { connect } from './client.js';
import { Room, ROOM, ROOMS, roomsOf, type Rooms } from './rooms.js';
import { reached } from './sending.js';
import { Socket, SOCKET } from './socket.js';

/** Maximum bytes of the reason in a close frame (RFC 6455, 5.5). */
const REASON_BYTES = 123;

/** Whether an endpoint may send a code (RFC 6455, 7.4): excludes those reserved for the absence of a close frame. */
function isSendable(code: Value): boolean {
  return (
    typeof code === 'number' &&
    ((code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999))
  );
}

function close(_vm: NativeContext, socket: Socket, code: Value, reason: string): void {
  if (!isSendable(code))
    fail(
      Errors.ArgumentError,
      `a close code must be 1000 to 1014 (except 1004, 1005 and 1006) or 3000 to 4999, got ${toText(code)}`,
    );
  if (Buffer.byteLength(reason) > REASON_BYTES)
    fail(
      Errors.ArgumentError,
      `the reason of a close must be at most ${REASON_BYTES} bytes, got ${Buffer.byteLength(reason)}`,
    );
  socket.close(code as number, reason);
}

function recv(vm: NativeContext, socket: Socket, given: Value): Value | undefined {
  const timeout = inSeconds(given);
  if (timeout !== null && !((timeout instanceof Float ? timeout.n : Number(timeout)) > 0))
    fail(Errors.ArgumentError, `timeout must be more than 0 seconds, got ${toText(timeout)}`);
  return socket.recv(vm, timeout);
}

function socketSession(vm: NativeContext, socket: Socket): Value | undefined {
  const { policy } = socket.opening.terms;
  if (socket.session !== null) return socket.session;
  if (policy === null)
    return fail(
      Errors.RuntimeError,
      'ws.session needs sessions: call app.sessions(secret: env("SESSION_SECRET")) before app.run',
    );
  return findSession(vm, policy, (socket.opening.headers.get('cookie') ?? null) as string | null, (session) => {
    session.closed = 'a WebSocket only reads it';
    return (socket.session ??= session);
  });
}

function home(socket: Socket): Rooms {
  return roomsOf(socket) ?? fail(Errors.RuntimeError, 'only connections accepted by a server can join rooms');
}

/** `ws_connect`, and the methods of WebSockets and rooms. */
// prettier-ignore
export const socketNatives: NativeFunction[] = [
  native('ws_connect', 'url: String, timeout: Number|Duration? = nil, headers: Hash? = nil, binary: Boolean = false', 'SvcWebSocket', 'Connects to a WebSocket server. ConnectionError if it cannot be reached or refuses, ValueError for an address that is not `ws://`. The timeout covers connecting and each `recv`. If `binary`, binary messages are received as Bytes.', connect),
  ...methodsOf('SvcWebSocket', [
    ['send', 'msg: Any', 'Boolean', 'Sends a text message, hashes and vectors as JSON, Bytes as a binary message; waits while the peer is slow; false once the connection has ended, or `close` was called.', (vm: NativeContext, socket: Socket, message: Value) => withMessage(vm, message, (text) => socket.send(vm, text))],
    ['recv', 'timeout: Number|Duration? = nil', 'String|Bytes?', 'Waits for a message; nil once the connection has ended, or `close` was called. TimeoutError when `timeout` is over.', recv],
    ['close', 'code: Any = 1000, reason: String = ""', 'Nil', 'Closes the connection with a code and a reason. ArgumentError for codes that an application may not send, and for a long reason.', close],
    ['open?', '', 'Boolean', 'Whether messages can still be sent.', (_vm, socket: Socket) => socket.isOpen],
    ['params', '', 'Hash', 'The values of the :name segments of the path.', (_vm, { opening }: Socket) => opening.params],
    ['query', '', 'Hash', 'The parameters of the query.', (_vm, { opening }: Socket) => opening.query],
    ['headers', '', 'Hash', 'The header fields of the handshake, as sent by the other side.', (_vm, { opening }: Socket) => opening.headers],
    ['session', '', 'SvcSession', 'The session of the client as it was at the handshake; read only.', socketSession],
    ['path', '', 'String', 'The path of the request.', (_vm, { opening }: Socket) => opening.path],
    ['peer', '', 'String', 'The address of the other side as host:port.', (_vm, { opening }: Socket) => opening.peer],
    ['close_code', '', 'Integer?', 'The code with which the connection ended; nil before that, also while the other side has not answered `close`.', (_vm, { closeCode }: Socket) => closeCode],
    ['close_reason', '', 'String', 'The reason sent with the close code.', (_vm, { closeReason }: Socket) => closeReason],
    ['log_fields', '', 'Hash', 'Fields of the line in the access log at the end of the connection, to which the program may add.', (_vm, socket: Socket) => (socket.logFields ??= new Hash())],
    ['join', 'room: String, info: Any = nil', 'Nil', 'Adds the connection to a room; it leaves the room when it ends. `info`, which JSON must be able to carry, is shown by `SvcRoom.members`; joining again changes it. RuntimeError for connections of `ws_connect`, ValueError for more than 4 KiB of info.', join],
    ['leave', 'room: String', 'Nil', 'Removes the connection from a room.', (_vm, socket: Socket, room: string) => home(socket).leave(room, socket)],
    ['rooms', '', 'Vector', 'The names of the rooms that the connection is in.', (_vm, socket: Socket) => roomsOf(socket)?.of(socket) ?? []],
  ]),
  ...methodsOf('SvcRooms', [
    ['[]', 'name: String', 'SvcRoom', 'The room with this name; empty if no connection has joined it.', (_vm, rooms: Rooms, name: string) => new Room(name, rooms)],
    ['names keys', '', 'Vector', 'The names of all rooms that are not empty, in all processes.', (_vm, rooms: Rooms) => rooms.names],
    ['on_gap', '&block: Function', 'Nil', 'Calls the block in a thread of its own when messages of other processes may have been lost, with the seconds for which the connection was missing.', (_vm, rooms: Rooms, block: Value) => { rooms.onGap.push(block); }],
  ]),
  ...methodsOf('SvcRoom', [
    ['send', 'msg: Any, except: Any = nil', 'Integer', 'Sends a message to all connections in the room except `except`, of all processes, without waiting; returns the number of those in this process. Connections that read too slowly are closed with 1013.', sendToRoom],
    ['size', '', 'Integer', 'Number of connections in the room, in all processes.', (_vm, room: Room) => room.size],
    ['members', '', 'Vector', 'What the connections in the room have given to `join` about themselves, in all processes. Connections that gave nothing are left out.', membersOf],
    ['name', '', 'String', 'The name of the room.', (_vm, room: Room) => room.name],
  ]),
];

/** Maximum characters of what a connection gives about itself: all processes keep it. */
const INFO_CHARACTERS = 4096;
/** Milliseconds that `join` waits until messages of other processes arrive. */
const JOIN_MS = 5000;
/** Members whose infos are parsed in one step. */
const MEMBERS_PER_STEP = 200;

function join(vm: NativeContext, socket: Socket, room: string, info: Value): Value | undefined {
  const rooms = home(socket);
  if (info === null) return joined(vm, rooms.join(room, socket));
  return withJson(vm, info, false, (json) => {
    if (json.length > INFO_CHARACTERS)
      fail(
        Errors.ValueError,
        `SvcWebSocket.join(): info may have 4 KiB as JSON, got ${(json.length / 1024).toFixed(1)} KiB`,
      );
    return joined(vm, rooms.join(room, socket, json));
  });
}

/** Waits until messages of other processes arrive. */
function joined(vm: NativeContext, ready: Promise<void> | null): Value | undefined {
  if (ready === null) return null;
  return vm.wait('websocket join', (resume) => {
    const timer = vm.timers.add(JOIN_MS, () => resume(null));
    void ready.then(() => {
      vm.timers.cancel(timer);
      resume(null);
    });
    return () => vm.timers.cancel(timer);
  });
}

function membersOf(vm: NativeContext, room: Room): Value | undefined {
  return vm.inPieces('members', parsed([...room.infos()]));
}

function* parsed(infos: readonly string[]): Steps {
  const members: Value[] = [];
  for (const [i, info] of infos.entries()) {
    if (i % MEMBERS_PER_STEP === MEMBERS_PER_STEP - 1) yield;
    members.push(parseJson(info));
  }
  return members;
}

function sendToRoom(vm: NativeContext, room: Room, message: Value, except: Value): Value | undefined {
  if (except !== null && !(except instanceof Socket))
    fail(Errors.TypeError, 'SvcRoom.send(): except must be a SvcWebSocket');
  return withMessage(vm, message, (text) => reached(vm, (signal) => room.send(vm, text, except, signal)));
}

for (const fn of socketNatives) {
  if (fn.owner !== '') ({ SvcWebSocket: SOCKET, SvcRooms: ROOMS, SvcRoom: ROOM })[fn.owner]?.methods.set(fn.name, fn);
}
