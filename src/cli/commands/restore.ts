import { resolve } from "node:path";
import { withStore } from "../ask.ts";
import type { Command } from "../command.ts";
import { flushFiles } from "../flush-files.ts";
import { renderImportReport } from "../look/import-report.ts";
import { createProgressBar } from "../look/progress.ts";
import { count } from "../look/words.ts";

export const restore: Command = {
  name: "restore",
  group: "Move",
  summary: "Bring back what thoughtbox dump wrote.",
  words: ["<file>"],
  details: [
    "Never overwrites: a session that differs from the one in the store is refused and named, and the exit code is 1.",
    "What is there already is passed over, so a restore may be run again.",
  ],
  examples: [{ line: "thoughtbox restore thoughts.jsonl", shows: "into your store" }],

  async run({ terminal, words: [word = ""] }) {
    const bar = createProgressBar(terminal, "restoring sessions");
    const report = await withStore(terminal, async (host) => {
      const file = resolve(terminal.directory, word);
      const options = { signal: terminal.stop, progress: bar.update };
      const restored = await host.restore(file, options).finally(bar.end);
      await flushFiles(terminal, host);
      return restored;
    });
    const passedOver = report.badLines.map(({ line, problem }) => ({ path: `line ${line}`, problem }));
    return {
      data: report,
      lines: (look) => [
        ...renderImportReport({ ...report, passedOver }, look),
        ...(report.notes + report.keptNotes > 0
          ? [`  ${count(report.notes, "note")} added, ${report.keptNotes} already there.`]
          : []),
      ],
      failed: report.refused.length > 0 || report.badLines.length > 0,
    };
  },
};
