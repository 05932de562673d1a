import type { Encoder } from '../bytecode/encode.js';
import type { Program } from '../bytecode/program.js';
import type { Fn } from '../values/function.js';
import type { LinkedProgram } from './link.js';

export type Link = (program: Program) => LinkedProgram;

/** A function that the VM itself brings, in bytecode. */
interface OwnFunction {
  name: string;
  /** Names of its parameters, which are all required. */
  params: readonly string[];
  registers: number;
  /** The natives that it calls, by their index. */
  natives: string[];
}

/** Links a function of the VM itself. It has no file name, so that backtraces omit its frames. */
export function linkOwn(link: Link, encoder: Encoder, { name, params, registers, natives }: OwnFunction): Fn {
  const fn = {
    name,
    kind: 'def' as const,
    source: 0,
    params: params.map((param) => ({ name: param, kind: 'required' as const, defaultText: '' })),
    registers,
    captures: 0,
    doc: '',
    ...encoder.finish(),
  };
  return link({
    sources: [{ path: '', text: null }],
    constants: [],
    functions: [fn],
    natives,
    types: [],
    slots: [],
    entry: 0,
  }).entry;
}
