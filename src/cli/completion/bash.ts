import { type Command, optionsOf } from "../command.ts";
import { choicesFor } from "./choices.ts";

export function bashCompletion(commands: readonly Command[]): string {
  const cases = commands.flatMap((command) => {
    const flags = Object.keys(optionsOf(command)).map((flag) => `--${flag}`);
    const values = Object.entries(optionsOf(command)).flatMap(([flag, { choices }]) =>
      choices
        ? [`      --${flag}) COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$word")); return ;;`]
        : [],
    );
    return [
      `    ${command.name})`,
      ...(values.length > 0 ? ['      case "$before" in', ...values, "      esac"] : []),
      `      words="${[...flags, ...choicesFor(command, commands)].join(" ")}" ;;`,
    ];
  });
  return `_thoughtbox() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _thoughtbox thoughtbox
`;
}
