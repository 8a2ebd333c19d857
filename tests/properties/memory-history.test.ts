import { join } from "node:path";
import { expect, test } from "vitest";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import type { MemoryStore } from "../../src/ports/memory/memory-store.ts";
import fc from "../support/fast-check.ts";
import {
  lastingStores,
  noon,
  oneOfEachAdapter,
  type StoreKind,
  storeKind,
  storeNames,
} from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { expectAgreement } from "./memory-agreement.ts";
import { createMemoryModel, type MemoryModel } from "./memory-model.ts";
import { docs, history, prelude, toSteps } from "./memory-wishes.ts";

const workspace = "acme/repo";
const at = new Date(noon);

type Outcome = { outcomes: any[] } | { refusedWith: string };

async function commit(store: MemoryStore, steps: readonly MemoryStep[]): Promise<Outcome> {
  try {
    return { outcomes: (await store.commit(workspace, steps, { at })) as any[] };
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return { refusedWith: thrown.code };
    throw thrown;
  }
}

/** Merges page by page. A preview must predict each page, and a final merge must do nothing. */
async function mergeInPages(
  store: MemoryStore,
  step: MemoryStep & { do: "merge_notes" | "merge_graph" },
  pageSize: number,
): Promise<Outcome> {
  const sum: any = { merged: 0, skipped: 0, conflicts: [], summary: { nodes_changed: 0, edges_changed: 0 } };
  const preview = (page: typeof step) =>
    page.do === "merge_notes"
      ? store.previewNoteMerge(workspace, page)
      : store.previewGraphMerge(workspace, page, at);
  for (let after = 0; ; ) {
    const page = { ...step, after, limit: pageSize };
    const expected: any = await preview(page).catch((thrown) => ({ refusedWith: thrown.code }));
    const done = await commit(store, [page]);
    if ("refusedWith" in done) {
      expect(expected).toEqual(done);
      return done;
    }
    const [outcome] = done.outcomes;
    const { conflicts = [] } = outcome;
    expect(outcome).toMatchObject(
      expected.conflicts
        ? {
            ...expected,
            conflicts: expected.conflicts.map((one: any) => ({ ...one, status: "open" })),
            conflictsOpen: expect.any(Number),
          }
        : expected,
    );
    sum.merged += outcome.merged;
    sum.skipped += outcome.skipped;
    sum.conflicts.push(...conflicts);
    sum.summary.nodes_changed += outcome.summary?.nodes_changed ?? 0;
    sum.summary.edges_changed += outcome.summary?.edges_changed ?? 0;
    if (!outcome.hasMore) break;
    expect(outcome.lastSeq).toBeGreaterThan(after);
    after = outcome.lastSeq;
  }
  const again = await commit(store, [{ ...step, limit: 1_000 }]);
  expect("outcomes" in again && again.outcomes[0]).toMatchObject({
    merged: 0,
    ...(step.do === "merge_graph" ? { conflicts: [] } : { skipped: sum.merged + sum.skipped }),
  });
  return { outcomes: [sum] };
}

const isMerge = (step: MemoryStep | undefined): step is MemoryStep & { do: "merge_notes" | "merge_graph" } =>
  step?.do === "merge_notes" || step?.do === "merge_graph";

function perform(store: MemoryStore, steps: MemoryStep[], pageSize: number): Promise<Outcome> {
  const [only] = steps;
  return steps.length === 1 && isMerge(only) ? mergeInPages(store, only, pageSize) : commit(store, steps);
}

/** Compares a store's answer with the model's, and gives the model the IDs of new conflicts. */
function expectSame(steps: MemoryStep[], expected: Outcome, actual: Outcome): void {
  if ("refusedWith" in expected || "refusedWith" in actual) {
    expect(actual, JSON.stringify(steps)).toEqual(expected);
    return;
  }
  for (const [n, step] of steps.entries()) {
    const [wanted, found] = [expected.outcomes[n], actual.outcomes[n]];
    if (step.do !== "merge_graph") {
      expect(found, JSON.stringify(step)).toMatchObject(wanted);
      continue;
    }
    const { merged, nodes, edges } = wanted;
    // A paged merge finds conflicts in a different order. A later page skips keys that were already merged
    // with an edge.
    const byKey = (one: { key: string }, other: { key: string }) => (one.key < other.key ? -1 : 1);
    const conflicts = wanted.conflicts.toSorted(byKey);
    found.conflicts.sort(byKey);
    expect(found, JSON.stringify(step)).toMatchObject({
      merged,
      summary: { nodes_changed: nodes, edges_changed: edges },
      conflicts: conflicts.map(({ key, states, doc }: any) => ({ key, doc, status: "open", ...states })),
    });
    for (const [m, { conflict_id }] of found.conflicts.entries()) {
      expect(conflict_id).toMatch(/^CONFLICT-[0-9a-f]{32}$/);
      if (conflicts[m].id !== "") expect(conflict_id, "the same on every store").toBe(conflicts[m].id);
      conflicts[m].id = conflict_id;
    }
  }
}

/** Expects reads not to encounter old versions that no branch shows or began with. */
async function expectNoHistoryInReach(kind: StoreKind, directory: string, model: MemoryModel): Promise<void> {
  const shown = new Map(
    [...model.state().branches, ...model.state().deleted]
      .flatMap(({ graphs, start }) => [...graphs.values(), ...start.values()])
      .flatMap((graph) => [...graph.values()])
      .map((version) => [version.tick, version.state]),
  );
  const nodes = [...shown.values()].filter(({ kind, deleted }) => kind === "node" && !deleted);
  expect(await kind.versionsInReach(directory)).toEqual({ versions: shown.size, nodes: nodes.length });
}

test("any history of branches, notes, graphs, merges and conflicts reads as in the model on every store", {
  timeout: 180_000,
}, async () => {
  const seen: Record<string, number> = {};
  const count = (what: string, by = 1) => {
    seen[what] = (seen[what] ?? 0) + by;
  };
  await fc.assert(
    fc.asyncProperty(history, async ({ moves, queries }) => {
      const model = createMemoryModel();
      const opened = storeNames.map((name) => {
        const [kind, directory] = [storeKind(name), join(tempDir(), "data")];
        return { name, kind, directory, store: kind.open(directory, () => at) };
      });
      const open = opened.map(({ store }) => store);
      try {
        const begun = model.commit(prelude);
        for (const { memory } of open) expectSame(prelude, begun, await commit(memory, prelude));
        for (const { wishes, pageSize, look } of moves) {
          const steps: MemoryStep[] = wishes.flatMap((wanted) => toSteps(model, wanted));
          if (steps.length === 0) continue;
          const expected = model.commit(steps);
          for (const { memory } of open) expectSame(steps, expected, await perform(memory, steps, pageSize));
          if (look)
            for (const { name, store } of opened)
              if (oneOfEachAdapter.includes(name))
                await expectAgreement(store.memory, model, workspace, docs, queries);
          if ("refusedWith" in expected) count(`refused ${expected.refusedWith}`);
          else
            for (const [n, step] of steps.entries()) {
              count(step.do);
              count("merged", expected.outcomes[n].merged ?? 0);
              count("conflicts", expected.outcomes[n].conflicts?.length ?? 0);
            }
        }
        for (const { name, kind, directory, store } of opened) {
          if (!lastingStores.includes(name)) {
            await expectAgreement(store.memory, model, workspace, docs, queries);
            continue;
          }
          await store.close();
          await expectNoHistoryInReach(kind, directory, model);
          const reopened = kind.open(directory, () => at);
          open.push(reopened);
          await expectAgreement(reopened.memory, model, workspace, docs, queries);
        }
        count(
          "nested branches",
          model.state().branches.filter(({ base }) => base?.base !== undefined).length,
        );
        count(
          "tombstones",
          model
            .state()
            .branches.flatMap((one) => [...one.graphs.values()].flatMap((graph) => [...graph.values()]))
            .filter(({ state }) => state.deleted).length,
        );
        count("resolved", model.state().conflicts.filter(({ resolution }) => resolution).length);
      } finally {
        await Promise.all(open.map((store) => store.close()));
      }
    }),
    { numRuns: 30, interruptAfterTimeLimit: 120_000 },
  );
  const expected = ["MERGE_NOT_SUPPORTED", "CONFLICT", "UNKNOWN_ID"].map((code) => `refused ${code}`);
  const happened = [...expected, "merged", "conflicts", "resolved", "nested branches", "tombstones"];
  for (const what of [...happened, "rename_branch", "delete_branch", "checkout"])
    expect(seen[what] ?? 0, `histories were too tame: ${JSON.stringify(seen)}`).toBeGreaterThan(2);
});
