import { resolve } from "node:path";
import { count } from "../../../kernel/numbers.ts";
import { withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { indented, renderStatement } from "../../rendering/statement.ts";
import { describeMemory, formatBytes } from "../../rendering/words.ts";

export const dump: Command = {
  name: "dump",
  group: "Move",
  summary: "Write all sessions, knowledge, notebooks and memory as lines of JSON.",
  words: ["<file>"],
  options: {
    workspace: {
      value: "name",
      describe: "Only this memory workspace, without sessions, knowledge and notebooks.",
    },
  },
  details: [
    "Use a dump to move to another machine or another program. thoughtbox restore restores everything with the same hashes. A dump contains all versions of notebook cells, and the trash, so that you can restore deleted things elsewhere.",
  ],
  examples: [
    { line: "thoughtbox dump thoughts.jsonl", shows: "one line per thought, note or version" },
    { line: "thoughtbox dump repo.jsonl --workspace acme/repo", shows: "one workspace, to hand over" },
  ],

  async run({ terminal, words: [word = ""], flags }) {
    const bars = {
      memory: createProgressBar(terminal, "dumping memory"),
      sessions: createProgressBar(terminal, "dumping sessions"),
    };
    const workspace = flags.text("workspace");
    const report = await withStore(terminal, (host) =>
      host
        .dump(resolve(terminal.directory, word), {
          signal: terminal.stop,
          workspace,
          progress: bars.sessions.update,
          memoryProgress: bars.memory.update,
        })
        .finally(() => {
          bars.memory.end();
          bars.sessions.end();
        }),
    );
    const { path, bytes, sessions, thoughts, notes, notebooks, memory } = report;
    const size = formatBytes(bytes);
    const ledger = [
      ...[count(sessions, "session"), count(thoughts, "thought")],
      ...(notes > 0 ? [count(notes, "knowledge note")] : []),
      ...(notebooks > 0 ? [count(notebooks, "notebook")] : []),
      size,
    ].join(", ");
    return {
      data: report,
      lines: (context) => [
        ...renderStatement("good", path, context),
        ...(workspace === undefined ? indented(ledger, context) : []),
        ...(memory.workspaces > 0
          ? indented(`${describeMemory(memory)}${workspace === undefined ? "" : `, ${size}`}`, context)
          : []),
      ],
    };
  },
};
