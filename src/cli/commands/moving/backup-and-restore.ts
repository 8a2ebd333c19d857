import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { count, figure } from "../../../kernel/numbers.ts";
import { quote, shellWord } from "../../../kernel/text.ts";
import type { RestoreReport } from "../../../ports/ledger-dump.ts";
import type { WorkspaceOutcome } from "../../../ports/memory/memory-dump.ts";
import { flushFiles, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure } from "../../failure.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderImportReport, renderNotebookReport } from "../../rendering/reports/import-report.ts";
import { indented, renderShortList, renderStatement } from "../../rendering/statement.ts";
import { describeMemory, formatBytes } from "../../rendering/words.ts";

export type KnownFile = "dump" | "backup" | "export";

const beginningBytes = 64 * 1024;

const beginnings: Record<KnownFile, RegExp> = {
  dump: /^\{"format":"thoughtbox-dump-/,
  backup: /^SQLite format 3\0/,
  export: /^\s*\{\s*"version"\s*:\s*"1\.0"\s*,\s*"session"/,
};

/** Returns the kind of a Thoughtbox file that begins like this, or `undefined` for any other file. */
export function recogniseFile(beginning: Buffer): KnownFile | undefined {
  const text = beginning.toString("utf8", 0, 200);
  return (["dump", "backup", "export"] as const).find((kind) => beginnings[kind].test(text));
}

/** Returns an empty buffer if the path cannot be read or is not a file. The caller reports why. */
export function readBeginning(path: string): Buffer {
  const beginning = Buffer.alloc(beginningBytes);
  try {
    // Opening a pipe would wait for its writer.
    if (!statSync(path).isFile()) return Buffer.alloc(0);
    const file = openSync(path, "r");
    try {
      return beginning.subarray(0, readSync(file, beginning));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

export const useBackup =
  "Save it as thoughtbox.db in an empty directory and set THOUGHTBOX_DATA_DIR to that directory. To add it to your current store, run thoughtbox dump with that setting, then thoughtbox restore without it.";

export const dump: Command = {
  name: "dump",
  group: "Move",
  summary: "Write all sessions, knowledge, notebooks and memory as lines of JSON.",
  words: ["<file>"],
  options: {
    workspace: {
      value: "name",
      describe: "Only this memory workspace, without sessions, knowledge or notebooks.",
    },
  },
  details: [
    "Use a dump to move to another machine or another program. thoughtbox restore brings everything back with the same hashes. A dump also contains the trash and all versions of notebook cells.",
  ],
  examples: [
    { line: "thoughtbox dump thoughts.jsonl", shows: "one line per thought, note or version" },
    { line: "thoughtbox dump repo.jsonl --workspace acme/repo", shows: "one workspace, to share" },
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

export const restore: Command = {
  name: "restore",
  group: "Move",
  summary: "Restore a dump or an archive.",
  words: ["<file>"],
  details: [
    "Restore never overwrites anything, and skips what the store already contains, so you can run it again. It refuses a session, notebook or workspace that differs from the stored one, and exits with 1.",
    "In an empty store, memory entries keep their seq numbers. In any other store, restore shifts all seq numbers by the same amount.",
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
    throw new CommandFailure(`${quote(word)} is a directory.`, { next: `${next} imports its sessions.` });
  const known = recogniseFile(readBeginning(file));
  if (known === "export") throw new CommandFailure(`${quote(word)} is an exported session.`, { next });
  if (known === "backup")
    throw new CommandFailure(`${quote(word)} is a backup, or another SQLite file.`, { next: useBackup });
}

/** Shows sessions first, as after any import, and then knowledge and memory if there are any. */
function renderRestore(report: RestoreReport, context: RenderContext): string[] {
  const { sessions, notes, keptNotes, notebooks, workspaces, badLines, moreBadLines } = report;
  const passedOver = badLines.map(({ line, problem }) => ({ path: `line ${line}`, problem }));
  const onlyMemory = sessions === 0 && workspaces.length > 0;
  return [
    ...(onlyMemory
      ? []
      : renderImportReport({ ...report, passedOver, morePassedOver: moreBadLines }, context)),
    ...(notes + keptNotes > 0 ? [`  ${count(notes, "note")} added, ${keptNotes} already there.`] : []),
    ...renderNotebookReport(notebooks, context),
    ...renderWorkspaces(workspaces, context),
    ...(onlyMemory && passedOver.length > 0
      ? section(
          "Skipped",
          passedOver.map(({ path, problem }) => `${path} ${problem}`),
          context,
          moreBadLines,
        )
      : []),
  ];
}

function renderWorkspaces(workspaces: readonly WorkspaceOutcome[], context: RenderContext): string[] {
  if (workspaces.length === 0) return [];
  const restored = workspaces.flatMap((one) => (one.outcome === "restored" ? [one] : []));
  const refused = workspaces.flatMap((one) => (one.outcome === "refused" ? [one] : []));
  const unchanged = workspaces.length - restored.length - refused.length;
  const sum = (amount: "entries" | "versions") => restored.reduce((all, one) => all + one[amount], 0);
  const outcome = [
    ...(restored.length > 0 ? [`${figure(restored.length)} new`] : []),
    ...(unchanged > 0 ? [`${figure(unchanged)} already there`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const added = `${count(sum("entries"), "entry")} and ${count(sum("versions"), "graph version")} added.`;
  return [
    ...renderStatement(
      refused.length > 0 ? "bad" : "good",
      `${count(workspaces.length, "workspace")}: ${outcome}. ${added}`,
      context,
    ),
    ...(refused.length > 0
      ? section(
          "Refused: these workspaces were not changed",
          refused.map(({ workspace, reason }) => `${workspace}: ${reason}`),
          context,
        )
      : []),
  ];
}

function section(title: string, items: readonly string[], context: RenderContext, notKept = 0): string[] {
  return ["", context.paint.bold(title), ...renderShortList(items, context, notKept)];
}

export const backup: Command = {
  name: "backup",
  group: "Move",
  summary: "Copy the whole store into one file. Servers can keep running.",
  words: ["<file>"],
  details: [
    "The copy contains everything that was acknowledged before the backup started, including the trash. Only you can read it. Thoughtbox verifies the copy. It never overwrites an existing file.",
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
