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
import { bind, link } from '../../../vm/calls/link.js';
import { corpus } from '../../parse/corpus.js';
import { machine } from '../machine.js';
import type { Case, Group } from '../measure.js';

const LINES = 200;

/** The stages from a text to functions that can run. */
export function compiler(root: string): Group {
  return {
    name: 'compiler',
    about: 'One stage over one program, made of whole examples.',
    *cases(): Generator<Case> {
      const { vm } = machine();
      const text = corpus(join(root, 'examples'), LINES);
      const lines = text.split('\n').length;
      const environment: CompileEnvironment = {
        natives: nativeNames(vm),
        builtinModules: new Set(['svcauth']),
        load: () => null,
      };
      yield {
        title: `source text of ${lines} lines; each stage includes those above`,
        benches: {
          'lexing and layout': () => do_not_optimize(tokenize(text)),
          parsing: () => do_not_optimize(parse('bench.svc', text)),
          resolving: () => do_not_optimize(resolveProgram('bench.svc', text, environment)),
          emitting: () => do_not_optimize(compile('bench.svc', text, environment)),
        },
      };
      const program = compile('bench.svc', text, environment).program as Program;
      const bytes = encodeProgram(program, true);
      yield {
        title: `the compiled program (an artefact of ${bytes.length.toLocaleString('en')} bytes); each stage alone`,
        benches: {
          encode: () => do_not_optimize(encodeProgram(program, true)),
          decode: () => do_not_optimize(decodeProgram(bytes)),
          verify: () => do_not_optimize(verifyProgram(program)),
          bind: () => do_not_optimize(bind(program, (name) => vm.globals.get(name))),
          'link: verify and bind': () => do_not_optimize(link(program, (name) => vm.globals.get(name))),
        },
      };
    },
  };
}
