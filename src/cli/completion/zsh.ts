import { type Command, optionsOf } from "../command.ts";
import { choicesFor } from "./choices.ts";

export function zshCompletion(commands: readonly Command[]): string {
  const list = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map((command) => {
    const options = Object.entries(optionsOf(command)).map(([flag, { describe, value, choices }]) => {
      const about = describe.replace(/[[\]:]/g, " ");
      const what = value === undefined ? "" : `:${value}:${choices ? `(${choices.join(" ")})` : ""}`;
      return `      ${quoted(`--${flag}[${about}]${what}`)}`;
    });
    const known = choicesFor(command, commands);
    const rest = known.length > 0 ? `'1: :(${known.join(" ")})' '*: :_files'` : "'*: :_files'";
    return `    ${command.name})\n      _arguments \\\n${options.join(" \\\n")} \\\n      ${rest} ;;`;
  });
  return `#compdef thoughtbox
_thoughtbox() {
  local -a commands=(
${list.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
compdef _thoughtbox thoughtbox
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
