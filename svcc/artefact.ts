import { InvalidArtefact } from '../vm/artefact/bytes.js';
import { decodeProgram, encodeProgram } from '../vm/artefact/payload.js';
import { InvalidBytecode } from '../vm/bytecode/decode.js';
import type { Program } from '../vm/bytecode/program.js';
import { verifyProgram } from '../vm/bytecode/verify.js';
import { builtinErrorType } from '../vm/values/error.js';
import { builtin } from '../natives/builtin.js';
import { LoadError } from './loaderror.js';
import { VERSION } from './version.js';

/** Changes whenever the layout, the opcodes or the behaviour of the library's internal functions change. */
export const FORMAT = 5;

const MAGIC = Buffer.from('SVCB', 'latin1');
const CHECKSUM_BYTES = 32;
/** Exit code for an artefact that is refused. */
const INVALID = 3;

function checksum(head: Buffer, payload: Uint8Array): Buffer {
  const { createHash } = builtin('node:crypto');
  return createHash('sha256').update(head).update(payload).digest();
}

/**
 * Encodes a compiled program as a `.svcb` file: magic, format, version of svcc, checksum, payload. The same program
 * always yields the same bytes.
 */
export function writeArtefact(program: Program, withSource: boolean): Buffer {
  const maker = Buffer.from(VERSION, 'latin1');
  const head = Buffer.alloc(MAGIC.length + 3);
  MAGIC.copy(head);
  head.writeUInt16LE(FORMAT, MAGIC.length);
  head.writeUInt8(maker.length, MAGIC.length + 2);
  const start = Buffer.concat([head, maker]);
  const payload = encodeProgram(program, withSource);
  return Buffer.concat([start, checksum(start, payload), payload]);
}

/** Whether a file starts like an artefact. */
export function isArtefact(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/**
 * Describes the first thing that a program uses and this library lacks; null: nothing. `loop` counts as missing,
 * because it is a word of the language.
 */
function missing(program: Program, natives: ReadonlySet<string>): string | null {
  const name = program.natives.find((native) => !natives.has(native) || native === 'loop');
  if (name !== undefined) return `'${name}' of the library`;
  for (const type of program.types)
    if (type.kind === 'error' && typeof type.parent === 'string' && builtinErrorType(type.parent) === undefined)
      return `the error type '${type.parent}'`;
  return null;
}

/**
 * The program in the bytes of a `.svcb` file, fully checked.
 * @param natives names that it may use of the library
 * @throws LoadError with exit code 3 that says why they are refused
 */
export function readArtefact(path: string, bytes: Buffer, natives: ReadonlySet<string>): Program {
  const refuse = (why: string): never => {
    throw new LoadError(`${path} ${why}`, [], INVALID);
  };
  if (!isArtefact(bytes)) return refuse('is not a Svc artefact; `svcc compile` makes one of a .svc file');
  const body = MAGIC.length + 3 + (bytes[MAGIC.length + 2] ?? 0);
  if (bytes.length < body + CHECKSUM_BYTES) return refuse('is damaged: it is truncated');
  const format = bytes.readUInt16LE(MAGIC.length);
  const maker = bytes.toString('latin1', MAGIC.length + 3, body).replace(/[^\w.+-]/g, '?');
  if (format !== FORMAT)
    return refuse(
      `has format ${format}, made by svcc ${maker}; svcc ${VERSION} reads format ${FORMAT}: compile the program again`,
    );
  const payload = bytes.subarray(body + CHECKSUM_BYTES);
  if (!checksum(bytes.subarray(0, body), payload).equals(bytes.subarray(body, body + CHECKSUM_BYTES)))
    return refuse('is damaged: its checksum does not match; copy it again or compile the program again');
  try {
    const program = decodeProgram(payload);
    verifyProgram(program);
    const name = missing(program, natives);
    const advice =
      maker === VERSION
        ? 'compile the program again'
        : `run it with svcc ${maker}, which made it, or compile the program again`;
    return name === null
      ? program
      : refuse(`is invalid: it uses ${name}, which svcc ${VERSION} does not have; ${advice}`);
  } catch (error) {
    if (error instanceof InvalidArtefact || error instanceof InvalidBytecode)
      return refuse(`is invalid: ${error.message}`);
    throw error;
  }
}
