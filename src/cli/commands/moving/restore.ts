import { statSync } from "node:fs";
import { resolve } from "node:path";
import { shellWord } from "../../../kernel/shell-word.ts";
import { quote } from "../../../kernel/text.ts";
import { withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure } from "../../failure.ts";
import { flushFiles } from "../../flush-files.ts";
import { readBeginning, recogniseFile, useBackup } from "../../recognise-file.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { renderRestore } from "../../rendering/reports/restore-report.ts";

export const restore: Command = {
  name: "restore",
  group: "Move",
  summary: "Bring back what thoughtbox dump wrote.",
  words: ["<file>"],
  details: [
    "Never overwrites: a session, a notebook or a workspace that differs from the one in the store is refused and named, and the exit code is 1. What is there already is passed over, so a restore may be run again.",
    "In an empty store, the memory keeps its seq numbers; in one that is in use they are moved, all alike.",
  ],
  examples: [{ line: "thoughtbox restore thoughts.jsonl", shows: "into your store" }],

  async run({ terminal, words: [word = ""] }) {
    const file = resolve(terminal.directory, word);
    refuseOtherFiles(word, file);
    const bars = {
      memory: createProgressBar(terminal, "restoring memory"),
      sessions: createProgressBar(terminal, "restoring sessions"),
    };
    const report = await withStore(terminal, async (host) => {
      const options = {
        signal: terminal.stop,
        progress: bars.sessions.update,
        memoryProgress: bars.memory.update,
      };
      const restored = await host.restore(file, options).finally(() => {
        bars.memory.end();
        bars.sessions.end();
      });
      await flushFiles(terminal, host);
      return restored;
    });
    const { workspaces, refused, notebooks, badLines } = report;
    return {
      data: report,
      lines: (context) => renderRestore(report, context),
      failed:
        refused.length + notebooks.refused.length + badLines.length > 0 ||
        workspaces.some(({ outcome }) => outcome === "refused"),
    };
  },
};

function refuseOtherFiles(word: string, file: string): void {
  const next = `thoughtbox import ${shellWord(word)}`;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailure(`${quote(word)} is a directory.`, { next: `${next} takes in its sessions.` });
  const known = recogniseFile(readBeginning(file));
  if (known === "export") throw new CommandFailure(`${quote(word)} is an exported session.`, { next });
  if (known === "backup")
    throw new CommandFailure(`${quote(word)} is a backup, or another SQLite file.`, { next: useBackup });
}
