import { type Command, optionsOf } from "../command.ts";
import { choicesFor } from "./choices.ts";

export function fishCompletion(commands: readonly Command[]): string {
  const names = commands.map(
    ({ name, summary }) =>
      `complete -c thoughtbox -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  );
  const details = commands.flatMap((command) => {
    const here = `complete -c thoughtbox -n '__fish_seen_subcommand_from ${command.name}'`;
    const known = choicesFor(command, commands);
    return [
      ...Object.entries(optionsOf(command)).map(([flag, { describe, value, choices }]) => {
        const takes = value === undefined ? "" : choices ? ` -x -a ${quoted(choices.join(" "))}` : " -r";
        return `${here} -l ${flag}${takes} -d ${quoted(describe)}`;
      }),
      ...(known.length > 0 ? [`${here} -a ${quoted(known.join(" "))}`] : []),
    ];
  });
  return `${[...names, ...details].join("\n")}\n`;
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
