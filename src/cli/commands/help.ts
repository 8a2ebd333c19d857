import type { Command } from "../command.ts";
import { renderCommandPage, renderOperationPage, renderOverview } from "../help-page.ts";
import { findCommand } from "../parse-words.ts";

export const version: Command = {
  name: "version",
  group: "More",
  summary: "Print the version.",
  examples: [{ line: "thoughtbox version", shows: "as thoughtbox --version does" }],
  run: async ({ terminal }) => ({
    data: { version: terminal.version },
    lines: () => [terminal.version],
  }),
};

/** `all` is asked for late: this command is one of them. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: "help",
    group: "More",
    summary: "Explain a command or an operation, or list all commands.",
    words: ["[name]"],
    details: [
      "Where a command and an operation share a name, this explains the command, and thoughtbox call help topic=<name> the operation.",
    ],
    examples: [
      { line: "thoughtbox help", shows: "all commands" },
      { line: "thoughtbox help show", shows: "one, as thoughtbox show --help does" },
      { line: "thoughtbox help notes_commit", shows: "an operation, for thoughtbox call" },
    ],

    async run({ terminal, words: [name] }) {
      const commands = all();
      if (name === undefined)
        return {
          data: { commands: commands.map(describe) },
          lines: (context) => renderOverview(commands, context),
        };
      const catalogue = await terminal.catalogue;
      const operation = commands.some((command) => command.name === name)
        ? undefined
        : catalogue.find((one) => one.name === name);
      if (!operation) return pageOf(findCommand(commands, name, catalogue));
      const { title, summary, stage, effect, examples } = operation;
      return {
        data: { operation: name, title, summary, stage, effect, examples },
        lines: (context) => renderOperationPage(operation, context),
      };
    },
  };
}

function pageOf(command: Command) {
  return {
    data: describe(command),
    lines: (context: Parameters<typeof renderOverview>[1]) => renderCommandPage(command, context),
  };
}

function describe({ name, group, summary, words = [], options = {}, examples }: Command) {
  return { name, group, summary, words, options, examples };
}
