import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GraphOp } from "../../../src/domain/memory/graph-ops.ts";
import type { SlicePlan } from "../../../src/ports/memory/thinking.ts";
import { noon, openStore } from "../../support/ledger.ts";
import { binary, cleanEnv, nowhere } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

const workspace = "acme/repo";
const place = { branch: "main", doc: "graph" };

/** Both cards in one transaction, so that a reader of one moment finds the same title on both. */
const bothNamed = (title: string): GraphOp[] => [
  { op: "node_upsert", id: "d", type: "decision", title },
  { op: "node_upsert", id: "e", type: "evidence", title },
];

test("a slice is of one moment, whatever another process writes between its reads", async () => {
  const directory = join(tempDir(), "data");
  const { memory } = openStore("fs", { directory });
  const edge: GraphOp = { op: "edge_upsert", from: "e", rel: "supports", to: "d" };
  await memory.commit(workspace, [{ do: "apply_graph", ...place, ops: [...bothNamed("before"), edge] }], {
    at: new Date(noon),
  });

  function writeElsewhere(): void {
    const ops = [...bothNamed("after"), { op: "edge_delete", from: "e", rel: "supports", to: "d" }];
    const { status, stderr } = spawnSync(
      process.execPath,
      [binary, "call", "graph_apply", JSON.stringify({ workspace, ...place, ops })],
      { cwd: nowhere, env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: directory }, encoding: "utf8" },
    );
    expect(status, stderr).toBe(0);
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
  });

  const during = await memory.readSlice(workspace, place, plan(writeElsewhere));
  expect(during.selected.decided).toMatchObject([{ id: "d", title: "before" }]);
  expect(during.neighbours).toMatchObject([{ id: "e", title: "before" }]);
  expect(during.edges).toMatchObject([{ from: "e", rel: "supports", to: "d" }]);

  const later = await memory.readSlice(
    workspace,
    place,
    plan(() => {}),
  );
  expect(later.selected.decided).toMatchObject([{ id: "d", title: "after" }]);
  expect([later.neighbours, later.edges]).toEqual([[], []]);
  expect(later.lastSeq).toBeGreaterThan(during.lastSeq);
});
