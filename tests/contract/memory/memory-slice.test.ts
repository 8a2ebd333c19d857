import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GraphOp } from "../../../src/domain/memory/graph.ts";
import type { SlicePlan } from "../../../src/ports/memory/memory-store.ts";
import { binary, cleanEnv, nowhere } from "../../support/server-process.ts";
import { lastingStores, noon, openStore, storageSettings } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const workspace = "acme/repo";
const place = { branch: "main", doc: "graph" };

/** Writes both cards in one transaction, so that a consistent read finds the same title on both. */
const bothNamed = (title: string): GraphOp[] => [
  { op: "node_upsert", id: "d", type: "decision", title },
  { op: "node_upsert", id: "e", type: "evidence", title },
];

test.each(lastingStores)(
  "a slice shows one moment, even if another process writes between its reads, in %s",
  async (backend) => {
    const directory = join(tempDir(), "data");
    const { memory } = openStore(backend, { directory });
    const edge: GraphOp = { op: "edge_upsert", from: "e", rel: "supports", to: "d" };
    await memory.commit(workspace, [{ do: "apply_graph", ...place, ops: [...bothNamed("before"), edge] }], {
      at: new Date(noon),
    });

    function callElsewhere(operation: string, args: object): void {
      const { status, stderr } = spawnSync(
        process.execPath,
        [binary, "call", operation, JSON.stringify({ workspace, ...args })],
        {
          cwd: nowhere,
          env: { ...cleanEnv(), ...storageSettings(backend, directory) },
          encoding: "utf8",
        },
      );
      expect(status, stderr).toBe(0);
    }
    callElsewhere("tasks_create", { title: "before" });
    callElsewhere("branch_create", { name: "other", from: "main" });

    function writeElsewhere(): void {
      const ops = [...bothNamed("after"), { op: "edge_delete", from: "e", rel: "supports", to: "d" }];
      callElsewhere("graph_apply", { ...place, ops });
      callElsewhere("tasks_edit", { target: "PLAN-001", title: "after" });
    }
    const plan = (between: () => void): SlicePlan<"decided"> => ({
      task: undefined,
      filters: () => ({ decided: { types: ["decision"], drafts: false, limit: 5 } }),
      neighbours: {
        of({ decided }) {
          between();
          return decided.map(({ id }) => id);
        },
        limit: 5,
      },
      edges: { among: () => ["d", "e"], limit: 5 },
      overview: { target: "PLAN-001", limits: { tasks: 5, events: 5 } },
      difference: { from: "other", to: "main", doc: "graph", limit: 5 },
    });

    const during = await memory.readSlice(workspace, place, plan(writeElsewhere));
    expect(during.selected.decided).toMatchObject([{ id: "d", title: "before" }]);
    expect(during.neighbours).toMatchObject([{ id: "e", title: "before" }]);
    expect(during.edges).toMatchObject([{ from: "e", rel: "supports", to: "d" }]);
    expect(during.overview).toMatchObject({ item: { title: "before" }, events: [{ kind: "plan_created" }] });
    expect(during.difference).toEqual({ changes: [], hasMore: false });

    const later = await memory.readSlice(
      workspace,
      place,
      plan(() => {}),
    );
    expect(later.selected.decided).toMatchObject([{ id: "d", title: "after" }]);
    expect([later.neighbours, later.edges]).toEqual([[], []]);
    expect(later.overview).toMatchObject({ item: { title: "after" }, events: [{}, {}] });
    expect(later.difference?.changes).toHaveLength(3);
    expect(later.asOfSeq).toBeGreaterThan(during.asOfSeq);
  },
);
