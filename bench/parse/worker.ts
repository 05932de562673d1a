/** Parses or compiles the corpus on request. Argument: the folder of examples. */
import { compile, type CompileEnvironment } from '../../compiler/index.js';
import { parse } from '../../compiler/parse.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost } from '../../svcc/host.js';
import { measure, serve } from '../shared/serve.js';
import { corpus } from './corpus.js';

export interface ParseRequest {
  task: 'parse' | 'compile';
  lines: number;
  minMs: number;
}

const environment: CompileEnvironment = {
  natives: nativeNames(createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), { process: { args: [], env: {} } })),
  builtinModules: new Set(['svcauth']),
  load: () => null,
};
const texts = new Map<number, string>();

function textOf(lines: number): string {
  const text = texts.get(lines) ?? corpus(process.argv[2], lines);
  texts.set(lines, text);
  return text;
}

function runOnce(task: ParseRequest['task'], text: string): void {
  const { diagnostics } = task === 'parse' ? parse('corpus.svc', text) : compile('corpus.svc', text, environment);
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined)
    throw new Error(`the corpus does not ${task}: ${wrong.message} (${text.slice(wrong.start, wrong.end)})`);
}

await serve(({ task, lines, minMs }: ParseRequest) => {
  const text = textOf(lines);
  const count = String(text.split('\n').length);
  return measure(() => {
    runOnce(task, text);
    return count;
  }, minMs);
});
