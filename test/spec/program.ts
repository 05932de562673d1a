/** Expectations of a program in spec-tests/, from comments like `# expect: text`. */
export interface Expectations {
  /** Lines of stdout, in the order of the comments. */
  stdout: string[];
  /** Texts that stderr must contain. */
  stderr: string[];
  error: ExpectedError | null;
  compileErrors: ExpectedCompileError[];
  /** Null if it follows from the expected errors. */
  exitCode: number | null;
  stdin: string;
  args: string[];
  /** Whether the clock is virtual, so that the program waits for an exact time. */
  isVirtual: boolean;
  /** The modes to run in; null means all. */
  only: string[] | null;
  skip: string | null;
}

/** `# expect error: Type message`: an uncaught error on the comment's line. */
export interface ExpectedError {
  line: number;
  type: string;
  message: string;
}

/** `# expect compile error: 3:7 message`; the column, or the whole position, may be missing. */
export interface ExpectedCompileError {
  position: string;
  message: string;
}

const DIRECTIVE =
  /# (expect error|expect compile error|expect stderr|expect exit|expect|stdin|args|clock|only|skip):(?: (.*))?$/;

const DIRECTIVE_ARGS = /^# args: (.*)$/m;

/** @throws Error if the program has no expectations, or a directive lacks its reason */
export function readExpectations(source: string): Expectations {
  const found: Expectations = {
    stdout: [],
    stderr: [],
    error: null,
    compileErrors: [],
    exitCode: null,
    stdin: '',
    args: [],
    isVirtual: false,
    only: null,
    skip: null,
  };
  let directives = 0;
  for (const [index, line] of source.split('\n').entries()) {
    const [, name, text = ''] = DIRECTIVE.exec(line) ?? [];
    if (name === undefined) continue;
    READERS[name]?.(found, text, index + 1);
    directives++;
  }
  if (directives === 0) throw new Error('the program expects nothing');
  return found;
}

/** Arguments of a program whose expected output is a file of its own; empty if it has no comment `# args:`. */
export function readArguments(source: string): string[] {
  return DIRECTIVE_ARGS.exec(source)?.[1].split(' ') ?? [];
}

type Reader = (found: Expectations, text: string, line: number) => void;

const READERS: Record<string, Reader> = {
  expect: (found, text) => found.stdout.push(text),
  'expect stderr': (found, text) => found.stderr.push(text),
  'expect exit': (found, text) => (found.exitCode = Number(text)),
  'expect error': (found, text, line) => {
    const [type = '', ...words] = text.split(' ');
    found.error = { line, type, message: words.join(' ') };
  },
  'expect compile error': (found, text) => {
    const [, position = '', message = ''] = /^(\d+(?::\d+)?)?\s*(.*)$/.exec(text) ?? [];
    found.compileErrors.push({ position, message });
  },
  stdin: (found, text) => (found.stdin += `${text}\n`),
  args: (found, text) => (found.args = text.split(' ')),
  clock: (found, text) => {
    if (text !== 'virtual') throw new Error(`# clock: ${text}: a clock is virtual or not mentioned`);
    found.isVirtual = true;
  },
  only: (found, text) => (found.only = withReason('only', text).modes.split(/[ ,]+/)),
  skip: (found, text) => (found.skip = withReason('skip', `all: ${text}`).reason),
};

/** `# only: normal: the reason`. */
function withReason(name: string, text: string): { modes: string; reason: string } {
  const [, modes = '', reason = ''] = /^([^:]+): *(\S.*)$/.exec(text) ?? [];
  if (reason === '') throw new Error(`# ${name} needs a reason`);
  return { modes, reason };
}
