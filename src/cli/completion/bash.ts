import { type Command, optionsOf } from "../command.ts";
import { askForSessions, firstWordOf, type Vocabulary } from "./choices.ts";

/** An empty answer means files, by `-o default`. */
export function bashCompletion(vocabulary: Vocabulary): string {
  const { commands } = vocabulary;
  return `_thoughtbox() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" first=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.flatMap((command) => caseOf(command, vocabulary)).join("\n")}
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

function caseOf(command: Command, vocabulary: Vocabulary): string[] {
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
    // Where files are wanted, options are offered only to those who ask for them.
    ...(first.kind === "files" ? ['      case "$word" in -*) ;; *) return ;; esac'] : []),
    `      words="${options.map(([flag]) => `--${flag}`).join(" ")}" ;;`,
  ];
}
