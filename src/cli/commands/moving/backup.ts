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
    "The copy contains everything that was acknowledged before the backup started: sessions, knowledge, memory, trash. Only you can read it. Thoughtbox verifies it after writing and never overwrites a file.",
    "To use a backup, save it as thoughtbox.db in an empty directory and set THOUGHTBOX_DATA_DIR to that directory.",
  ],
  examples: [{ line: "thoughtbox backup thoughts.db", shows: "a copy in this directory" }],

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
          `${count(sessions, "session")}, ${count(thoughts, "thought")}, ${formatBytes(bytes)}. The copy is complete.`,
          context,
        ),
      ],
    };
  },
};
