import type { Argument, Command } from 'commander';

/** An option: its names, and what its value is called; null if it takes none. */
export interface OptionFacts {
  names: string[];
  value: string | null;
  choices: readonly string[];
  about: string;
}

export interface ArgumentFacts {
  name: string;
  about: string;
  choices: readonly string[];
  isRequired: boolean;
  isRepeated: boolean;
}

/** What the definition of a command says. */
export interface CommandFacts {
  /** Names of the command and of those around it, without `svcc`. */
  words: string[];
  about: string;
  options: OptionFacts[];
  arguments: ArgumentFacts[];
  commands: CommandFacts[];
}

/** What is called so is a path. */
export type PathKind = 'program' | 'file' | 'folder';

/** Which paths a value with this name takes; null if it takes none. */
export function pathKind(name: string): PathKind | null {
  if (/^(?:files?|paths)$/.test(name)) return 'program';
  if (/^(?:path|output|f)$/.test(name)) return 'file';
  return /^(?:dir|folder)$/.test(name) ? 'folder' : null;
}

function argumentFacts(argument: Argument): ArgumentFacts {
  const { description, argChoices, required, variadic } = argument;
  return {
    name: argument.name(),
    about: description,
    choices: argChoices ?? [],
    isRequired: required,
    isRepeated: variadic,
  };
}

/** Reads the definitions of commands. `svcc help` takes the names of commands and `topics`. */
export function factsOfAll(program: Command, topics: readonly string[]): CommandFacts {
  const facts = factsOf(program);
  const names = facts.commands.map(({ words }) => words[0]).filter((name) => name !== 'help');
  for (const { words, arguments: all } of facts.commands)
    if (words[0] === 'help') for (const argument of all) argument.choices = [...names, ...topics];
  return facts;
}

function factsOf(command: Command, words: string[] = []): CommandFacts {
  const help = command.createHelp();
  return {
    words,
    about: command.description(),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
      value: /[<[](.*?)(?:\.\.\.)?[>\]]/.exec(option.flags)?.[1] ?? null,
      choices: option.argChoices ?? [],
      about: option.description,
    })),
    arguments: command.registeredArguments.map(argumentFacts),
    commands: help.visibleCommands(command).map((one) => factsOf(one, [...words, one.name()])),
  };
}

/** A command and all commands within it. */
export function* allCommands(facts: CommandFacts): Iterable<CommandFacts> {
  yield facts;
  for (const command of facts.commands) yield* allCommands(command);
}
