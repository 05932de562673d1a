import { Argument, Command, CommanderError, Option } from 'commander';
import { nearest } from '../vm/bytecode/nearest.js';
import type { CheckFlags } from './check.js';
import type { CompileFlags } from './compile.js';
import type { DisasmFlags } from './disasm.js';
import type { FmtFlags } from './fmt/command.js';
import { processStreams, type Streams } from './host.js';
import { addDoc } from './doc/command.js';
import { addLsp } from './lsp/command.js';
import type { MigrateFlags } from './migrate.js';
import { TEMPLATES } from './projecttemplates.js';
import { addReplay } from './record/command.js';
import type { RunFlags } from './run.js';
import { STANDARD_INPUT } from './standardinput.js';
import { addTest } from './test/command.js';
import { addTop } from './top/command.js';
import { VERSION } from './version.js';

/** Topics of `svcc help`; `help/topics.ts` has the texts. */
const HELP_TOPICS = ['language', 'errors', 'environment', 'exit-codes', 'documentation'];

/** Exit code for an invalid command line. */
const USAGE = 2;

function integer(what: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!/^\d+$/.test(text) || n < least || n > most)
      throw new CommanderError(
        USAGE,
        'svcc.argument',
        `error: ${what} must be a number from ${least} to ${most}, got '${text}'`,
      );
    return n;
  };
}

function filled(what: string): (text: string) => string {
  return (text) => {
    if (text === '') throw new CommanderError(USAGE, 'svcc.argument', `error: ${what} must not be empty`);
    return text;
  };
}

function wordsOf(command: Command): string[] {
  return [...(command.parent === null ? [] : wordsOf(command.parent)), command.name()];
}

/** Shown after an error: the usage of the command, and where to read more. */
function usage(command: Command): string {
  const words = wordsOf(command);
  return `usage: ${words.join(' ')} ${command.usage().split('\n')[0]}\n(${['svcc help', ...words.slice(1, 2)].join(' ')} lists commands and options)`;
}

function addNew(program: Command, streams: Streams): void {
  const templates = Object.entries(TEMPLATES).map(([name, about]) => `  ${name.padEnd(6)} ${about}`);
  program
    .command('new')
    .description('make a project: a web service with a test')
    .argument('<name>', 'its folder')
    .option('--template <name>', 'what to begin with', 'basic')
    .addHelpText('after', `\nTemplates:\n${templates.join('\n')}`)
    .action(async (name: string, { template }: { template: string }) => {
      process.exitCode = (await import('./new.js')).newProject(name, template, streams);
    });
}

/** The operands of `svcc run` before `--`. Commander leaves the `--` in operands that hold an unknown option. */
function beforeDashes(operands: readonly string[], rest: readonly string[] | null): readonly string[] {
  if (rest === null) return operands;
  const before = operands.slice(0, operands.length - rest.length);
  return before.at(-1) === '--' ? before.slice(0, -1) : before;
}

/** Hides words after `--` from commander, which would find `-h` among them after an unknown option. */
function hidden(words: readonly string[], end: number): readonly string[] {
  return words.map((word, i) => (i > end ? '' : word));
}

/** @param rest the words after `--`, which are never options; null without `--` */
function addRun(program: Command, rest: readonly string[] | null): void {
  const running = program
    .command('run')
    .description('compile and run a program')
    .argument('<file>', 'the program, a .svc file; - for standard input')
    .argument('[args...]', 'arguments for the program')
    .option('--port <n>', 'port of the web server, whatever the program says', integer('--port', 0, 65535))
    .option('--host <address>', 'address of the web server, whatever the program says', filled('--host'))
    .addOption(
      new Option('--dev', 'show errors in the browser and reload the program when its files change').conflicts([
        'workers',
        'seeds',
      ]),
    )
    .option('--record', 'with --dev: keep the last requests of each route for svcc replay')
    .addOption(
      new Option('--workers <n>', 'number of processes that share the port')
        .argParser(integer('--workers', 1, 256))
        .conflicts('seeds'),
    )
    .addOption(
      new Option('--jobs', 'run the jobs of the program, and serve nothing').conflicts(['dev', 'seeds', 'workers']),
    )
    .addOption(
      new Option('--profile <file>', 'write what takes processor time: *.html, *.cpuprofile, or JSON for speedscope')
        .argParser(filled('--profile'))
        .conflicts(['dev', 'seeds', 'workers']),
    )
    .option('--no-cache', 'compile the program even if it was compiled before')
    .option(
      '--seeds <n>',
      'run the program with N orders of its threads, under a virtual clock, until one fails',
      integer('--seeds', 1, 1_000_000),
    )
    .allowUnknownOption()
    .action(async (first: string, others: string[], flags: RunFlags) => {
      const before = beforeDashes([first, ...others], rest);
      // An option before the program is meant for svcc: let commander report it.
      if (before[0]?.startsWith('-') && first !== STANDARD_INPUT)
        running.allowUnknownOption(false).parse([first.split('=')[0]], { from: 'user' });
      const [file, ...args] = [...before, ...(rest ?? [])];
      process.exitCode = await (await import('./run.js')).run(file, args, flags);
    });
}

function addRepl(program: Command): void {
  program
    .command('repl')
    .description('evaluate what is typed, line by line')
    .argument('[file]', 'a program that runs first, whose names can be used')
    .argument('[args...]', 'arguments for the program')
    .addHelpText('after', '\nThe command :help of the session lists its commands.')
    .action(async (file: string | undefined, args: string[]) => {
      process.exitCode = await (await import('./repl/repl.js')).repl(file ?? null, args);
    });
}

function addCompletion(program: Command, streams: Streams): void {
  program
    .command('completion')
    .description('print a script that completes command lines in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const [{ completionScript }, { factsOfAll }] = await Promise.all([
        import('./completion/scripts.js'),
        import('./completion/facts.js'),
      ]);
      streams.stdout(completionScript(shell, factsOfAll(program, HELP_TOPICS)));
    });
}

function addCache(program: Command, streams: Streams): Command {
  const cache = program.command('cache').description('show or clear the cache of compiled programs');
  cache
    .command('info')
    .description('show where the cache is and how much it holds')
    .action(async () => {
      process.exitCode = (await import('./cachecommand.js')).showCache(streams);
    });
  cache
    .command('clear')
    .description('remove all entries')
    .action(async () => {
      process.exitCode = (await import('./cachecommand.js')).emptyCache(streams);
    });
  return cache;
}

function addFmt(program: Command, streams: Streams): void {
  program
    .command('fmt')
    .description('format programs')
    .argument('[files...]', '.svc files and folders (all below this folder); - formats stdin')
    .option('--check', 'list the files that would change, and change none')
    .option('--stdin-path <path>', 'name of the program that stdin holds, for messages', filled('--stdin-path'))
    .action(async (files: string[], flags: FmtFlags) => {
      process.exitCode = await (await import('./fmt/command.js')).fmt(files, flags, streams);
    });
}

/** Refuses a word that is not a command, as commander does where a command is required. */
function refuseCommand(parent: Command, word: string): never {
  const near = nearest(
    word,
    parent.commands.map((command) => command.name()),
  );
  const hint = near === null ? '' : `\n(Did you mean ${near}?)`;
  return parent.error(`error: unknown command '${word}'${hint}`, { exitCode: USAGE });
}

/** Defines the commands of migrations; their code is loaded when one of them runs. */
function addMigrate(program: Command, streams: Streams): Command {
  const migrate = program
    .command('migrate')
    .description('run the migrations of a database that have not run')
    .option('--database <url>', 'path or URL of the database (DATABASE_URL, or app.db)', filled('--database'))
    .option('--folder <dir>', 'folder of the migrations (db/migrations)', filled('--folder'))
    .allowExcessArguments()
    .action(async (flags: MigrateFlags, command: Command) => {
      const [word] = command.args;
      if (word !== undefined) refuseCommand(command, word);
      process.exitCode = await (await import('./migrate.js')).runMigrations(flags, streams);
    });
  const part = (name: string, description: string): Command =>
    migrate
      .command(name)
      .description(description)
      .option('--database <url>', 'path or URL of the database', filled('--database'))
      .option('--folder <dir>', 'folder of the migrations', filled('--folder'));
  part('status', 'show which migrations have run').action(async (_: MigrateFlags, command: Command) => {
    process.exitCode = await (await import('./migrate.js')).showMigrations(command.optsWithGlobals(), streams);
  });
  part('down', 'undo the migration that ran last').action(async (_: MigrateFlags, command: Command) => {
    process.exitCode = await (await import('./migrate.js')).undoMigration(command.optsWithGlobals(), streams);
  });
  part('new', 'write the next migration')
    .argument('<name>', 'what it does, in words such as add_notes')
    .action(async (name: string, _: MigrateFlags, command: Command) => {
      process.exitCode = await (await import('./migrate.js')).newMigration(name, command.optsWithGlobals(), streams);
    });
  return migrate;
}

/** Defines the commands; `rest` holds the words after `--`, or null without it. */
export function commandLine(rest: readonly string[] | null, streams: Streams): Command {
  const program = new Command('svcc')
    .description('Runs Svc programs: scripts that serve the web.')
    .usage('[options] [command]\n       svcc -e <code> [args...]\n       svcc - [args...]')
    .option('-e <code>', 'run a program that is given as text')
    .addHelpText(
      'after',
      `\nTopics of svcc help: ${HELP_TOPICS.join(', ')}.\nThe documentation begins with docs/guide/README.md; \`svcc help documentation\` says where it is.`,
    )
    .exitOverride()
    .configureOutput({
      writeOut: streams.stdout,
      writeErr: streams.stderr,
      outputError: (text, write) =>
        write(
          text.replace(/^error: command-argument value (.*) is invalid for argument /, 'error: $1 is invalid for '),
        ),
    })
    .enablePositionalOptions();
  addNew(program, streams);
  addRun(program, rest);
  addReplay(program, streams);
  addTest(program, streams, integer);
  addRepl(program);
  addCompletion(program, streams);
  addTop(program, streams);
  program
    .command('routes')
    .description('list the routes of a web application')
    .argument('<file>', 'the program, a .svc file')
    .action(async (file: string) => {
      process.exitCode = await (await import('./routes.js')).routes(file);
    });
  program
    .command('check')
    .description('report what is wrong with programs without running them')
    .argument('<files...>', '.svc files')
    .option('--json', 'print the findings as JSON')
    .option('--strict', 'exit with 1 for warnings, too')
    .option('--workers', 'also report state that several processes would not share')
    .action(async (files: string[], flags: CheckFlags) => {
      process.exitCode = await (await import('./check.js')).check(files, flags);
    });
  addFmt(program, streams);
  program
    .command('compile')
    .description('make an artefact of a program and all files it uses')
    .argument('<file>', 'the program, a .svc file')
    .option('-o, --output <path>', "where to write it (the program's name with .svcb)", filled('--output'))
    .option('--with-source', 'keep the source text, so that errors show their lines')
    .option(
      '--assets <dir>',
      'include all files below a folder; may be repeated',
      (dir: string, dirs: string[] = []) => [...dirs, dir],
    )
    .action(async (file: string, flags: CompileFlags) => {
      process.exitCode = await (await import('./compile.js')).compile(file, flags);
    });
  const cache = addCache(program, streams);
  const migrate = addMigrate(program, streams);
  program
    .command('disasm')
    .description('show the bytecode of a program')
    .argument('<file>', 'the program, a .svc or .svcb file')
    .argument('[function]', 'with --jit: only functions of this name')
    .option('--jit', 'show the JavaScript that functions are compiled to when they are called often')
    .action(async (file: string, name: string | undefined, flags: DisasmFlags) => {
      process.exitCode = await (await import('./disasm.js')).disasm(file, name, flags);
    });
  addLsp(program);
  addDoc(program, streams);
  program
    .command('version')
    .description('print the version')
    .action(() => streams.stdout(`svcc ${VERSION}\n`));
  program.version(`svcc ${VERSION}`, '-V, --version', 'print the version');
  for (const command of [program, ...program.commands, ...cache.commands, ...migrate.commands])
    command.showHelpAfterError(usage(command));
  return program;
}

/** Runs the command line. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const streams = processStreams();
  const program = commandLine(end === words.length ? null : words.slice(end + 1), streams);
  try {
    if (await printTopic(program, words, streams)) return;
    if (await runText(program, words.slice(0, end), words.slice(end + 1))) return;
    // Other commands have no arguments for a program: commander takes the words after `--` as operands.
    await program.parseAsync(meant(program, words[0] === 'run' ? hidden(words, end) : words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const shown =
      error.code === 'commander.helpDisplayed' ||
      error.code === 'commander.version' ||
      (error.code === 'commander.help' && words.slice(0, 2).includes('help'));
    if (error.code === 'svcc.argument') streams.stderr(`${error.message}\n`);
    process.exitCode = shown ? 0 : USAGE;
  }
}

/** Prints the text of `svcc help TOPIC`. @returns false for other command lines */
async function printTopic(
  program: Command,
  [first, topic, ...others]: readonly string[],
  { stdout }: Streams,
): Promise<boolean> {
  if (first !== 'help' || topic === undefined || others.length > 0) return false;
  const commands = program.commands.map((command) => command.name());
  if (!HELP_TOPICS.includes(topic)) {
    const near = nearest(topic, [...commands, ...HELP_TOPICS]);
    if (near !== null && HELP_TOPICS.includes(near) && !commands.includes(topic))
      program.error(`error: unknown topic '${topic}'\n(Did you mean ${near}?)`, { exitCode: USAGE });
    return false;
  }
  stdout(await (await import('./help/topics.js')).textOf(topic));
  return true;
}

/** Runs the program of `svcc -e CODE` or `svcc -`. @returns false for other command lines */
async function runText(program: Command, words: readonly string[], rest: readonly string[]): Promise<boolean> {
  const [first, code, ...args] = words;
  if (first !== STANDARD_INPUT && first !== '-e') return false;
  const { run } = await import('./run.js');
  if (first === STANDARD_INPUT) process.exitCode = await run(first, [...words.slice(1), ...rest], {});
  else {
    if (code === undefined) program.error("error: option '-e <code>' argument missing", { exitCode: USAGE });
    process.exitCode = await run('', [...args, ...rest], { code });
  }
  return true;
}

/** The words to pass to commander. @throws CommanderError if a program stands in place of a command */
function meant(program: Command, words: readonly string[]): readonly string[] {
  const [first, second] = words;
  if (first === '-v') return ['--version', ...words.slice(1)];
  if (first !== undefined && /\.svcb?$/.test(first))
    program.error(`error: unknown command '${first}'\n(Did you mean run ${first}?)`, { exitCode: USAGE });
  // Without `help`, commander refuses an unknown command with a suggestion.
  return first === 'help' && second !== undefined && !program.commands.some((command) => command.name() === second)
    ? words.slice(1)
    : words;
}
