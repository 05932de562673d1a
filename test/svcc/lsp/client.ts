import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledSvcc } from '../../bundle.js';
import { processorTime } from '../../clock.js';
import { PATIENCE_MS } from '../../patience.js';

/** An answer of the server, or a message that it sent of its own accord. */
export interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

interface Diagnostic {
  range: Range;
  severity: number;
  code: string;
  message: string;
  tags?: number[];
}

type Handler = (message: Message) => void;

/** An editor: `svcc lsp` in a process of its own, and the messages of the protocol. */
export class Editor {
  readonly child: ChildProcessWithoutNullStreams;
  readonly uriOf: (file: string) => string;
  stderr = '';
  /** Messages that were no answers to requests. */
  readonly notes: Message[] = [];
  readonly ended: Promise<number | null>;
  private buffer = Buffer.alloc(0);
  private id = 0;
  private readonly waiting = new Map<number, Handler>();
  private watchers: { test: (message: Message) => boolean; done: Handler }[] = [];
  private readonly versions = new Map<string, number>();

  constructor(readonly folder: string) {
    this.uriOf = (file) => (/^\w+:/.test(file) ? file : pathToFileURL(join(folder, file)).href);
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.child = spawn(process.execPath, [bundledSvcc(), 'lsp', '--stdio'], { cwd: folder, env });
    this.child.stdout.on('data', (data: Buffer) => this.receive(data));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((done) => this.child.on('close', done));
  }

  private receive(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const head = this.buffer.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.buffer.toString('latin1', 0, head))?.[1]);
      if (this.buffer.length < head + 4 + length) return;
      const message = JSON.parse(this.buffer.toString('utf8', head + 4, head + 4 + length)) as Message;
      this.buffer = this.buffer.subarray(head + 4 + length);
      this.dispatch(message);
    }
  }

  private dispatch(message: Message): void {
    if (message.id !== undefined && message.method === undefined) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
      return;
    }
    // Requests of the server, such as that to watch files.
    if (message.id !== undefined) this.write({ id: message.id, result: null });
    this.notes.push(message);
    const ready = this.watchers.filter(({ test }) => test(message));
    this.watchers = this.watchers.filter((watcher) => !ready.includes(watcher));
    for (const { done } of ready) done(message);
  }

  /** Sends bytes as they are. */
  raw(text: string): void {
    this.child.stdin.write(text);
  }

  write(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.raw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  notify(method: string, params: object = {}): void {
    this.write({ method, params });
  }

  /** Sends a request; resolves with the whole answer, also if that is an error. */
  ask(method: string, params: object = {}): Promise<Message> & { id: number } {
    const id = ++this.id;
    const answer = new Promise<Message>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no answer to ${method}; stderr: ${this.stderr}`)), PATIENCE_MS);
      this.waiting.set(id, (message) => {
        clearTimeout(timer);
        done(message);
      });
      void this.ended.then(() => {
        clearTimeout(timer);
        fail(new Error(`the server ended before it answered ${method}; stderr: ${this.stderr}`));
      });
    });
    this.write({ id, method, params });
    return Object.assign(answer, { id });
  }

  /** The result of a request. @throws Error if the answer is an error */
  async result<T>(method: string, params: object = {}): Promise<T> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  async start(capabilities: object = {}): Promise<Message> {
    const answer = await this.ask('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(this.folder).href,
      capabilities,
      workspaceFolders: [{ uri: pathToFileURL(this.folder).href, name: 'project' }],
    });
    this.notify('initialized');
    return answer;
  }

  /** Waits for a message of the server. */
  note(test: (message: Message) => boolean): Promise<Message> {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`waited for a message; stderr: ${this.stderr}`)), PATIENCE_MS);
      this.watchers.push({
        test,
        done: (message) => {
          clearTimeout(timer);
          done(message);
        },
      });
    });
  }

  text(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Opens a file, by default with the text that it has on the disk. */
  open(file: string, text = this.text(file)): void {
    this.versions.set(file, 1);
    this.notify('textDocument/didOpen', {
      textDocument: { uri: this.uriOf(file), languageId: 'svc', version: 1, text },
    });
  }

  /** Replaces the whole text, or a part of it. */
  change(file: string, text: string, range?: Range): void {
    const version = (this.versions.get(file) ?? 1) + 1;
    this.versions.set(file, version);
    this.notify('textDocument/didChange', {
      textDocument: { uri: this.uriOf(file), version },
      contentChanges: [range === undefined ? { text } : { range, text }],
    });
  }

  close(file: string): void {
    this.notify('textDocument/didClose', { textDocument: { uri: this.uriOf(file) } });
  }

  /** The next diagnostics of the current version of a file. */
  async diagnostics(file: string): Promise<Diagnostic[]> {
    const version = this.versions.get(file);
    const isWanted = ({ method, params }: Message): boolean => {
      const { uri, version: of } = (params ?? {}) as { uri?: string; version?: number };
      return method === 'textDocument/publishDiagnostics' && uri === this.uriOf(file) && of === version;
    };
    const message = await this.note(isWanted);
    return (message.params as { diagnostics: Diagnostic[] }).diagnostics;
  }

  /** Parameters of a request about a place. */
  at(file: string, position: Position): { textDocument: { uri: string }; position: Position } {
    return { textDocument: { uri: this.uriOf(file) }, position };
  }

  get cpu(): number {
    return processorTime(this.child);
  }

  async stop(): Promise<number | null> {
    await this.ask('shutdown').catch(() => {});
    this.notify('exit');
    return this.ended;
  }
}

/** The position of a mark `¦` in a text, and the text without it. */
export function marked(text: string): { text: string; position: Position } {
  const at = text.indexOf('¦');
  return { text: text.slice(0, at) + text.slice(at + 1), position: positionIn(text, at) };
}

/** The position of an offset. */
export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length - 1;
  return { line, character: offset - (before.lastIndexOf('\n') + 1) };
}

/** The position of the `nth` occurrence of a part of a text, `skip` characters into it. */
export function find(text: string, part: string, skip = 0, nth = 1): Position {
  let at = -1;
  for (let i = 0; i < nth; i++) at = text.indexOf(part, at + 1);
  if (at < 0) throw new Error(`'${part}' is not in the text`);
  return positionIn(text, at + skip);
}
