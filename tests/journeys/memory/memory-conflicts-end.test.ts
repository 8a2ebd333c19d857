import { describe, expect, test } from "vitest";
import { back, beginWith, collide, node, nothing, on, openOnes } from "../../support/two-branches.ts";

const edge = { from: "n1", rel: "supports", to: "n2" };

const begin = () => beginWith(["n1", "n2"]);

describe("a conflict whose branch is deleted", () => {
  async function abandon() {
    const client = await begin();
    const conflict_id = await collide(client);
    await on(client, "main", node("n1", "main goes on"));
    await client.call("branch_delete", { name: "try" });
    return { client, conflict_id };
  }

  test("is hidden with the branch, and no one is asked to resolve it", async () => {
    const { client, conflict_id } = await abandon();
    expect(await openOnes(client)).toEqual([]);
    expect(await client.call("status", {})).not.toHaveProperty("open_conflicts");
    const { issues } = await client.call("diagnostics", {});
    expect(issues.map(({ code }: { code: string }) => code)).not.toContain("OPEN_CONFLICTS");
    for (const [operation, args] of [
      ["graph_conflict_show", { conflict_id }],
      ["graph_conflict_resolve", { conflict_id, resolution: "use_into" }],
      ["open", { id: conflict_id }],
    ] as const) {
      expect(await client.refusal(operation, args)).toMatchObject({ code: "UNKNOWN_ID" });
    }
  });

  test("is restored with the branch and can be resolved", async () => {
    const { client, conflict_id } = await abandon();
    await client.call("branch_restore", { name: "try" });
    expect(await openOnes(client)).toEqual(["n1"]);
    expect((await client.call("open", { id: conflict_id })).conflict).toMatchObject({ status: "open" });
    const { conflict_ids } = await back(client);
    await client.call("graph_conflict_resolve", { conflict_id: conflict_ids[0], resolution: "use_into" });
    expect(await back(client)).toMatchObject(nothing);
  });

  test("stays visible if it was resolved before", async () => {
    const client = await begin();
    const conflict_id = await collide(client);
    await client.call("graph_conflict_resolve", { conflict_id, resolution: "use_from" });
    await client.call("branch_delete", { name: "try" });
    const { conflicts } = await client.call("graph_conflicts", { into: "main", status: "all" });
    expect(conflicts).toMatchObject([{ conflict_id, status: "resolved" }]);
    expect((await client.call("open", { id: conflict_id })).conflict).toMatchObject({ from: "try" });
  });
});

test("a conflict about an edge closes once the edge is gone, even if the branch's deletion was merged earlier", async () => {
  const client = await begin();
  const [made, gone] = [
    { op: "edge_upsert", ...edge },
    { op: "edge_delete", ...edge },
  ];
  await on(client, "main", made);
  await client.call("graph_merge", { from: "main", into: "try" });
  await on(client, "try", gone);
  await back(client);
  await on(client, "main", made);
  await on(client, "try", { op: "node_delete", id: "n2" });
  expect(await back(client)).toMatchObject({ merged: 0, conflicts_created: 1, conflicts_open: 1 });
  await on(client, "main", gone);
  expect(await back(client)).toMatchObject({ merged: 1, conflicts_open: 0, diff_summary: { conflicts: 0 } });
  expect(await openOnes(client)).toEqual([]);
  const { nodes } = await client.call("graph_query", {});
  expect(nodes).toMatchObject([{ id: "n1" }]);
});

test("a conflict that was only previewed is refused with an explanation of how to create it", async () => {
  const client = await begin();
  await on(client, "main", node("n1", "ours"));
  await on(client, "try", node("n1", "theirs"));
  const { conflict_ids } = await back(client, { dry_run: true });
  const [conflict_id] = conflict_ids;
  for (const [operation, args] of [
    ["graph_conflict_show", { conflict_id }],
    ["open", { id: conflict_id }],
  ] as const) {
    const { code, message } = await client.refusal(operation, args);
    expect({ code, message }).toEqual({
      code: "UNKNOWN_ID",
      message: expect.stringContaining("A dry run only predicts conflicts."),
    });
  }
  await back(client);
  expect((await client.call("open", { id: conflict_id })).conflict).toMatchObject({ status: "open" });
});

test("a conflict between long texts shows the beginning of each side", async () => {
  const client = await begin();
  const long = (branch: string, letter: string) =>
    on(client, branch, { ...node("n1", letter), text: letter.repeat(30_000), meta: { by: letter } });
  await long("main", "o");
  await long("try", "t");
  const [conflict_id] = (await back(client)).conflict_ids;
  for (const max_chars of [undefined, 1_500]) {
    const shown = await client.call("graph_conflict_show", { conflict_id, max_chars });
    expect(shown).toMatchObject({ truncated: true, conflict: { base: { title: "first" }, from: "try" } });
    const { theirs, ours } = shown.conflict;
    expect([theirs.text, ours.text]).toEqual([
      expect.stringMatching(/^t{50,}…$/),
      expect.stringMatching(/^o{50,}…$/),
    ]);
  }
});

test("a diff of a long text shows the beginning of it", async () => {
  const client = await begin();
  await on(client, "try", { ...node("n1", "long"), text: "t".repeat(30_000) });
  const { changes } = await client.call("graph_diff", { from: "main", to: "try" });
  expect(changes).toMatchObject([{ id: "n1", to: { text: expect.stringMatching(/^t{50,}…$/) } }]);
});

test.each(["use_from", "use_into"])(
  "a conflict that was resolved (%s) does not return when the branches are merged the other way",
  async (resolution) => {
    const client = await begin();
    const conflict_id = await collide(client);
    const forth = { from: "main", into: "try" };
    expect(await client.call("graph_merge", forth)).toMatchObject({ conflicts_open: 1 });
    await client.call("graph_conflict_resolve", { conflict_id, resolution });
    const shown = resolution === "use_from" ? "theirs" : "ours";
    for (const asked of [forth, { from: "try", into: "main" }, forth])
      expect(await client.call("graph_merge", asked)).toMatchObject({
        conflicts_created: 0,
        conflicts_open: 0,
      });
    for (const branch of ["main", "try"]) {
      const { nodes } = await client.call("graph_query", { branch, ids: ["n1"] });
      expect(nodes, branch).toMatchObject([{ title: shown }]);
    }
    const { conflicts } = await client.call("graph_conflicts", { into: "try" });
    expect(conflicts).toEqual([]);
  },
);

test("an edge that was refused because its node is gone stays refused when the branches are merged the other way", async () => {
  const client = await begin();
  await on(client, "main", { op: "edge_upsert", ...edge });
  await on(client, "try", { op: "node_delete", id: "n1" });
  const forth = { from: "main", into: "try" };
  const { conflict_ids } = await client.call("graph_merge", forth);
  await client.call("graph_conflict_resolve", { conflict_id: conflict_ids[0], resolution: "use_into" });
  for (const asked of [{ from: "try", into: "main" }, forth])
    expect(await client.call("graph_merge", asked)).toMatchObject({
      conflicts_created: 0,
      conflicts_open: 0,
    });
  for (const branch of ["main", "try"]) {
    const { nodes, edges } = await client.call("graph_query", { branch });
    expect(
      nodes.map(({ id }: { id: string }) => id),
      branch,
    ).toEqual(["n2"]);
    expect(edges, branch).toEqual([]);
  }
});
