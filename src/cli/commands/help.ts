import type { Command } from "../command.ts";
import { findCommand } from "../find-command.ts";
import { renderCommandPage, renderOverview } from "../help-page.ts";

/** `all` is asked for late: this command is one of them. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: "help",
    group: "More",
    summary: "Explain a command, or list them all.",
    words: ["[command]"],
    examples: [
      { line: "thoughtbox help", shows: "all commands" },
      { line: "thoughtbox help show", shows: "one, as thoughtbox show --help does" },
    ],

    async run({ words: [name] }) {
      const commands = all();
      if (name === undefined)
        return {
          data: { commands: commands.map(describe) },
          lines: (look) => renderOverview(commands, look),
        };
      return pageOf(findCommand(commands, name));
    },
  };
}

export function pageOf(command: Command) {
  return {
    data: describe(command),
    lines: (look: Parameters<typeof renderOverview>[1]) => renderCommandPage(command, look),
  };
}

function describe({ name, group, summary, words = [], options = {}, examples }: Command) {
  return { name, group, summary, words, options, examples };
}
