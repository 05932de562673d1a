import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { checksumOf } from '../../svcc/checksum.js';
import { type Outcome, svcc } from './svcc.js';

/** Names of entries, of the generated code beside them, and of the temporary files that become one of both. */
export const ENTRY = /^[0-9a-f]{8}\.svcc$/;
export const CODE = /^[0-9a-f]{8}\.code$/;
export const TEMPORARY = /^[0-9a-f]{8}\.(svcc|code)\.\d+\.[0-9a-z]+$/;

/** Checksum and size of the manifest. */
const HEAD_BYTES = 8;

/** A folder with programs and its own cache. */
export class Project {
  readonly cwd: string;
  readonly cache: string;

  constructor(test: Test, files: Exclude<Parameters<Test['testdir']>[0], undefined>) {
    const folder = test.testdir({ app: files });
    this.cwd = join(folder, 'app');
    this.cache = join(folder, 'cache');
  }

  /** `svcc run` of `file`. */
  run(
    file = 'app.svc',
    { flags = [], env = {}, cwd = this.cwd }: { flags?: string[]; env?: Record<string, string>; cwd?: string } = {},
  ): Promise<Outcome> {
    return svcc(['run', ...flags, file], { cwd, env: { SVC_CACHE_DIR: this.cache, ...env } });
  }

  /** Saves a file atomically, as editors do. */
  write(name: string, text: string): void {
    const path = join(this.cwd, name);
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  }

  entries(): string[] {
    return readdirSync(this.cache).filter((name) => ENTRY.test(name));
  }

  /** Path of the only entry. @throws Error if there is not exactly one */
  entry(): string {
    const names = this.entries();
    if (names.length !== 1) throw new Error(`${names.length} entries`);
    return join(this.cache, names[0]);
  }
}

/** The bytes of a file of generated code: it holds the text twice. */
export function sealedCode(text: string): Buffer {
  return Buffer.from(text + text);
}

/** The parts of an entry's bytes. */
export interface Parts {
  manifest: string;
  /** The concatenated sources. */
  sources: Buffer;
  program: Buffer;
}

export function parts(bytes: Buffer): Parts {
  const start = HEAD_BYTES + bytes.readUInt32LE(4);
  const manifest = bytes.toString('utf8', HEAD_BYTES, start);
  const { files } = JSON.parse(manifest) as { files: { size: number }[] };
  const end = files.reduce((sum, { size }) => sum + size, start);
  return { manifest, sources: bytes.subarray(start, end), program: bytes.subarray(end) };
}

/** The bytes of an entry with a valid checksum. */
export function sealed({ manifest, sources, program }: Parts, size = Buffer.byteLength(manifest)): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(HEAD_BYTES), Buffer.from(manifest), sources, program]);
  bytes.writeUInt32LE(size, 4);
  bytes.writeUInt32LE(checksumOf(bytes.subarray(4)), 0);
  return bytes;
}

/**
 * Whether a process that ran with NODE_V8_COVERAGE=`folder` loaded the compiler. @throws Error if the folder is empty
 */
export function compilerWasLoaded(folder: string): boolean {
  const files = readdirSync(folder);
  if (files.length === 0) throw new Error('no coverage');
  return files.some((name) => readFileSync(join(folder, name), 'utf8').includes('/groups/compiler.js'));
}

/** A fault of the file system for files of the cache. */
export interface Fault {
  /** Function of `node:fs` that throws `error`. Writing fails after half of the bytes. */
  call?: string;
  error?: string;
  /** Number of such calls that succeed first. */
  after?: number;
  /** Number of the call before which the process kills itself; a write is half done then. */
  dieAt?: number;
}

/** Module for `node --require` that adds the fault to calls for files in SVC_CACHE_DIR. */
const FAULTS = `
const fs = require('node:fs');
const { call, error, after = 0, dieAt } = JSON.parse(process.env.CACHE_FAULT);
const ours = new Set();
let calls = 0;
let good = 0;
for (const name of ['openSync', 'fstatSync', 'readFileSync', 'futimesSync', 'writeFileSync', 'fsyncSync', 'closeSync', 'renameSync', 'mkdirSync', 'readdirSync', 'lstatSync', 'rmSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (typeof args[0] === 'number' ? !ours.has(args[0]) : !String(args[0]).startsWith(process.env.SVC_CACHE_DIR)) return real(...args);
    const dies = ++calls === dieAt;
    const fails = name === call && good++ >= after;
    if ((dies || fails) && name === 'writeFileSync') real(args[0], args[1].subarray(0, args[1].length / 2));
    if (dies) for (;;) process.kill(process.pid, 'SIGKILL');
    if (fails) throw Object.assign(new Error(error), { code: error });
    const result = real(...args);
    if (name === 'openSync') ours.add(result);
    if (name === 'closeSync') ours.delete(args[0]);
    return result;
  };
}
require('node:module').syncBuiltinESMExports();
`;

/** Environment of a process with a fault. */
export function faulty(test: Test, fault: Fault): Record<string, string> {
  const path = join(test.testdirName, 'faults.cjs');
  writeFileSync(path, FAULTS);
  return { NODE_OPTIONS: `--require="${path}"`, CACHE_FAULT: JSON.stringify(fault) };
}
