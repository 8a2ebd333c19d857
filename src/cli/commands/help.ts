import { help } from "../../operations/help/help.ts";
import { ask, withStore } from "../ask.ts";
import type { Command } from "../command.ts";
import { CommandFailure } from "../failure.ts";
import { renderCommandPage, renderOperationPage, renderOverview } from "../help-page.ts";
import type { Terminal } from "../host.ts";
import { findCommand } from "../parse-words.ts";
import { renderProse } from "../rendering/prose.ts";
import type { RenderContext } from "../rendering/render-context.ts";

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

/** `all` is a function, because this command is one of them. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: "help",
    group: "More",
    summary: "Explain a command, an operation or a topic, or list all commands.",
    words: ["[name]"],
    details: [
      "If a command and an operation have the same name, this explains the command. For the operation, use thoughtbox call help topic=<name>.",
    ],
    examples: [
      { line: "thoughtbox help", shows: "all commands" },
      { line: "thoughtbox help show", shows: "one command, like thoughtbox show --help" },
      { line: "thoughtbox help notes_commit", shows: "an operation, for thoughtbox call" },
      { line: "thoughtbox help branches", shows: "a topic" },
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
      if (!operation)
        return (await topicPage(terminal, commands, name)) ?? pageOf(findCommand(commands, name, catalogue));
      const { title, summary, stage, effect, examples } = operation;
      return {
        data: { operation: name, title, summary, stage, effect, examples },
        lines: (context) => renderOperationPage(operation, context),
      };
    },
  };
}

/** The page about a topic, such as branches, that agents read too. `undefined` if there is none. */
async function topicPage(terminal: Terminal, commands: readonly Command[], name: string) {
  if (commands.some((command) => command.name === name || command.aliases?.includes(name))) return undefined;
  const answer = await withStore(terminal, (host) => ask(host, help, { topic: name })).catch((thrown) => {
    if (thrown instanceof CommandFailure && thrown.code === "INVALID_PAYLOAD") return undefined;
    throw thrown;
  });
  return answer && { data: answer, lines: (context: RenderContext) => renderProse(answer.markdown, context) };
}

function pageOf(command: Command) {
  return {
    data: describe(command),
    lines: (context: RenderContext) => renderCommandPage(command, context),
  };
}

function describe({ name, group, summary, words = [], options = {}, examples }: Command) {
  return { name, group, summary, words, options, examples };
}
