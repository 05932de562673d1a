import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { do_not_optimize } from 'mitata';
import { compile, type CompileEnvironment } from '../../../compiler/index.js';
import { tokenize } from '../../../compiler/layout/tokenize.js';
import { parse } from '../../../compiler/parse.js';
import { resolveProgram } from '../../../compiler/resolve/program.js';
import { nativeNames } from '../../../svcc/fullvm.js';
import { decodeProgram, encodeProgram } from '../../../vm/artefact/payload.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import type { Program } from '../../../vm/bytecode/program.js';
import { link } from '../../../vm/calls/link.js';
import type { Value } from '../../../vm/values/value.js';
import { machine } from '../machine.js';
import type { Case, Group } from '../measure.js';

/** Examples that make a program of about 200 lines together. */
const EXAMPLES = ['string_formatting.svc', 'notes.svc'];

/** The stages from a text to functions that can run. */
export function compiler(root: string): Group {
  return {
    name: 'compiler',
    about: 'One program, made of two examples; a row that begins with … includes the rows above it.',
    *cases(): Generator<Case> {
      const { vm } = machine();
      const text = EXAMPLES.map((name) => readFileSync(join(root, 'examples', name), 'utf8')).join('\n');
      const lines = text.split('\n').length;
      const environment: CompileEnvironment = {
        natives: nativeNames(vm),
        builtinModules: new Set(['svcauth']),
        load: () => null,
      };
      yield {
        title: `${lines} lines`,
        benches: {
          'lexing and layout': () => do_not_optimize(tokenize(text)),
          '… and parsing': () => do_not_optimize(parse('bench.svc', text)),
          '… and resolving': () => do_not_optimize(resolveProgram('bench.svc', text, environment)),
          '… and emitting': () => do_not_optimize(compile('bench.svc', text, environment)),
        },
      };
      yield {
        title: 'empty program',
        benches: { 'all stages': () => do_not_optimize(compile('bench.svc', '', environment)) },
      };
      const program = compile('bench.svc', text, environment).program as Program;
      const bytes = encodeProgram(program, true);
      const lookup = (name: string): Value | undefined => vm.globals.get(name);
      // A program is verified once; so each run needs one that was just decoded.
      const verified = (): Program => {
        const decoded = decodeProgram(bytes);
        verifyProgram(decoded);
        return decoded;
      };
      yield {
        title: `artefact of ${bytes.length.toLocaleString('en')} bytes`,
        benches: {
          decode: () => do_not_optimize(decodeProgram(bytes)),
          '… and verify': () => do_not_optimize(verified()),
          '… and link': () => do_not_optimize(link(decodeProgram(bytes), lookup)),
          'encode, alone': () => do_not_optimize(encodeProgram(program, true)),
        },
      };
    },
  };
}
