import { allCommands, type CommandFacts, type OptionFacts, pathKind, type PathKind } from './facts.js';

/** Shells for which there is a script. */
type Shell = 'bash' | 'zsh' | 'fish';

/** A text between single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The path that the arguments of a command take, and the words that they can be. */
function takes({ arguments: all }: CommandFacts): { kind: PathKind | null; choices: readonly string[] } {
  const kinds = all.map(({ name }) => pathKind(name)).filter((kind) => kind !== null);
  return { kind: kinds[0] ?? null, choices: all.flatMap(({ choices }) => choices) };
}

/** The lines of a `case` that recognise the words of commands. */
function commandWords(facts: CommandFacts): string {
  return [...allCommands(facts)]
    .filter(({ words }) => words.length > 0)
    .map(({ words }) => quoted([words.slice(0, -1).join(' '), words[words.length - 1]].join('/')))
    .join(' | ');
}

function* optionsWithValues(facts: CommandFacts): Iterable<{ words: string; option: OptionFacts }> {
  for (const { words, options } of allCommands(facts))
    for (const option of options) if (option.value !== null) yield { words: words.join(' '), option };
}

const BASH_PATHS: Record<PathKind, string> = {
  program: 'compgen -d -- "$current"; compgen -f -X "!*.svc" -- "$current"',
  file: 'compgen -f -- "$current"',
  folder: 'compgen -d -- "$current"',
};

function bash(facts: CommandFacts): string {
  const values = [...optionsWithValues(facts)].map(({ words, option: { names, value, choices } }) => {
    const kind = pathKind(value ?? '');
    const found =
      choices.length > 0 ? `compgen -W ${quoted(choices.join(' '))} -- "$current"` : kind && BASH_PATHS[kind];
    const patterns = names.map((name) => quoted(`${words}/${name}`)).join(' | ');
    return `    ${patterns}) ${found === null ? '' : `svcc_reply < <(${found}); `}return ;;`;
  });
  const commands = [...allCommands(facts)].map((command) => {
    const { kind, choices } = takes(command);
    const names = [...command.commands.map(({ words }) => words[words.length - 1]), ...choices];
    const options = command.options.flatMap((option) => option.names);
    return `    ${quoted(command.words.join(' '))}) words=${quoted(names.join(' '))} options=${quoted(options.join(' '))} paths=${quoted(kind ?? '')} ;;`;
  });
  return `# Completion of svcc for bash. To use it, add this line to ~/.bashrc:
#   source <(svcc completion bash)
svcc_reply() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done
}
_svcc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' words='' options='' paths='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    case "$command/$word" in
      ${commandWords(facts)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command/$previous" in
${values.join('\n')}
  esac
  case "$command" in
${commands.join('\n')}
  esac
  if [[ $current == -* ]]; then
    svcc_reply < <(compgen -W "$options" -- "$current")
    return
  fi
  svcc_reply < <(compgen -W "$words" -- "$current")
  case "$paths" in
${Object.entries(BASH_PATHS)
  .map(([kind, found]) => `    ${kind}) compopt -o filenames 2>/dev/null; svcc_reply < <(${found}) ;;`)
  .join('\n')}
  esac
}
complete -F _svcc svcc
`;
}

const ZSH_PATHS: Record<PathKind, string> = {
  program: "_files -g '*.svc'",
  file: '_files',
  folder: '_files -/',
};

/** A word with its description, for `_describe`. */
const described = (word: string, about: string): string => quoted(`${word.replaceAll(':', '\\:')}:${about}`);

function zsh(facts: CommandFacts): string {
  const values = [...optionsWithValues(facts)].map(({ words, option: { names, value, choices } }) => {
    const kind = pathKind(value ?? '');
    const found =
      choices.length > 0
        ? `compadd -- ${choices.map(quoted).join(' ')}; return`
        : kind === null
          ? `_message ${quoted(value ?? '')}; return`
          : `${ZSH_PATHS[kind]}; return`;
    return `    ${names.map((name) => quoted(`${words}/${name}`)).join(' | ')}) ${found} ;;`;
  });
  const commands = [...allCommands(facts)].map((command) => {
    const { kind, choices } = takes(command);
    const names = command.commands.map(({ words, about }) => described(words[words.length - 1], about));
    const options = command.options.flatMap((option) => option.names.map((name) => described(name, option.about)));
    const all = [...names, ...choices.map(quoted)].join(' ');
    return `    ${quoted(command.words.join(' '))}) names=(${all}) options=(${options.join(' ')}) paths=${quoted(kind ?? '')} ;;`;
  });
  return `#compdef svcc
# Completion of svcc for zsh. To use it, add this line to ~/.zshrc, after compinit:
#   source <(svcc completion zsh)
_svcc() {
  local command='' paths='' word i
  local -a names options
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    [[ $word == -* ]] && continue
    case "$command/$word" in
      (${commandWords(facts)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command/$words[CURRENT-1]" in
${values.join('\n')}
  esac
  case "$command" in
${commands.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
    return
  fi
  (( $#names )) && _describe command names
  case "$paths" in
${Object.entries(ZSH_PATHS)
  .map(([kind, found]) => `    ${kind}) ${found} ;;`)
  .join('\n')}
  esac
}
compdef _svcc svcc
`;
}

const FISH_PATHS: Record<PathKind, string> = {
  program: `'(__fish_complete_suffix .svc | string match -r "^[^\\t]*(?:/|\\.svc)(?:\\t.*)?\\$")'`,
  file: "'(__fish_complete_path (commandline -ct))'",
  folder: "'(__fish_complete_directories (commandline -ct))'",
};

/** The condition under which the words before the cursor lead to a command. */
function fishCondition({ words, commands }: CommandFacts): string {
  const rest = commands.map((command) => command.words[command.words.length - 1]).join(' ');
  if (words.length === 0) return '__fish_use_subcommand';
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  return rest === '' ? seen : `${seen}; and not __fish_seen_subcommand_from ${rest}`;
}

function fishOption(condition: string, { names, value, choices, about }: OptionFacts): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
  const kind = pathKind(value ?? '');
  const found = choices.length > 0 ? quoted(choices.join(' ')) : kind === null ? null : FISH_PATHS[kind];
  const takesValue = value === null ? '' : found === null ? ' -x' : ` -x -a ${found}`;
  return `complete -c svcc -n ${quoted(condition)} ${flags}${takesValue} -d ${quoted(about)}`;
}

function fish(facts: CommandFacts): string {
  const lines = [...allCommands(facts)].flatMap((command) => {
    const condition = fishCondition(command);
    const { kind, choices } = takes(command);
    return [
      ...command.commands.map(
        ({ words, about }) =>
          `complete -c svcc -n ${quoted(condition)} -a ${words[words.length - 1]} -d ${quoted(about)}`,
      ),
      ...(choices.length > 0 ? [`complete -c svcc -n ${quoted(condition)} -a ${quoted(choices.join(' '))}`] : []),
      ...(kind === null ? [] : [`complete -c svcc -n ${quoted(condition)} -k -a ${FISH_PATHS[kind]}`]),
      ...command.options.map((option) => fishOption(condition, option)),
    ];
  });
  return `# Completion of svcc for fish. To use it:
#   svcc completion fish > ~/.config/fish/completions/svcc.fish
complete -c svcc -f
${lines.join('\n')}
`;
}

/** The script that completes the commands, options and files of `svcc` in a shell. */
export function completionScript(shell: Shell, facts: CommandFacts): string {
  return { bash, zsh, fish }[shell](facts);
}
