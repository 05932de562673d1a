import type { Socket } from 'node:net';
import type { EventEmitter } from 'node:events';
import { SqlFailure } from '../driver.js';
import { reasonOf, type SystemError } from './failures.js';
import { RowGate } from './rowgate.js';
import { place, type Target } from './url.js';

/** A message of the server, as pg parses it. */
export interface Message {
  readonly name: string;
  /** Number of bytes. */
  readonly length: number;
  /** RowDescription and DataRow. */
  readonly fields: readonly unknown[];
  /** CommandComplete. */
  readonly text: string;
  /** ReadyForQuery: idle, in a transaction, or in a failed one. */
  readonly status: 'I' | 'T' | 'E';
  /** ParameterDescription. */
  readonly dataTypeIDs: number[];
}

/** pg's connection: it writes and parses the messages of the protocol. */
export interface Wire extends EventEmitter {
  readonly stream: Socket;
  query(text: string): void;
  parse(statement: { name: string; text: string; types: readonly number[] }): void;
  bind(values: { portal: string; statement: string; values: readonly (string | Buffer | null)[] }): void;
  describe(what: { type: 'P' | 'S'; name: string }): void;
  execute(portal: { portal: string; rows: number }): void;
  close(what: { type: 'P' | 'S'; name: string }): void;
  sync(): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
  end(): void;
  /** Lets the parser listen to a stream; pg calls it when it connects. */
  attachListeners(stream: EventEmitter): void;
  /** Of a connection that sends a cancel request. */
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secret: number): void;
}

/** The part of pg's client that is used: it connects, negotiates TLS and logs in. */
interface Client extends EventEmitter {
  readonly connection: Wire;
  readonly processID: number;
  readonly secretKey: number;
  connect(done: (error?: Error | null) => void): void;
}

interface PgModule {
  Client: new (config: object) => Client;
  Connection: new (config: object) => Wire;
}

/** A connection that has logged in. */
export interface LoggedIn {
  readonly wire: Wire;
  readonly gate: RowGate;
  readonly processId: number;
  readonly secret: number;
  readonly isEncrypted: boolean;
}

/** Milliseconds that connecting takes at most. */
const CONNECT_MS = 10_000;

/** Milliseconds of silence after which TCP tests whether the server is still there. */
const KEEPALIVE_MS = 30_000;

/** Loads pg when a program first connects. */
async function loadPg(): Promise<PgModule> {
  return (await import('pg')).default as unknown as PgModule;
}

/** Options of node:tls; false for none. As in libpq, only the modes that verify look at the certificate. */
function tlsOptions(target: Target): object | false {
  const { tls, host, certificates } = target;
  if (tls === 'disable' || host.startsWith('/')) return false;
  if (tls === 'verify-full') return { ...certificates };
  if (tls === 'verify-ca') return { ...certificates, checkServerIdentity: () => undefined };
  return { ...certificates, rejectUnauthorized: false };
}

/** What pg says when the server refuses TLS. */
const NO_TLS = 'The server does not support SSL connections';

/** What pg says when the connection ends before the login is complete. */
const TERMINATED = 'Connection terminated unexpectedly';

/** Why a connection could not be made. */
export class ConnectFailure extends SqlFailure {
  /** @param isPassing whether a server that starts, stops or is crowded fails like this, so that trying again helps */
  constructor(
    message: string,
    code: string,
    readonly isPassing: boolean,
  ) {
    super('connection', message, code);
  }
}

/** Errors that a server causes while it restarts. */
const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03', '53300']);

function connectFailure(target: Target, error: SystemError): ConnectFailure {
  const code = error.code ?? error.errors?.[0]?.code ?? '';
  const isStated = /^[0-9][0-9A-Z]{4}$/.test(code);
  const reason =
    error.message === NO_TLS
      ? 'the server refuses TLS'
      : /client password must be a string/.test(error.message)
        ? 'the server asks for a password'
        : error.message === TERMINATED
          ? 'the server closed the connection'
          : isStated
            ? error.message
            : reasonOf(error, target.certificates.ca !== undefined);
  const message = `cannot connect to ${place(target)}: ${reason}`;
  return new ConnectFailure(message, isStated ? code : '', PASSING.has(code) || error.message === TERMINATED);
}

/** The failure of an attempt to connect that has got no answer within `limit` milliseconds. */
export function noAnswer(target: Target, limit: number): ConnectFailure {
  return connectFailure(target, new Error(`no answer within ${limit / 1000} s`));
}

/** Milliseconds that connecting to this server may take. */
export function connectLimit(target: Target): number {
  return target.connectTimeout === null ? CONNECT_MS : Math.min(CONNECT_MS, target.connectTimeout * 1000);
}

/** @param since when connecting began, of which `limit` are the milliseconds that it may take */
async function tryConnect(target: Target, ssl: object | false, limit: number, since: number): Promise<LoggedIn> {
  const { Client } = await loadPg();
  const client = new Client({
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    // A function, so that pg looks neither for PGPASSWORD nor for a password file.
    password: () => target.password() ?? undefined,
    ssl,
    enableChannelBinding: target.channelBinding,
    application_name: target.applicationName,
    options: target.options ?? undefined,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  });
  const { connection: wire } = client;
  const gate = new RowGate();
  const attach = wire.attachListeners.bind(wire);
  wire.attachListeners = (stream) => {
    gate.listenTo(stream as Socket);
    attach(gate);
  };
  client.on('error', () => {});
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        reject(new Error(`no answer within ${limit / 1000} s`));
        wire.stream.destroy();
      },
      limit - (performance.now() - since),
    );
    client.connect((error) => {
      clearTimeout(timer);
      if (error) {
        reject(error);
        wire.stream.destroy();
        return;
      }
      // From here the client's part is done: pipelining, cancelling and rows are the driver's.
      // pg emits 'message' only if a listener for it was added while pg's own listeners were there.
      wire.once('message', () => {});
      wire.removeAllListeners();
      wire.on('error', () => {});
      resolve({ wire, gate, processId: client.processID, secret: client.secretKey, isEncrypted: ssl !== false });
    });
  });
}

/** Connects and logs in. Rejects with SqlFailure "cannot connect to HOST:PORT: reason". */
export async function connect(target: Target, limit: number): Promise<LoggedIn> {
  const ssl = tlsOptions(target);
  const since = performance.now();
  try {
    return await tryConnect(target, ssl, limit, since).catch((error: Error) => {
      if (target.tls !== 'prefer' || ssl === false || error.message !== NO_TLS) throw error;
      return tryConnect(target, false, limit, since);
    });
  } catch (error) {
    throw connectFailure(target, error as Error);
  }
}

/** Milliseconds after which a cancel request is given up. */
const CANCEL_MS = 5000;

/** Asks the server to cancel what a connection runs. Resolves when the server has signalled it, or could not be reached. */
export async function requestCancel(target: Target, { processId, secret, isEncrypted }: LoggedIn): Promise<void> {
  const { Connection } = await loadPg();
  const ssl = isEncrypted ? tlsOptions(target) : false;
  const wire = new Connection({ ssl });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => wire.stream.destroy(), CANCEL_MS);
    wire.on('error', () => wire.stream.destroy());
    wire.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    wire.on('connect', () => (isEncrypted ? wire.requestSsl() : wire.cancel(processId, secret)));
    wire.on('sslconnect', () => wire.cancel(processId, secret));
    if (target.host.startsWith('/')) wire.connect(`${target.host}/.s.PGSQL.${target.port}`);
    else wire.connect(target.port, target.host);
  });
}
