import { resolve } from "node:path";
import { count } from "../../../kernel/numbers.ts";
import { withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { indented, renderStatement } from "../../rendering/statement.ts";
import { formatBytes } from "../../rendering/words.ts";

export const backup: Command = {
  name: "backup",
  group: "Move",
  summary: "Copy the whole store into one file, while servers run.",
  words: ["<file>"],
  details: [
    "The copy holds everything that was acknowledged before it began: sessions, knowledge, memory, trash. It is private, proven whole after writing, and never written over another file.",
    "To use one: put it as thoughtbox.db into an empty directory and set THOUGHTBOX_DATA_DIR to that.",
  ],
  examples: [{ line: "thoughtbox backup thoughts.db", shows: "a copy beside you" }],

  async run({ terminal, words: [word = ""] }) {
    const report = await withStore(terminal, (host) =>
      host.upkeep.backup(resolve(terminal.directory, word), terminal.stop),
    );
    const { path, bytes, sessions, thoughts } = report;
    return {
      data: report,
      lines: (context) => [
        ...renderStatement("good", path, context),
        ...indented(
          `${count(sessions, "session")}, ${count(thoughts, "thought")}, ${formatBytes(bytes)}; the copy is whole.`,
          context,
        ),
      ],
    };
  },
};
