import type { Readable } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { isatty } from 'node:tty';
import { SETTINGS } from '../../natives/logging/logger.js';
import type { Incoming } from '../../natives/io/client/route.js';
import { reasonOf } from '../../natives/reasons.js';
import { SURVEY } from '../../natives/web/app/survey.js';
import type { App } from '../../natives/web/app/app.js';
import { BAD_PATH } from '../../natives/web/routing/router.js';
import { connector } from '../../natives/web/server/server.js';
import { Connections, HOST } from '../../natives/web/testclient/route.js';
import { visible } from '../../vm/values/text/visible.js';
import type { Program } from '../../vm/bytecode/program.js';
import type { VM } from '../../vm/vm.js';
import { execute, jitOf } from '../execute.js';
import { createVm, nativeNames } from '../fullvm.js';
import { exitWhenWritten, nodeHost, type Streams } from '../host.js';
import { loadProgram } from '../load.js';
import { LoadError } from '../loaderror.js';
import { Simulation } from '../simulation.js';
import { aligned } from '../table.js';
import { compared } from './compare.js';
import { Mask } from './mask.js';
import { type Fields, fieldOf, MAX_BODY, type Missing, type Recording } from './recording.js';
import { decoded, messageOf } from './recorder.js';
import { adviceFor, requestOf, stillMasked, type Supplied, suppliedBy } from './request.js';
import { FOLDER, listRecordings, readRecording } from './store.js';
import { versionOf } from './version.js';

export interface ReplayFlags {
  all?: boolean;
  header?: string[];
  field?: string[];
}

/** Exit codes. */
const SAME = 0;
const DIFFERENT = 1;
const USAGE = 2;

/** Maximum recordings listed without `--all`. */
const LISTED = 30;
/** Milliseconds that the program has to call `app.run`, and again to answer, by the real clock. */
const LIMIT_MS = 30_000;

function dateText(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

/** `svcc replay`: lists recordings, the latest last. @returns the exit code */
export async function listAll({ all = false }: ReplayFlags, { stdout, stderr }: Streams): Promise<number> {
  try {
    const found = await listRecordings(all ? Infinity : LISTED);
    if (found.latest.length === 0) {
      stderr(`svcc: no requests are recorded in ${FOLDER}: svcc run --dev --record FILE records them\n`);
      return USAGE;
    }
    const rows = found.latest.map(([id, { time, route, request, response, ms }]) => [
      String(id),
      dateText(time),
      visible(`${request.method} ${request.target}`),
      String(response.status),
      `${Math.round(ms)} ms`,
      route,
    ]);
    stdout(`${aligned([['NUMBER', 'TIME', 'REQUEST', 'STATUS', 'TOOK', 'ROUTE'], ...rows])}\n`);
    if (found.all > found.latest.length) stdout(`the latest ${found.latest.length} of ${found.all}; --all lists all\n`);
    return SAME;
  } catch (error) {
    stderr(`svcc: cannot read ${FOLDER}: ${reasonOf(error)}\n`);
    return USAGE;
  }
}

/** Reads the recording that the user named. @throws LoadError if there is none, or its body is not stored */
async function recordingNamed(id: string): Promise<Recording> {
  if (!/^\d{1,12}$/.test(id))
    throw new LoadError(`svcc: the request to run again must be a number, got '${id}'; svcc replay lists them`);
  const recording = await readRecording(Number(id)).catch((error: unknown) => {
    throw new LoadError(`svcc: cannot read ${FOLDER}: ${reasonOf(error)}`);
  });
  if (recording === null) throw new LoadError(`svcc: no request ${id} is recorded here; svcc replay lists them`);
  if (recording.request.missing !== null)
    throw new LoadError(
      `svcc: the body of request ${id} is not recorded (${recording.request.missing}), so it cannot run again`,
    );
  return recording;
}

/** `svcc replay NUMBER`: runs a recorded request again and compares its response. @returns the exit code */
export async function replay(id: string, args: string[], flags: ReplayFlags, streams: Streams): Promise<number> {
  // Standard output is reserved for the response.
  const host = nodeHost({ stdout: streams.stderr, stderr: streams.stderr });
  let code: number;
  try {
    const supplied = suppliedBy(flags.header, flags.field);
    const recording = await recordingNamed(id);
    const jit = jitOf(process.env);
    if (typeof jit === 'string') throw new LoadError(jit);
    const simulation = new Simulation(true, null, recording.time);
    const vm = createVm(host, {
      ...{ jit, simulation, slice: simulation.slice },
      process: { args, env: process.env, isTerminal: () => false },
    });
    const program = await loadProgram(recording.program, nativeNames(vm), host.stderr);
    code = await new Replay(recording, supplied, vm, streams).run(program);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    streams.stderr(`${error.message}\n`);
    code = error.exitCode;
  }
  // Threads of the program may still be running.
  exitWhenWritten(code);
  return code;
}

/** A replay of one request. */
class Replay {
  private hasBegun = false;

  constructor(
    private readonly recording: Recording,
    private readonly supplied: Supplied,
    private readonly vm: VM,
    private readonly streams: Streams,
  ) {}

  /** Runs the program until it starts the application of the route, then the request. Resolves with the exit code. */
  run(program: Program): Promise<number> {
    const { vm, recording, streams } = this;
    const hasChanged = versionOf(program) !== recording.version;
    return new Promise((resolve) => {
      let first: App | null = null;
      const begin = (app: App): void => {
        if (this.hasBegun) return;
        this.hasBegun = true;
        clearTimeout(timer);
        this.introduce(hasChanged);
        this.send(app).then(resolve, (error: unknown) => {
          streams.stderr(`svcc: ${reasonOf(error)}\n`);
          resolve(DIFFERENT);
        });
      };
      const fail = (why: string): void => {
        if (this.hasBegun) return;
        this.hasBegun = true;
        clearTimeout(timer);
        streams.stderr(`svcc: ${recording.program} ${why}, so the request cannot run\n`);
        resolve(DIFFERENT);
      };
      const timer = setTimeout(() => {
        if (first !== null) begin(first);
        else fail(`has not called app.run within ${LIMIT_MS / 1000} seconds`);
      }, LIMIT_MS);
      SURVEY.set(vm, (app) => {
        first ??= app;
        if (this.isServedBy(app)) begin(app);
        // Other threads may run further applications, one of which may have the route.
        else whenQuiet(vm, () => begin(first as App));
      });
      void execute(vm, program).then((code) => fail(`ended with exit code ${code} before it called app.run`));
    });
  }

  private isServedBy({ router }: App): boolean {
    const { method, target } = this.recording.request;
    const match = router.find(method === 'HEAD' ? 'GET' : method, target.split('?', 1)[0]);
    return match !== null && match !== BAD_PATH;
  }

  private introduce(hasChanged: boolean): void {
    const { recording, supplied, streams } = this;
    const { program, time, request } = recording;
    const lines = [`${visible(`${request.method} ${request.target}`)} of ${dateText(time)}, ${program}`];
    if (hasChanged) lines.push('the program has changed since');
    const masked = stillMasked(recording, supplied);
    if (masked.length > 0)
      lines.push(
        `not recorded, because they are secret: ${masked.map(({ kind, name }) => `${kind} ${visible(name)}`).join(', ')}`,
        `to supply them: ${visible(adviceFor(masked))}`,
      );
    streams.stderr(`${lines.join('\n')}\n\n`);
  }

  private async send(app: App): Promise<number> {
    const { recording, vm } = this;
    const { method, path, search, fields, body } = requestOf(recording, this.supplied);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error(`no answer within ${LIMIT_MS / 1000} seconds`)), LIMIT_MS);
    try {
      // Not a parsed URL, which would change paths such as `/a/../b`. Only these properties are used.
      const url = { hostname: HOST, pathname: path, search } as URL;
      const connections = new Connections(connector(vm, app));
      const incoming = await connections.send(
        { method, url, fields, body: body === null ? null : [body] },
        stop.signal,
      );
      return await this.finish(incoming);
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async finish(incoming: Incoming): Promise<number> {
    const { response } = this.recording;
    // If the recorded body is incomplete, the stream may never end: read no more than its beginning.
    const { bytes, missing } = await bodyOf(incoming.body, response.missing === null ? MAX_BODY : 0);
    const plain = await decoded(bytes, fieldOf(incoming.fields, 'content-encoding'));
    const now = {
      status: incoming.status,
      ...messageOf(
        incoming.fields,
        typeof plain === 'string' ? Buffer.alloc(0) : plain,
        typeof plain === 'string' ? plain : missing,
        new Mask(SETTINGS.of(this.vm).redaction),
      ),
    };
    this.print(incoming.status, incoming.fields, typeof plain === 'string' ? bytes : plain);
    const { same, lines } = compared(response, now);
    this.streams.stderr(`\n${lines.map(visible).join('\n')}\n`);
    return same ? SAME : DIFFERENT;
  }

  private print(status: number, fields: Fields, body: Buffer): void {
    const text = body.toString();
    const isText = Buffer.from(text).equals(body);
    const head = [`HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()];
    for (let i = 0; i < fields.length; i += 2) head.push(`${fields[i]}: ${fields[i + 1]}`);
    const shown = !isText ? `(${body.length} bytes)` : isatty(1) ? text.split('\n').map(visible).join('\n') : text;
    this.streams.stdout(`${head.join('\n')}\n\n${shown}${shown === '' || shown.endsWith('\n') ? '' : '\n'}`);
  }
}

/** Calls `then` when all threads of a program are waiting. */
function whenQuiet(vm: VM, then: () => void): void {
  const { host, scheduler } = vm;
  const look = (): void => host.defer(() => (scheduler.isQuiet ? then() : look()));
  look();
}

/** Reads a body. Stops after more than `most` bytes. */
async function bodyOf(body: Readable, most: number): Promise<{ bytes: Buffer; missing: Missing | null }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) return { bytes: Buffer.concat(chunks), missing: 'too long' };
  }
  return { bytes: Buffer.concat(chunks), missing: null };
}
