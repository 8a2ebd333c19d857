import { join } from "node:path";
import { expect } from "vitest";
import type { GraphOp } from "../../../src/domain/memory/graph.ts";
import type { GraphMergeOutcome } from "../../../src/domain/memory/steps/outcomes.ts";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { tempDir } from "../temp-dir.ts";
import { memoryView } from "../views/memory-view.ts";
import { noon, openStore, type StoreName } from "./stores.ts";

export const workspace = "acme/repo";
export const doc = "graph";
export const keys = 620;
export const asked = { from: "side", into: "main", doc, after: 0, limit: 10_000 };
/** After this many keys, the merge is in the middle of staging. */
export const inTheMiddle = 0.65 * keys;

export const node = (id: string, title = "alpha"): GraphOp => ({
  op: "node_upsert",
  id,
  type: "idea",
  title,
  status: "open",
  tags: ["red"],
});
export const edge = (from: string, to: string): GraphOp => ({ op: "edge_upsert", from, rel: "r", to });
export const named = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `n${from + n}`);

/** Opens a store whose main has 400 nodes. The branch changes, deletes and adds some, with edges. */
export async function openLargeBranch(backend: StoreName, directory = join(tempDir(), "data")) {
  const at = new Date(noon);
  const store = openStore(backend, { directory });
  const { memory } = store;
  const commit = (...steps: MemoryStep[]): Promise<any> => memory.commit(workspace, steps, { at });
  const apply = (branch: string, ...ops: GraphOp[]) => commit({ do: "apply_graph", branch, doc, ops });
  await apply("main", ...named(0, 400).map((id) => node(id)), edge("n0", "n1"), edge("n2", "n3"));
  await apply("main", ...named(0, 20).map((id) => node(id, "again")));
  await commit({ do: "create_branch", name: "side", from: "main" });
  await apply("main", node("n399", "ours"), node("own"), edge("own", "n398"));
  await apply(
    "side",
    ...named(0, 340).map((id) => node(id, "theirs")),
    ...named(400, 670).map((id) => node(id)),
    ...[398, 397, 396].map((n): GraphOp => ({ op: "node_delete", id: `n${n}` })),
    node("n399", "theirs"),
    ...named(400, 406).map((id) => edge(id, "n395")),
  );

  let middle: (() => Promise<unknown>) | undefined;
  const meanwhile: Promise<unknown>[] = [];
  return {
    ...{ store, memory, commit, apply, at },
    /** Runs `work` once, while the merge is half staged. */
    during: (work: () => Promise<unknown>) => {
      middle = work;
    },
    async merge(more: { signal?: AbortSignal } = {}): Promise<GraphMergeOutcome> {
      const onProgress = (done: number) => {
        if (done < inTheMiddle || !middle) return;
        meanwhile.push(middle());
        middle = undefined;
      };
      const outcome = await memory.mergeGraph(workspace, asked, { at, onProgress, ...more });
      expect(middle, "the work in the middle of the merge did not run").toBeUndefined();
      await Promise.all(meanwhile);
      return outcome;
    },
    /** The number of keys that the merge has to compare. */
    lookedAt: async () => (await memory.previewGraphMerge(workspace, asked, at)).total,
    view: () => memoryView(memory, workspace),
    titles: async (branch: string, ids: string[]) => {
      const query = { branch, doc, ids, includeDeleted: false, limit: 200 };
      const { nodes } = await memory.queryNodes(workspace, query);
      return Object.fromEntries(
        nodes.map((one) => [(one as { id: string }).id, (one as { title?: string }).title]),
      );
    },
  };
}
