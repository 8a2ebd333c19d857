import { type Command, type Option, optionsOf } from "../command.ts";
import { askForSessions, type FirstWord, firstWordOf, takesPath, type Vocabulary } from "./choices.ts";

/** fish offers files by default, and looks for a subcommand anywhere in the line: both are set right. */
export function fishCompletion(vocabulary: Vocabulary): string {
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
      `complete -c thoughtbox -n ${anywhere} -l ${flag}${takes(option)} -d ${quoted(option.describe)}`,
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
  if (option.choices) return ` -x -a ${quoted(option.choices.join(" "))}`;
  return takesPath(option) ? " -r -F" : " -x";
}

const offer = (condition: string, word: string, about = ""): string =>
  `complete -c thoughtbox -n ${condition} -a ${word}${about === "" ? "" : ` -d ${quoted(about)}`}`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
