import {
  type DocExample,
  type ExpectedLine,
  exampleNames,
  exampleProgram,
  examplesOf,
  exampleText,
  expectedOutput,
} from '../../compiler/analysis/examples.js';
import { compile, type Diagnostic, renderDiagnostic } from '../../compiler/index.js';
import { parse } from '../../compiler/parse.js';
import { lineStarts } from '../../vm/bytecode/position.js';
import { diffSteps, type DiffLine } from '../../natives/testing/diff.js';
import { finish } from '../../vm/values/steps.js';
import { programsBelow } from '../doc/files.js';
import { environment, readSource, type Covered } from '../load.js';
import { LoadError } from '../loaderror.js';
import { filesOf } from './find.js';
import type { FailureRecord } from './protocol.js';

/** An example in the documentation of a file, as a test. */
export interface Example {
  readonly name: string;
  /** Line of the file on which its block begins. */
  readonly line: number;
  /** What it is to print; empty if it does not say so. */
  readonly output: readonly ExpectedLine[];
  /**
   * Compiles it, with the file that it documents. Warnings go to `warn`.
   * @throws LoadError for mistakes in the example; FileProblem for mistakes in the file
   */
  load(natives: ReadonlySet<string>, warn: (text: string) => void, covered: boolean): Covered;
}

/** A documented file that does not compile. */
export class FileProblem extends LoadError {}

/**
 * Files with examples in their documentation: of those that are named, and of the programs in folders, without tests.
 * @throws LoadError for a path that cannot be read
 */
export function findExamples(paths: readonly string[]): string[] {
  return filesOf(paths, programsBelow).filter(hasExamples);
}

function hasExamples(file: string): boolean {
  const text = readSource(file);
  return text.includes('```') && examplesOf(text).length > 0;
}

/** The examples of a file. @throws LoadError if it cannot be read */
export function readExamples(file: string): Example[] {
  const text = readSource(file);
  const examples = examplesOf(text);
  const names = exampleNames(text, parse(file, text).module, examples);
  return examples.map((example, i) => ({
    name: names[i],
    line: example.line - 1,
    output: expectedOutput(example),
    load: (natives, warn, covered) => loadExample({ file, text, example, name: names[i] }, natives, warn, covered),
  }));
}

interface Place {
  file: string;
  text: string;
  example: DocExample;
  name: string;
}

/** Path of an example for the compiler; that of its file names the file. */
const EXAMPLE_PATH = '<example>';

function loadExample(
  { file, text, example, name }: Place,
  natives: ReadonlySet<string>,
  warn: (text: string) => void,
  covered: boolean,
): Covered {
  if (example.isOpen) {
    const open = notClosed(file, text, example.line - 1);
    throw new LoadError(renderDiagnostic(open, text), [open]);
  }
  // Alone first: an `end` too many would close the test around it.
  const alone = exampleText(example);
  const { diagnostics: mistakes } = parse(file, alone);
  if (mistakes.length > 0)
    throw new LoadError(
      rendered(mistakes, () => alone),
      mistakes,
    );
  const program = exampleProgram(example, name);
  const base = environment(natives, file);
  let isFirst = true;
  const compiled = compile(EXAMPLE_PATH, program, {
    ...base,
    coverage: covered,
    load(form, path, from) {
      if (from !== EXAMPLE_PATH) return base.load(form, path, from);
      if (!isFirst) return base.load(form, path, file);
      isFirst = false;
      return { path: file, text };
    },
    templates: (directory, from) => base.templates?.(directory, from === EXAMPLE_PATH ? file : from) ?? [],
  });
  const inFile = compiled.diagnostics.filter((diagnostic) => diagnostic.file !== EXAMPLE_PATH);
  const own = compiled.diagnostics.filter((diagnostic) => diagnostic.file === EXAMPLE_PATH);
  const named = own.map((diagnostic) => ({ ...diagnostic, file }));
  const messages = (list: readonly Diagnostic[]): string => rendered(list, (path) => compiled.texts.get(path) ?? '');
  if (compiled.program === null) {
    if (inFile.some(isError)) throw new FileProblem(messages(inFile), inFile);
    throw new LoadError(
      rendered(named, () => program),
      named,
    );
  }
  for (const line of [messages(inFile), rendered(named, () => program)]) if (line !== '') warn(`${line}\n`);
  const sources = compiled.program.sources.map((source) =>
    source.path === EXAMPLE_PATH ? { path: file, text } : source,
  );
  return {
    program: { ...compiled.program, sources },
    coverage: compiled.coverage.filter(({ path }) => path !== EXAMPLE_PATH),
  };
}

/** @param line the line on which the block of an example begins */
function notClosed(file: string, text: string, line: number): Diagnostic {
  const first = text.split('\n', line)[line - 1];
  const start = lineStarts(text)[line - 1] + first.indexOf('`');
  return {
    code: 'syntax-error',
    severity: 'error',
    message: 'the example has no end: expected a line with ``` before the end of its comment',
    file,
    start,
    end: start + first.slice(first.indexOf('`')).trimEnd().length,
    labels: [],
    hint: 'end its block with ``` on a line of its own',
  };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

function rendered(list: readonly Diagnostic[], textOf: (path: string) => string): string {
  return list.map((diagnostic) => renderDiagnostic(diagnostic, textOf(diagnostic.file))).join('\n');
}

/** Why an example failed whose output is not the expected one; null if it is. */
export function outputFailure(file: string, output: readonly ExpectedLine[], printed: string): FailureRecord | null {
  if (output.length === 0) return null;
  const lines = printed.replace(/\n$/, '').split('\n');
  const actual = printed === '' ? [] : lines.map((line) => line.trimEnd());
  const at = output.findIndex(({ text }, i) => text !== actual[i]);
  if (at < 0 && actual.length <= output.length) return null;
  const expected = output.map(({ text }) => text);
  const { line } = output[at < 0 ? output.length - 1 : at];
  const diff: DiffLine[] = finish(diffSteps(expected.join('\n'), actual.join('\n')));
  const message =
    actual.length === 0
      ? 'the example printed nothing: `# => text` is a line of its output, so print the value with `puts`'
      : 'the example printed other lines than its comments `# =>` say';
  return { phase: 'test', type: '', message, trace: [{ file, line, column: 1, name: 'example' }], diff, source: [] };
}
