import { quote } from "../../kernel/text.ts";
import { sessionList } from "../../operations/ledger/session/list-sessions.ts";
import { ask } from "../ask.ts";
import { type Answer, type Command, type Option, optionsOf } from "../command.ts";
import { notUnderstood } from "../failure.ts";
import type { Terminal } from "../host.ts";
import { orList } from "../parse-words.ts";
import { oneLine, shortId } from "../rendering/words.ts";

type Named = { name: string; summary: string };

/** The input for the completion scripts: all commands, and all operations for `call`. */
export type Vocabulary = { commands: readonly Command[]; operations: readonly Named[] };

/** What the first word after a command can be. Sessions are looked up on Tab. All other words are known in advance. */
export type FirstWord =
  | { kind: "sessions" | "files" | "free" }
  | { kind: "names"; names: readonly { name: string; summary?: string }[] };

export function firstWordOf(
  { words: [first = ""] = [], name }: Command,
  { commands, operations }: Vocabulary,
): FirstWord {
  if (first.includes("session")) return { kind: "sessions" };
  if (/file|directory/.test(first)) return { kind: "files" };
  const alternatives = /^<([a-z]+(?:\|[a-z]+)+)>$/.exec(first)?.[1];
  if (alternatives !== undefined) return { kind: "names", names: alternatives.split("|").map(named) };
  if (name === "help") return { kind: "names", names: commands };
  if (name === "call") return { kind: "names", names: operations };
  if (name === "completion") return { kind: "names", names: ["bash", "zsh", "fish"].map(named) };
  return { kind: "free" };
}

const named = (name: string) => ({ name });

export const takesPath = ({ value }: Option): boolean => value === "place";

/**
 * Prints one line per session: its ID, a tab and its title. Not listed in help. Pressing Tab must not print errors, so
 * stderr is discarded.
 */
export const askForSessions = "thoughtbox completion sessions 2>/dev/null";

/** Returns the script for fish. Fish offers files and finds subcommands anywhere. The script prevents both. */
function fishCompletion(vocabulary: Vocabulary): string {
  const { commands } = vocabulary;
  return `function __thoughtbox_after
    set -l typed (commandline -opc)
    test (count $typed) -ge 2; and test "$typed[2]" = $argv[1]; or return 1
    test (count $argv) -eq 1; or test (count $typed) -eq $argv[2]
end
function __thoughtbox_begin
    test (count (commandline -opc)) -eq 1
end
${[
  "complete -c thoughtbox -f",
  ...commands.map(({ name, summary }) => offer("__thoughtbox_begin", name, summary)),
  "complete -c thoughtbox -n __thoughtbox_begin -l help -d 'List the commands.'",
  "complete -c thoughtbox -n __thoughtbox_begin -l version -d 'Print the version.'",
  ...commands.flatMap((command) => linesOf(command, firstWordOf(command, vocabulary))),
].join("\n")}
`;
}

function linesOf(command: Command, first: FirstWord): string[] {
  const anywhere = `'__thoughtbox_after ${command.name}'`;
  const options = Object.entries(optionsOf(command)).map(
    ([flag, option]) =>
      `complete -c thoughtbox -n ${anywhere} -l ${flag}${takes(option)} -d ${fishQuoted(option.describe)}`,
  );
  const here = `'__thoughtbox_after ${command.name} 2'`;
  switch (first.kind) {
    case "sessions":
      return [
        ...options,
        offer(here, "latest", "The newest."),
        `complete -c thoughtbox -n ${here} -k -a '(${askForSessions})'`,
      ];
    case "files":
      return [...options, `complete -c thoughtbox -n ${here} -F`];
    case "names":
      return [...options, ...first.names.map(({ name, summary }) => offer(here, name, summary))];
    case "free":
      return options;
  }
}

function takes(option: Option): string {
  if (option.value === undefined) return "";
  if (option.choices) return ` -x -a ${fishQuoted(option.choices.join(" "))}`;
  return takesPath(option) ? " -r -F" : " -x";
}

const offer = (condition: string, word: string, about = ""): string =>
  `complete -c thoughtbox -n ${condition} -a ${word}${about === "" ? "" : ` -d ${fishQuoted(about)}`}`;

const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/**
 * Works with both ways to load completions in zsh: `eval` in .zshrc, and a `_thoughtbox` file in `$fpath`.
 */
function zshCompletion(vocabulary: Vocabulary): string {
  const { commands, operations } = vocabulary;
  return `#compdef thoughtbox
_thoughtbox_commands() {
  local -a commands=(
${commands.map(toItem).join("\n")}
  )
  _describe command commands
}
_thoughtbox_operations() {
  local -a operations=(
${operations.map(toItem).join("\n")}
  )
  _describe operation operations
}
_thoughtbox_sessions() {
  local -a sessions=('latest:The newest.' \${\${(f)"$(${askForSessions})"}/$'\\t'/:})
  _describe -V session sessions
}
_thoughtbox() {
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then compadd -- --help --version; else _thoughtbox_commands; fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map((command) => zshCase(command, vocabulary)).join("\n")}
  esac
}
if [[ $funcstack[1] == _thoughtbox ]]; then _thoughtbox "$@"; else compdef _thoughtbox thoughtbox; fi
`;
}

function zshCase(command: Command, vocabulary: Vocabulary): string {
  const options = Object.entries(optionsOf(command)).map(([flag, option]) => toSpec(flag, option));
  const words = toWords(command, firstWordOf(command, vocabulary));
  return `    ${command.name})\n      _arguments \\\n${[...options, ...words].join(" \\\n")} ;;`;
}

function toSpec(flag: string, option: Option): string {
  const { describe, value, choices, many } = option;
  const about = describe.replace(/[[\]:\\]/g, " ");
  const action = choices ? `(${choices.join(" ")})` : takesPath(option) ? "_files" : " ";
  return `      ${zshQuoted(`${many ? "*" : ""}--${flag}[${about}]${value === undefined ? "" : `:${value}:${action}`}`)}`;
}

function toWords({ name }: Command, first: FirstWord): string[] {
  switch (first.kind) {
    case "sessions":
      return ["      '1: :_thoughtbox_sessions'"];
    case "files":
      return ["      '1: :_files'"];
    case "names":
      return [`      ${zshQuoted(`1: :${toAction(name, first.names)}`)}`];
    case "free":
      return [];
  }
}

function toAction(command: string, names: readonly { name: string }[]): string {
  if (command === "help") return "_thoughtbox_commands";
  return command === "call" ? "_thoughtbox_operations" : `(${names.map(({ name }) => name).join(" ")})`;
}

const toItem = ({ name, summary }: { name: string; summary: string }): string =>
  `    ${zshQuoted(`${name}:${summary}`)}`;

const zshQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const shells: Readonly<Record<string, (vocabulary: Vocabulary) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The maximum number of sessions to offer. No one looks through more. */
const offeredSessions = 50;

/** `all` is a function because the list includes this command. */
export function createCompletion(all: () => readonly Command[]): Command {
  return {
    name: "completion",
    group: "More",
    summary: "Print the completion script for your shell.",
    words: ["<bash|zsh|fish>"],
    details: [
      'bash: eval "$(thoughtbox completion bash)" in ~/.bashrc',
      'zsh: eval "$(thoughtbox completion zsh)" in ~/.zshrc, after compinit',
      "fish: thoughtbox completion fish | source in ~/.config/fish/config.fish",
    ],
    examples: [
      { line: "thoughtbox completion bash", shows: "for bash" },
      { line: "thoughtbox completion fish", shows: "for fish" },
    ],

    async run({ terminal, words: [shell = ""] }) {
      if (shell === "sessions") return listSessions(terminal);
      const render = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (!render)
        throw notUnderstood(
          `The shell must be ${orList(Object.keys(shells))}, not ${quote(shell, 60)}.`,
          "thoughtbox completion bash",
        );
      const script = render({ commands: all(), operations: await terminal.catalogue });
      return { data: { shell, script }, lines: () => [script.trimEnd()], isDocument: true };
    },
  };
}

/**
 * Lists sessions for the scripts when a person presses Tab. If there is no data directory, lists none and
 * creates none.
 */
async function listSessions(terminal: Terminal): Promise<Answer | number> {
  const host = await terminal.openStore();
  try {
    if (!host.inspectDirectory().exists) return 0;
    const { sessions } = await ask(host, sessionList, {
      project: "*",
      limit: offeredSessions,
    });
    if (sessions.length === 0) return 0;
    const lines = sessions.map(({ id, title }) => `${shortId(id)}\t${oneLine(title)}`);
    return { data: sessions.map(({ id, title }) => ({ id, title })), lines: () => lines, isDocument: true };
  } finally {
    await host.close();
  }
}

/** Returns the script for bash. With `-o default`, bash offers files if nothing matches. */
function bashCompletion(vocabulary: Vocabulary): string {
  const { commands } = vocabulary;
  return `_thoughtbox() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" first=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.flatMap((command) => fishCases(command, vocabulary)).join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    [ "$first" = "sessions" ] && first="latest $(${askForSessions} | cut -f 1)"
    words="$first $words"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _thoughtbox thoughtbox
`;
}

function fishCases(command: Command, vocabulary: Vocabulary): string[] {
  const options = Object.entries(optionsOf(command));
  const values = options.flatMap(([flag, { value, choices }]) => {
    if (value === undefined) return [];
    const offer = choices ? `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$word")); ` : "";
    return [`      --${flag}) ${offer}return ;;`];
  });
  const first = firstWordOf(command, vocabulary);
  const offered = first.kind === "names" ? first.names.map(({ name }) => name).join(" ") : first.kind;
  return [
    `    ${command.name})`,
    ...(values.length > 0 ? ['      case "$before" in', ...values, "      esac"] : []),
    ...(first.kind === "names" || first.kind === "sessions" ? [`      first="${offered}"`] : []),
    // If files are expected, options are offered only after a hyphen.
    ...(first.kind === "files" ? ['      case "$word" in -*) ;; *) return ;; esac'] : []),
    `      words="${options.map(([flag]) => `--${flag}`).join(" ")}" ;;`,
  ];
}
