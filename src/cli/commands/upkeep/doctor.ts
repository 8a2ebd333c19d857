import { count } from "../../../kernel/numbers.ts";
import type { NotebookRepair } from "../../../ports/notebook/notebook-archive.ts";
import type { RepairReport } from "../../../ports/tree.ts";
import { flushFiles } from "../../ask.ts";
import type { Command } from "../../command.ts";
import {
  checkMemory,
  checkNotebooks,
  checkSessions,
  checkStore,
  checkTree,
  checkUnknown,
} from "../../doctor/check-store.ts";
import {
  checkClients,
  checkDirectory,
  checkNode,
  checkPort,
  checkSandbox,
  checkSettings,
} from "../../doctor/check-surroundings.ts";
import { badBecause, type Check, renderChecks, renderRepair } from "../../doctor/render-checks.ts";
import { CommandFailure } from "../../failure.ts";
import type { Host, Terminal } from "../../host.ts";
import { createProgressBar, showNotice } from "../../rendering/progress.ts";
import { verifyAll } from "./verify.ts";

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

/** Checks everything that can be checked, even if other checks fail. Creates no directories. */
async function examine(terminal: Terminal, openHost: () => Promise<Host>): Promise<Check[]> {
  const node = checkNode(terminal.nodeVersion);
  try {
    const settings = terminal.settings();
    const host = await openHost();
    const directory = host.inspectDirectory();
    const port = Number(settings.find(({ key }) => key === "port")?.value ?? 0);
    const usable = host.tree === undefined || (directory.exists && directory.flaw === undefined);
    return [
      node,
      checkSettings(settings, terminal.unknownSettings()),
      ...(host.tree ? [checkDirectory(directory)] : []),
      ...(usable ? await examineStore(terminal, host) : []),
      checkPort(await host.probePort(), port),
      checkSandbox(await host.inspectSandbox()),
      ...checkClients((await terminal.clients()).list()),
    ];
  } catch (thrown) {
    // A cancelled check is not a finding about the settings.
    terminal.stop.throwIfAborted();
    return [node, badBecause("settings", thrown)];
  }
}

async function examineStore(terminal: Terminal, host: Host): Promise<Check[]> {
  try {
    const store = checkStore(await host.upkeep.inspect(terminal.stop));
    // Pending changes are written first, so that the report names only changes that cannot be written.
    await flushFiles(terminal, host);
    return [
      ...store,
      checkTree(await host.tree?.status()),
      ...checkUnknown(await host.countUnknownSessions(terminal.stop)),
      await examineSessions(terminal, host),
      await examineMemory(terminal, host),
      await examineNotebooks(terminal, host),
    ];
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return [badBecause("store", thrown)];
  }
}

async function examineMemory(terminal: Terminal, host: Host): Promise<Check> {
  const done = showNotice(terminal, "checking the memory …");
  try {
    return checkMemory(await host.upkeep.inspectMemory(terminal.stop));
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return badBecause("memory", thrown);
  } finally {
    done();
  }
}

async function examineNotebooks(terminal: Terminal, host: Host): Promise<Check> {
  try {
    return checkNotebooks(await host.inspectNotebooks(), (await host.notebookFiles?.findDifferences()) ?? []);
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return badBecause("notebooks", thrown);
  }
}

async function examineSessions(terminal: Terminal, host: Host): Promise<Check> {
  const bar = createProgressBar(terminal, "verifying sessions");
  try {
    return checkSessions(await verifyAll(host, { signal: terminal.stop, progress: bar.update }));
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return badBecause("sessions", thrown);
  } finally {
    bar.end();
  }
}
