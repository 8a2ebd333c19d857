import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { MemoryStore } from "../../src/ports/memory/memory-store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { longestPiece } from "../measure/longest-piece.ts";
import { p50, type Samples } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Bench, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { createNodeWriter, graphDoc, workspace } from "../stores/fill-memory.ts";
import { deepest, graphSizes, openNested } from "../stores/known-memories.ts";

const opsAtOnce = 1_000;
const feature = "feature";
const another = "another";
const diffsInTurn = 5;

/** Forks the deepest branch, changes keys on the fork, compares, merges, and compares again. */
export const memoryChanges: Row = {
  id: "memory-changes",
  about: "graph_apply, graph_diff, graph_merge and graph_validate of large changes, 32 branches deep",

  async run(bench) {
    const lines: Line[] = [];
    const changed = bench.quick ? 1_000 : 10_000;
    for (const nodes of graphSizes(bench)) {
      const dataDir = bench.stores.copyOf(await openNested(bench, nodes));
      const apply = await withMemory(dataDir, (memory) => changeKeys(memory, feature, changed));
      const before = await withMemory(dataDir, (memory) => compare(bench, memory));
      const merge = await mergeThroughTheDoor(dataDir, changed);
      const after = await withMemory(dataDir, (memory) => compare(bench, memory));
      const piece = await withMemory(dataDir, async (memory) => {
        await changeKeys(memory, another, changed);
        return longestPiece(() => mergeAtTheStore(memory, another, changed));
      });
      const size = `${nodes.toLocaleString("en")} nodes`;
      const keys = `${changed.toLocaleString("en")} changed keys`;
      const line = (id: string, what: string, samples: Samples, limit: number): Line => ({
        id: `memory-changes.${id}-${nodes}`,
        what: `${what}, ${size}`,
        ours: milliseconds(samples),
        goal: atMost(limit, p50(samples), "ms"),
      });
      lines.push(
        line("apply", `${opsAtOnce.toLocaleString("en")} ops in one commit, at the store`, apply, 300),
        line("notes-diff", "a page of diff", before.notes, 20),
        line("forth", `a page of graph_diff, ${keys} in to`, before.forth, 20),
        line("back", `a page of graph_diff, ${keys} in from`, before.back, 20),
        line("root", "a page of graph_diff, from the deepest branch to main", before.root, 20),
        line("merge", `graph_merge of ${keys}, ${merge.reports} reports of progress`, [[merge.ms]], 2_000),
        line(
          "merge-piece",
          `the longest pause of the event loop during such a merge, processor time`,
          [[piece]],
          100,
        ),
        line("merged-forth", `a page of graph_diff after ${keys} were merged`, after.forth, 20),
        line("merged-back", `the same in the other direction`, after.back, 20),
        line("validate", "graph_validate at the store", before.validate, 300),
      );
    }
    return lines;
  },
};

async function withMemory<Outcome>(
  dataDir: string,
  work: (memory: MemoryStore) => Promise<Outcome>,
): Promise<Outcome> {
  const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  try {
    return await work(ledger.memory);
  } finally {
    await ledger.close();
  }
}

async function changeKeys(memory: MemoryStore, branch: string, keys: number): Promise<Samples> {
  const commit = (step: MemoryStep) => memory.commit(workspace, [step], { at: new Date() });
  await commit({ do: "create_branch", name: branch, from: deepest });
  // Each branch has different text, so that each has something to merge.
  const write = createNodeWriter(branch === feature ? 5 : 6);
  const batches = Array.from({ length: keys / opsAtOnce }, (_, batch) =>
    Array.from({ length: opsAtOnce }, (_, n) => write(batch * opsAtOnce + n)),
  );
  return [
    await timeEach(batches.length, (n) =>
      commit({ do: "apply_graph", branch, doc: graphDoc, ops: batches[n] ?? [] }),
    ),
  ];
}

function compare(bench: Bench, memory: MemoryStore) {
  const diff = (from: string, to: string) => () =>
    timeEach(diffsInTurn, () => memory.diffGraph(workspace, { from, to, doc: graphDoc, limit: 50 }));
  const notes = { branch: deepest, without: "main", doc: "notes", limit: 20 };
  return interleave(bench.times(5), {
    notes: () => timeEach(diffsInTurn, () => memory.readDifference(workspace, notes)),
    forth: diff(deepest, feature),
    back: diff(feature, deepest),
    root: diff(deepest, "main"),
    validate: () => timeEach(1, () => memory.checkGraph(workspace, { branch: feature, doc: graphDoc }, 50)),
  });
}

async function mergeAtTheStore(memory: MemoryStore, from: string, keys: number): Promise<void> {
  const merge = { from, into: deepest, doc: graphDoc, after: 0, limit: keys };
  const { merged } = await memory.mergeGraph(workspace, merge, { at: new Date() });
  if (merged !== keys) throw new Error(`merged ${merged} of ${keys}`);
}

/** Merges like a caller that requests progress reports, and counts the reports. */
function mergeThroughTheDoor(dataDir: string, keys: number): Promise<{ ms: number; reports: number }> {
  return withServers({ ours: candidates.thoughtbox(dataDir) }, async ({ ours }) => {
    await callOperation(ours, "status", { workspace });
    let reports = 0;
    ours.onNotification(() => {
      reports += 1;
    });
    const began = performance.now();
    const { structuredContent } = await ours.ask("tools/call", {
      name: "graph_merge",
      arguments: { workspace, from: feature, into: deepest },
      _meta: { progressToken: "merge" },
    });
    const ms = performance.now() - began;
    if (structuredContent.merged !== keys) throw new Error(`merged ${structuredContent.merged} of ${keys}`);
    return { ms, reports };
  });
}
