import { describe, expect, test } from "vitest";
import { inProcess, shareTestApp } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

const node = (id: string, more: object = {}) => ({ op: "node_upsert", id, type: "idea", ...more });
const edge = (from: string, to: string, rel = "supports") => ({ op: "edge_upsert", from, rel, to });
const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);

describe.each(inProcess)("graphs of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = () => inWorkspace(app[era]());

  test("a batch is applied as a whole and can be read newest first with its edges", async () => {
    const { call } = open();
    const applied = await call("graph_apply", {
      ops: [node("a", { tags: ["Red", "red", "Blue "] }), node("b", { title: "two" }), edge("a", "b")],
    });
    expect(applied).toMatchObject({
      branch: "main",
      doc: "graph",
      applied: { nodes_upserted: 2, nodes_deleted: 0, edges_upserted: 1, edges_deleted: 0 },
    });
    const found = await call("graph_query");
    expect(idsOf(found)).toEqual(["b", "a"]);
    expect(found.nodes[1]).toMatchObject({ type: "idea", tags: ["blue", "red"], deleted: false });
    expect(found.edges).toMatchObject([{ from: "a", rel: "supports", to: "b" }]);
    expect((await call("graph_query", { include_edges: false })).edges).toEqual([]);
  });

  test("a batch whose last operation is refused leaves nothing behind", async () => {
    const { call, refusal } = open();
    await call("init");
    const error = await refusal("graph_apply", { ops: [node("a"), edge("a", "nowhere")] });
    expect(error).toMatchObject({ code: "UNKNOWN_ID", details: { id: "nowhere", op: 1 } });
    expect((await call("graph_query")).nodes).toEqual([]);
    expect((await call("graph_validate")).stats).toEqual({ nodes: 0, edges: 0 });
  });

  test("deleting a node deletes its edges, and only those", async () => {
    const { call } = open();
    await call("graph_apply", {
      ops: [node("a"), node("b"), node("c"), edge("a", "b"), edge("b", "c"), edge("a", "c")],
    });
    const { applied } = await call("graph_apply", { ops: [{ op: "node_delete", id: "b" }] });
    expect(applied).toMatchObject({ nodes_deleted: 1, edges_deleted: 2 });
    const left = await call("graph_query");
    expect(idsOf(left)).toEqual(["c", "a"]);
    expect(left.edges).toMatchObject([{ from: "a", to: "c" }]);
    const all = await call("graph_query", { include_deleted: true });
    expect(idsOf(all)).toEqual(["b", "c", "a"]);
    expect(all.nodes[0]).toMatchObject({ deleted: true });
    expect(await call("graph_validate")).toMatchObject({ ok: true, stats: { nodes: 2, edges: 1 } });
  });

  test("an upsert replaces all fields", async () => {
    const { call } = open();
    await call("graph_apply", { ops: [node("a", { title: "old", text: "text", tags: ["x"] })] });
    await call("graph_apply", { ops: [node("a", { title: "new" })] });
    const { nodes } = await call("graph_query");
    expect(nodes).toHaveLength(1);
    expect(nodes[0]).toMatchObject({ title: "new" });
    expect(nodes[0]).not.toHaveProperty("text");
    expect((await call("graph_query", { tags_any: ["x"] })).nodes).toEqual([]);
  });

  test("filters apply before paging", async () => {
    const { call } = open();
    const ops = Array.from({ length: 30 }, (_, n) =>
      node(`n${n}`, {
        type: n % 2 === 0 ? "even" : "odd",
        status: n % 3 === 0 ? "open" : "closed",
        tags: [`t${n % 5}`, "all"],
        title: `number ${n}`,
        text: n === 7 ? "a needle in here" : "hay",
      }),
    );
    await call("graph_apply", { ops });
    const ids = async (filter: object) => idsOf(await call("graph_query", { limit: 200, ...filter }));
    expect(await ids({ types: ["even"] })).toHaveLength(15);
    expect(await ids({ types: "odd", status: "open" })).toEqual(["n27", "n21", "n15", "n9", "n3"]);
    expect(await ids({ tags_any: ["t1", "t2"] })).toHaveLength(12);
    expect(await ids({ tags_all: ["T4", "all"], status: "open" })).toEqual(["n24", "n9"]);
    expect(await ids({ text: "needle" })).toEqual(["n7"]);
    expect(await ids({ text: "number", types: ["odd"] })).toHaveLength(15);
    expect(await ids({ ids: ["n3", "n1", "nobody"] })).toEqual(["n3", "n1"]);
    const page = await call("graph_query", { types: ["even"], limit: 4 });
    expect(idsOf(page)).toEqual(["n28", "n26", "n24", "n22"]);
    const next = await call("graph_query", {
      types: ["even"],
      limit: 4,
      cursor: page.pagination.next_cursor,
    });
    expect(idsOf(next)).toEqual(["n20", "n18", "n16", "n14"]);
  });

  test("a branch sees its base as it was, and later pages show no superseded version", async () => {
    const { call } = open();
    await call("graph_apply", { ops: [node("a", { title: "1" }), node("b", { title: "1" })] });
    await call("branch_create", { name: "try" });
    await call("graph_apply", { ops: [node("a", { title: "2" }), node("c", { title: "2" })] });
    await call("graph_apply", { branch: "try", ops: [node("b", { title: "mine" })] });
    const titles = async (branch: string) => {
      const seen: Record<string, string> = {};
      let cursor: number | undefined;
      do {
        const page = await call("graph_query", { branch, limit: 1, cursor });
        for (const { id, title } of page.nodes) {
          expect(seen).not.toHaveProperty(id);
          seen[id] = title;
        }
        cursor = page.pagination.next_cursor;
      } while (cursor !== undefined);
      return seen;
    };
    expect(await titles("try")).toEqual({ a: "1", b: "mine" });
    expect(await titles("main")).toEqual({ a: "2", b: "1", c: "2" });
    const diff = await call("graph_diff", { from: "main", to: "try" });
    expect(diff.changes.map(({ id }: { id: string }) => id)).toEqual(["b", "a"]);
    expect((await call("graph_diff", { from: "try", to: "main" })).changes).toHaveLength(3);
  });

  test("a merge applies changes made only on the branch, reports those made on both, and repeats nothing", async () => {
    const { call } = open();
    await call("graph_apply", { ops: [node("a", { title: "1" }), node("b", { title: "1" }), node("gone")] });
    await call("branch_create", { name: "try" });
    await call("graph_apply", {
      branch: "try",
      ops: [
        node("a", { title: "theirs" }),
        node("b", { title: "theirs" }),
        node("new"),
        { op: "node_delete", id: "gone" },
      ],
    });
    await call("graph_apply", { ops: [node("b", { title: "ours" })] });
    const merge = { from: "try", merge_to_base: true };
    const preview = await call("graph_merge", { ...merge, dry_run: true });
    expect(preview).toMatchObject({ merged: 3, skipped: 0, conflicts_created: 0 });
    expect(preview.conflicts).toMatchObject([{ key: "b", status: "preview" }]);
    const done = await call("graph_merge", merge);
    expect(done).toMatchObject({
      into: "main",
      merged: 3,
      conflicts_created: 1,
      diff_summary: { nodes_changed: 3 },
    });
    expect(done.conflict_ids).toEqual(preview.conflict_ids);
    expect(await call("graph_merge", merge)).toMatchObject({ merged: 0, skipped: 4, conflicts_created: 0 });
    expect(idsOf(await call("graph_query")).sort()).toEqual(["a", "b", "new"]);

    const [conflict_id] = done.conflict_ids;
    expect(conflict_id).toMatch(/^CONFLICT-[0-9a-f]{32}$/);
    const { conflict } = await call("graph_conflict_show", { conflict_id });
    expect(conflict).toMatchObject({
      from: "try",
      into: "main",
      status: "open",
      base: { title: "1" },
      theirs: { title: "theirs" },
      ours: { title: "ours" },
    });
    expect(await call("graph_conflict_resolve", { conflict_id, resolution: "use_from" })).toMatchObject({
      status: "resolved",
      applied: true,
    });
    expect((await call("graph_query", { ids: ["b"] })).nodes).toMatchObject([{ title: "theirs" }]);
    expect(await call("graph_merge", merge)).toMatchObject({ merged: 0, conflicts_created: 0 });
    expect((await call("graph_conflicts", { into: "main", status: "open" })).conflicts).toEqual([]);
  });

  test("a conflict resolved for the destination stays resolved, even if the branch is renamed", async () => {
    const { call, refusal } = open();
    await call("graph_apply", { ops: [node("a", { title: "1" })] });
    await call("branch_create", { name: "try" });
    await call("graph_apply", { branch: "try", ops: [{ op: "node_delete", id: "a" }] });
    await call("graph_apply", { ops: [node("a", { title: "ours" })] });
    const { conflict_ids } = await call("graph_merge", { from: "try", into: "main" });
    const [conflict_id] = conflict_ids;
    await call("graph_conflict_resolve", { conflict_id, resolution: "use_into" });
    await call("branch_rename", { old: "try", new: "tried" });
    expect(await call("graph_merge", { from: "tried", into: "main" })).toMatchObject({
      merged: 0,
      skipped: 1,
      conflicts_created: 0,
    });
    expect((await call("graph_query")).nodes).toMatchObject([{ title: "ours" }]);
    const error = await refusal("graph_conflict_resolve", { conflict_id, resolution: "use_from" });
    expect(error.code).toBe("CONFLICT");
  });

  test("conflicts can be read page by page", async () => {
    const { call } = open();
    const ops = (title: string) => Array.from({ length: 5 }, (_, n) => node(`k${n}`, { title }));
    await call("graph_apply", { ops: ops("1") });
    await call("branch_create", { name: "try" });
    await call("graph_apply", { branch: "try", ops: ops("theirs") });
    await call("graph_apply", { ops: ops("ours") });
    await call("graph_merge", { from: "try", into: "main" });
    const first = await call("graph_conflicts", { into: "main", limit: 2 });
    const second = await call("graph_conflicts", {
      into: "main",
      limit: 9,
      cursor: first.pagination.next_cursor,
    });
    const keys = [...first.conflicts, ...second.conflicts].map(({ key }: { key: string }) => key);
    expect(keys).toEqual(["k0", "k1", "k2", "k3", "k4"]);
    expect(second.pagination).not.toHaveProperty("next_cursor");
  });

  test.each([
    ["a pipe in an id", { ops: [node("a|b")] }, "INVALID_PAYLOAD"],
    ["a control character", { ops: [node("a\u0007")] }, "INVALID_PAYLOAD"],
    ["a pipe in a tag", { ops: [{ ...node("a"), tags: ["fine", "a|b"] }] }, "INVALID_PAYLOAD"],
    ["a control character in a tag", { ops: [{ ...node("a"), tags: ["a\u0007"] }] }, "INVALID_PAYLOAD"],
    ["a reserved id", { ops: [node("task:TASK-001")] }, "INVALID_PAYLOAD"],
    ["a field of another operation", { ops: [{ ...node("a"), rel: "supports" }] }, "INVALID_PAYLOAD"],
    ["no type", { ops: [{ op: "node_upsert", id: "a" }] }, "INVALID_PAYLOAD"],
    ["an unknown branch", { branch: "nowhere", ops: [node("a")] }, "UNKNOWN_ID"],
    ["a target that does not exist", { target: "TASK-001", ops: [node("a")] }, "UNKNOWN_ID"],
    ["a target and a branch", { target: "TASK-001", branch: "main", ops: [node("a")] }, "INVALID_PAYLOAD"],
  ])("%s is refused, and nothing is written", async (_what, args, code) => {
    const { call, refusal } = open();
    await call("init");
    expect((await refusal("graph_apply", args)).code).toBe(code);
    expect((await call("graph_query", { include_deleted: true })).nodes).toEqual([]);
  });

  test("invalid merges are refused", async () => {
    const { call, refusal } = open();
    await call("branch_create", { name: "one" });
    await call("branch_create", { name: "two" });
    expect((await refusal("graph_merge", { from: "one", into: "two" })).code).toBe("MERGE_NOT_SUPPORTED");
    expect((await refusal("graph_merge", { from: "main", merge_to_base: true })).code).toBe(
      "MERGE_NOT_SUPPORTED",
    );
    expect((await refusal("graph_merge", { from: "one", into: "one" })).code).toBe("INVALID_PAYLOAD");
    expect((await refusal("graph_merge", { from: "gone", into: "main" })).code).toBe("UNKNOWN_ID");
    expect((await refusal("graph_conflict_show", { conflict_id: "CONFLICT-0" })).code).toBe(
      "INVALID_PAYLOAD",
    );
  });
});
