import { statSync } from "node:fs";
import { resolve } from "node:path";
import { quote } from "../../../kernel/text.ts";
import { sessionImport } from "../../../operations/ledger/session/session-import.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import type { ImportProgress } from "../../../ports/ledger-import.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { CommandFailure } from "../../failure.ts";
import { flushFiles } from "../../flush-files.ts";
import { renderImportReport } from "../../rendering/import-report.ts";
import { renderNotebookReport } from "../../rendering/notebook-report.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { count, oneLine, shortId } from "../../rendering/words.ts";
import { allow } from "./export.ts";

type Imported = ResultOf<typeof sessionImport>;

export const importCommand: Command = {
  name: "import",
  group: "Move",
  summary: "Bring sessions and notebooks in: a tree of files, or one exported session.",
  words: ["<directory|file.json>"],
  details: [
    "Sessions keep their ids, numbers, times and hashes; notebooks their cells and outputs. What the store holds already is never overwritten, so an",
    "import may be run again. Trees of earlier versions are understood.",
  ],
  examples: [
    { line: "thoughtbox import session.json", shows: "what thoughtbox export wrote" },
    { line: "thoughtbox import old-data", shows: "a data directory, or any folder of it" },
  ],

  async run({ terminal, words: [word = ""] }) {
    const path = resolve(terminal.directory, word);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found)
      throw new CommandFailure(`There is no file or directory ${quote(word)}.`, {
        next: "Name a directory with session folders, or a file that thoughtbox export wrote.",
      });
    if (!found.isDirectory()) return importFile(path);

    const bar = createProgressBar(terminal, "importing sessions");
    const report = await withStore(terminal, async (host) => {
      const onProgress = ({ sessions, totalSessions }: ImportProgress) => bar.update(sessions, totalSessions);
      const imported = await host.importTree(path, { signal: terminal.stop, onProgress }).finally(bar.end);
      await flushFiles(terminal, host);
      return imported;
    });
    return {
      data: report,
      lines: (context) => [
        ...renderImportReport({ ...report, passedOver: report.badFiles }, context),
        ...renderNotebookReport(report.notebooks, context),
      ],
      failed: report.refused.length + report.notebooks.refused.length > 0,
    };

    async function importFile(file: string): Promise<Answer> {
      const imported = await withStore(
        terminal,
        (host) => ask(host, sessionImport, { path: file }),
        allow(file),
      );
      return { data: imported, lines: ({ paint }) => [describeImported(imported, paint.cyan)] };
    }
  },
};

function describeImported(imported: Imported, mark: (text: string) => string): string {
  const title = `${mark(shortId(imported.sessionId))}  ${oneLine(imported.session.title)}`;
  return imported.alreadyThere
    ? `Already there, nothing changed: ${title}`
    : `Imported ${count(imported.imported, "thought")}: ${title}`;
}
