import { count } from "../../../kernel/numbers.ts";
import type { NotebookRepair } from "../../../ports/notebook/notebook-archive.ts";
import type { RepairReport } from "../../../ports/tree.ts";
import type { Command } from "../../command.ts";
import { examine } from "../../doctor/examine.ts";
import { renderChecks, renderRepair } from "../../doctor/render-checks.ts";
import { CommandFailure } from "../../failure.ts";
import type { Host, Terminal } from "../../host.ts";
import { createProgressBar, showNotice } from "../../rendering/progress.ts";

export const doctor: Command = {
  name: "doctor",
  group: "Care",
  summary: "Check that everything works, and suggest a fix for each problem.",
  options: {
    repair: {
      describe: "Recreate damaged or missing JSON files. Bad files are moved aside, not deleted.",
    },
    reindex: { describe: "Rebuild the full-text index from scratch." },
  },
  details: [
    "✓ fine   ! worth a look   ✗ needs fixing   · not used here",
    "Exits with 1 if something needs fixing.",
  ],
  examples: [
    { line: "thoughtbox doctor", shows: "check everything" },
    { line: "thoughtbox doctor --repair", shows: "repair the JSON files" },
    { line: "thoughtbox doctor --reindex", shows: "if a search misses recorded text" },
  ],

  async run({ terminal, flags }) {
    let opened: Host | undefined;
    const open = async () => {
      opened ??= await terminal.openStore();
      return opened;
    };
    try {
      const repaired = flags.has("repair") ? await repair(terminal, await open()) : undefined;
      const reindexed = flags.has("reindex") ? await reindex(terminal, await open()) : undefined;
      const checks = await examine(terminal, open);
      return {
        data: { ...(repaired && { repaired }), ...(reindexed && { reindexed }), checks },
        lines: (context) => [
          ...(repaired ? renderRepair(repaired, context) : []),
          ...(reindexed ? [`${context.paint.green("✓")} Reindexed ${describeIndexed(reindexed)}.`, ""] : []),
          ...renderChecks(checks, context),
        ],
        failed: checks.some(({ state }) => state === "bad"),
      };
    } finally {
      await opened?.close();
    }
  },
};

async function repair(
  terminal: Terminal,
  { tree, notebookFiles }: Host,
): Promise<RepairReport & { notebooks: NotebookRepair }> {
  if (!tree || !notebookFiles) throw new CommandFailure("This storage has no JSON files to repair.");
  const done = showNotice(terminal, "checking the JSON files …");
  try {
    const report = await tree.repair(undefined, terminal.stop);
    await tree.flush();
    return { ...report, notebooks: await notebookFiles.repair() };
  } finally {
    done();
  }
}

type Indexed = Awaited<ReturnType<Host["upkeep"]["reindex"]>>;

function describeIndexed({ thoughts, nodes }: Indexed): string {
  return nodes === 0
    ? count(thoughts, "thought")
    : `${count(thoughts, "thought")} and ${count(nodes, "node")} in the memory`;
}

async function reindex(terminal: Terminal, { upkeep }: Host): Promise<Indexed> {
  const bar = createProgressBar(terminal, "indexing");
  return upkeep.reindex(bar.update, terminal.stop).finally(bar.end);
}
