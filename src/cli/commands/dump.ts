import { resolve } from "node:path";
import { withStore } from "../ask.ts";
import type { Command } from "../command.ts";
import { createProgressBar } from "../look/progress.ts";
import { indented, renderStatement } from "../look/statement.ts";
import { count, formatBytes } from "../look/words.ts";

export const dump: Command = {
  name: "dump",
  group: "Move",
  summary: "Write all sessions and knowledge as lines of JSON.",
  words: ["<file>"],
  details: [
    "For moving to another machine or another program. thoughtbox restore brings it back, to the hash. The trash",
    "stays out; thoughtbox backup has it.",
  ],
  examples: [{ line: "thoughtbox dump thoughts.jsonl", shows: "one line a thought" }],

  async run({ terminal, words: [word = ""] }) {
    const bar = createProgressBar(terminal, "dumping sessions");
    const report = await withStore(terminal, (host) =>
      host
        .dump(resolve(terminal.directory, word), { signal: terminal.stop, progress: bar.update })
        .finally(bar.end),
    );
    const { path, bytes, sessions, thoughts, notes } = report;
    return {
      data: report,
      lines: (look) => [
        ...renderStatement("good", path, look),
        ...indented(
          `${count(sessions, "session")}, ${count(thoughts, "thought")}, ${count(notes, "note")}, ${formatBytes(bytes)}`,
          look,
        ),
      ],
    };
  },
};
