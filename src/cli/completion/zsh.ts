import { type Command, type Option, optionsOf } from "../command.ts";
import { askForSessions, type FirstWord, firstWordOf, takesPath, type Vocabulary } from "./choices.ts";

/** Works both ways that zsh users have: `eval` in .zshrc, and a file `_thoughtbox` in `$fpath`. */
export function zshCompletion(vocabulary: Vocabulary): string {
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
${commands.map((command) => caseOf(command, vocabulary)).join("\n")}
  esac
}
if [[ $funcstack[1] == _thoughtbox ]]; then _thoughtbox "$@"; else compdef _thoughtbox thoughtbox; fi
`;
}

function caseOf(command: Command, vocabulary: Vocabulary): string {
  const options = Object.entries(optionsOf(command)).map(([flag, option]) => toSpec(flag, option));
  const words = toWords(command, firstWordOf(command, vocabulary));
  return `    ${command.name})\n      _arguments \\\n${[...options, ...words].join(" \\\n")} ;;`;
}

function toSpec(flag: string, option: Option): string {
  const { describe, value, choices, many } = option;
  const about = describe.replace(/[[\]:\\]/g, " ");
  const action = choices ? `(${choices.join(" ")})` : takesPath(option) ? "_files" : " ";
  return `      ${quoted(`${many ? "*" : ""}--${flag}[${about}]${value === undefined ? "" : `:${value}:${action}`}`)}`;
}

function toWords({ name }: Command, first: FirstWord): string[] {
  switch (first.kind) {
    case "sessions":
      return ["      '1: :_thoughtbox_sessions'"];
    case "files":
      return ["      '1: :_files'"];
    case "names":
      return [`      ${quoted(`1: :${toAction(name, first.names)}`)}`];
    case "free":
      return [];
  }
}

function toAction(command: string, names: readonly { name: string }[]): string {
  if (command === "help") return "_thoughtbox_commands";
  return command === "call" ? "_thoughtbox_operations" : `(${names.map(({ name }) => name).join(" ")})`;
}

const toItem = ({ name, summary }: { name: string; summary: string }): string =>
  `    ${quoted(`${name}:${summary}`)}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
