import { statSync } from "node:fs";
import { resolve } from "node:path";
import { clientTitles, transcriptClients } from "../../../kernel/client-names.ts";
import { count } from "../../../kernel/numbers.ts";
import { quote, shellWord } from "../../../kernel/text.ts";
import { sessionImport } from "../../../operations/ledger/session/session-import.ts";
import { recogniseTranscript } from "../../../operations/memory/transcripts/finding/find-transcripts.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import type { ImportProgress } from "../../../ports/ledger-import.ts";
import { ask, flushFiles, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import { importTranscripts } from "../../import-transcripts.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { renderImportReport, renderNotebookReport } from "../../rendering/reports/import-report.ts";
import { oneLine, shortId } from "../../rendering/words.ts";
import { readBeginning, recogniseFile, useBackup } from "./backup-and-restore.ts";
import { allow } from "./export.ts";

type Imported = ResultOf<typeof sessionImport>;

const seeHelp = "See thoughtbox import --help";

export const importCommand: Command = {
  name: "import",
  group: "Move",
  summary: "Import sessions and notebooks from a file tree, an exported session or transcripts.",
  words: ["[directory|file.json]"],
  options: {
    from: {
      value: "program",
      choices: transcriptClients,
      describe: "Import the transcripts of this program.",
    },
    since: {
      value: "time",
      describe: "Only sessions active since a date, such as 2026-01-31, or in the last 7d, 12h or 2w.",
    },
    only: {
      value: "project",
      describe: "Only transcripts from this project: its directory, such as ., or its name.",
    },
    into: {
      value: "project",
      describe:
        "Project to import into. Sessions that you imported earlier move to that project. Default: the configured one.",
    },
    "dry-run": { describe: "With --from: show what would be imported, and store nothing." },
  },
  details: [
    "Sessions keep their IDs, numbers, times and hashes. Notebooks keep their cells and outputs. An import never overwrites anything, so you can run it again.",
    "File trees from earlier versions of Thoughtbox also work. Each transcript becomes one session. If a transcript has grown, importing it again adds the new part.",
  ],
  examples: [
    { line: "thoughtbox import session.json", shows: "what thoughtbox export wrote" },
    { line: "thoughtbox import old-data", shows: "a data directory, or any folder in it" },
    {
      line: "thoughtbox import --from claude-code --since 7d",
      shows: "the last week of Claude Code sessions",
    },
  ],

  async run({ terminal, words: [word], flags }) {
    const from = transcriptClients.find((program) => program === flags.text("from"));
    if (from && word !== undefined)
      throw notUnderstood("Pass either a file or directory, or --from.", seeHelp);
    if (from) return importTranscripts(terminal, from, flags);
    const stray = ["since", "only", "into", "dry-run"].find((option) => flags.has(option));
    if (stray !== undefined) throw notUnderstood(`--${stray} needs --from.`, seeHelp);
    if (word === undefined) throw notUnderstood("import needs <directory|file.json>, or --from.", seeHelp);
    const path = resolve(terminal.directory, word);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found)
      throw new CommandFailure(`There is no file or directory ${quote(word)}.`, {
        next: "Pass a directory with session folders or a file written by thoughtbox export.",
      });
    const beginning = readBeginning(path);
    const known = recogniseFile(beginning);
    if (known === "dump")
      throw new CommandFailure(`${quote(word)} is a dump.`, {
        next: `thoughtbox restore ${shellWord(word)}`,
      });
    if (known === "backup")
      throw new CommandFailure(`${quote(word)} is a backup, or another SQLite file.`, { next: useBackup });
    const transcript = recogniseTranscript(beginning);
    if (transcript !== undefined)
      throw new CommandFailure(`${quote(word)} is a transcript from ${clientTitles[transcript]}.`, {
        next: `thoughtbox import --from ${transcript} imports all its transcripts. --dry-run lists them.`,
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
        async (host) => {
          const answer = await ask(host, sessionImport, { path: file });
          await flushFiles(terminal, host);
          return answer;
        },
        allow(file),
      );
      return { data: imported, lines: ({ paint }) => [describeImported(imported, paint.cyan)] };
    }
  },
};

function describeImported(imported: Imported, mark: (text: string) => string): string {
  const title = `${mark(shortId(imported.sessionId))}  ${oneLine(imported.session.title)}`;
  return imported.alreadyThere
    ? `Already imported, nothing changed: ${title}`
    : `Imported ${count(imported.imported, "thought")}: ${title}`;
}
