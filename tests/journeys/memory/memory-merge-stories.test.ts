import { describe, expect, test } from "vitest";
import { openRaw } from "../../support/disk/raw-database.ts";
import { createTestApp } from "../../support/test-app.ts";
import { back, beginWith, collide, node, nothing, on, openOnes } from "../../support/two-branches.ts";

type Client = ReturnType<ReturnType<typeof createTestApp>["modern"]>;

const ids = Array.from({ length: 10 }, (_, n) => `n${n}`);
const edge = (from: string, to: string) => ({ op: "edge_upsert", from, rel: "supports", to });

const begin = () => beginWith(ids);

const catchUp = (client: Client) => client.call("graph_merge", { from: "main", into: "try" });

async function titlesOn(client: Client, branch: string): Promise<Record<string, string>> {
  const { nodes } = await client.call("graph_query", { branch, limit: 200 });
  return Object.fromEntries(nodes.map(({ id, title }: { id: string; title: string }) => [id, title]));
}

test("a dry run reports a comparison, and a merge reports a merge", async () => {
  const client = await begin();
  await on(client, "try", node("n1", "better"));
  const told = async (dry_run: boolean) => {
    const heard: (string | undefined)[] = [];
    const progress = (_done: number, _total?: number, message?: string) => void heard.push(message);
    await client.reply("graph_merge", { from: "try", into: "main", dry_run }, { progress });
    return heard.at(-1);
  };
  expect(await told(true)).toBe("compared try with main");
  expect(await told(false)).toBe("merged try into main");
});

describe("merging again", () => {
  test("every round of edits on a long-lived branch merges cleanly", async () => {
    const client = await begin();
    for (const round of ["a", "b", "c", "d", "e"]) {
      await on(client, "try", ...ids.map((id) => node(id, round)));
      expect(await back(client)).toMatchObject({ merged: 10, conflicts_created: 0, conflicts_open: 0 });
      expect(await titlesOn(client, "main")).toEqual(Object.fromEntries(ids.map((id) => [id, round])));
    }
  });

  test("a deletion after a merge is carried over", async () => {
    const client = await begin();
    await on(client, "try", node("new", "made on the branch"));
    await back(client);
    await on(client, "try", { op: "node_delete", id: "new" });
    expect(await back(client)).toMatchObject({ merged: 1 });
    expect(await titlesOn(client, "main")).not.toHaveProperty("new");
  });

  test("merging again does not resurrect what main deleted after a merge", async () => {
    const client = await begin();
    await on(client, "try", node("new", "made on the branch"));
    await back(client);
    await on(client, "main", { op: "node_delete", id: "new" });
    expect(await back(client)).toMatchObject(nothing);
    expect(await titlesOn(client, "main")).not.toHaveProperty("new");
  });

  test("merging again does not undo what main reverted after a merge", async () => {
    const client = await begin();
    await on(client, "try", node("n1", "better?"));
    await back(client);
    await on(client, "main", node("n1", "first"));
    expect(await back(client)).toMatchObject(nothing);
    expect(await titlesOn(client, "main")).toMatchObject({ n1: "first" });
  });

  test("after use_into, main can change further, and merging again finds nothing", async () => {
    const client = await begin();
    const conflict_id = await collide(client);
    await client.call("graph_conflict_resolve", { conflict_id, resolution: "use_into" });
    await on(client, "main", node("n1", "main goes on"));
    expect(await back(client)).toMatchObject(nothing);
    expect(await titlesOn(client, "main")).toMatchObject({ n1: "main goes on" });
  });

  test("after use_from, the branch can change further, and its next edit merges", async () => {
    const client = await begin();
    const conflict_id = await collide(client);
    await client.call("graph_conflict_resolve", { conflict_id, resolution: "use_from" });
    expect(await titlesOn(client, "main")).toMatchObject({ n1: "theirs" });
    await on(client, "try", node("n1", "theirs goes on"));
    expect(await back(client)).toMatchObject({ merged: 1, conflicts_created: 0 });
    expect(await titlesOn(client, "main")).toMatchObject({ n1: "theirs goes on" });
  });

  test("a base can be merged into its branch and back without duplicates", async () => {
    const client = await begin();
    await on(client, "main", node("n1", "from main"));
    await on(client, "try", node("n2", "from try"));
    expect(await catchUp(client)).toMatchObject({ merged: 1, conflicts_created: 0 });
    expect(await back(client)).toMatchObject({ merged: 1, conflicts_created: 0 });
    expect(await catchUp(client)).toMatchObject(nothing);
    expect(await titlesOn(client, "main")).toEqual(await titlesOn(client, "try"));
  });

  test("a branch that caught up with main does not bring old values back", async () => {
    const client = await begin();
    await on(client, "main", node("n1", "once"));
    await catchUp(client);
    await on(client, "main", node("n1", "twice"));
    expect(await back(client)).toMatchObject(nothing);
    expect(await titlesOn(client, "main")).toMatchObject({ n1: "twice" });
  });

  test("renaming, deleting and restoring a branch does not undo its earlier merges", async () => {
    const client = await begin();
    await on(client, "try", node("n1", "better?"));
    await back(client);
    await on(client, "main", node("n1", "first"));
    await client.call("branch_rename", { old: "try", new: "tried" });
    await client.call("branch_delete", { name: "tried" });
    await client.call("branch_restore", { name: "tried", as: "try" });
    expect(await back(client)).toMatchObject(nothing);
  });
});

describe("pages of a merge", () => {
  test("count the keys that each page examined", async () => {
    const client = await begin();
    await on(client, "try", ...ids.map((id) => node(id, "edited")));
    const first = await back(client, { limit: 6 });
    expect(first).toMatchObject({ merged: 6, pagination: { count: 6, has_more: true } });
    const second = await back(client, { limit: 6, cursor: first.pagination.next_cursor });
    expect(second).toMatchObject({ merged: 4, pagination: { count: 4, has_more: false } });
    expect(await back(client)).toMatchObject({ ...nothing, skipped: 10, pagination: { count: 10 } });
  });

  test("count the same when a call is repeated with its idempotency key", async () => {
    const client = await begin();
    await on(client, "try", ...ids.map((id) => node(id, "edited")));
    const once = { idempotencyKey: "merge-once" };
    const first = await back(client, once);
    expect(first).toMatchObject({ merged: 10, pagination: { count: 10 } });
    expect(await back(client, once)).toEqual(first);
  });
});

describe("conflicts", () => {
  test("are counted and suggested by every merge until they are resolved", async () => {
    const client = await begin();
    await collide(client);
    const again = await back(client);
    expect(again).toMatchObject({ merged: 0, conflicts_created: 0, conflicts_open: 1 });
    expect(again.suggestions).toContainEqual(
      expect.objectContaining({ operation: "graph_conflicts", priority: "high" }),
    );
  });

  test("are listed up to 200, and the answer suggests the call that lists the rest", async () => {
    const client = createTestApp().modern();
    const many = Array.from({ length: 230 }, (_, n) => `k${n}`);
    const all = (title: string) => many.map((id) => node(id, title));
    await client.call("graph_apply", { ops: all("first") });
    await client.call("branch_create", { name: "try" });
    await on(client, "main", ...all("ours"));
    await on(client, "try", ...all("theirs"));
    const { conflicts, conflict_ids, ...rest } = await back(client);
    expect(rest).toMatchObject({ conflicts_created: 230, conflicts_open: 230, truncated: true });
    expect(conflict_ids).toHaveLength(200);
    expect(conflicts.length).toBeLessThanOrEqual(200);
    expect(rest.suggestions).toMatchObject([{ operation: "graph_conflicts" }]);
    expect(rest).not.toHaveProperty("warnings");
    expect(rest).not.toHaveProperty("budget");
    const again = await back(client);
    expect(again).toMatchObject({ conflicts: [], conflicts_created: 0, conflicts_open: 230 });
    expect(again).not.toHaveProperty("truncated");
  });

  test("beyond the 200 listed ones do not make a page of a merge suggest itself again", async () => {
    const client = createTestApp().modern();
    const many = Array.from({ length: 230 }, (_, n) => `k${n}`);
    const all = (title: string) => many.map((id) => node(id, title));
    await client.call("graph_apply", { ops: all("first") });
    await client.call("branch_create", { name: "try" });
    await on(client, "main", ...all("ours"));
    await on(client, "try", ...all("theirs"), node("more", "made on the branch"));
    const page = await back(client, { limit: 230 });
    expect(page).toMatchObject({ truncated: true, pagination: { has_more: true } });
    expect(page.suggestions).toMatchObject([{ operation: "graph_conflicts" }]);
    expect(page).not.toHaveProperty("warnings");
  });

  test("are listed while they are open, and resolved ones or all of them on request", async () => {
    const client = await begin();
    await on(client, "main", node("n1", "ours"), node("n2", "ours"));
    await on(client, "try", node("n1", "theirs"), node("n2", "theirs"));
    const { conflicts } = await back(client);
    const decided = conflicts.find(({ key }: { key: string }) => key === "n1").conflict_id;
    await client.call("graph_conflict_resolve", { conflict_id: decided, resolution: "use_into" });
    const keys = async (more: object) =>
      (await client.call("graph_conflicts", { into: "main", ...more })).conflicts
        .map(({ key, status }: { key: string; status: string }) => `${key} ${status}`)
        .sort();
    expect(await keys({})).toEqual(["n2 open"]);
    expect(await keys({ status: "resolved" })).toEqual(["n1 resolved"]);
    expect(await keys({ status: "all" })).toEqual(["n1 resolved", "n2 open"]);
  });

  test("are previewed by a dry run", async () => {
    const client = await begin();
    await on(client, "main", node("n1", "ours"));
    await on(client, "try", node("n1", "theirs"), node("n2", "fine"));
    expect(await back(client, { dry_run: true })).toMatchObject({
      merged: 1,
      conflicts_created: 0,
      diff_summary: { nodes_changed: 1, conflicts: 1 },
    });
    expect(await openOnes(client)).toEqual([]);
  });

  test("show which side each resolution takes", async () => {
    const client = await begin();
    const conflict_id = await collide(client);
    const { conflict, choices } = await client.call("graph_conflict_show", { conflict_id });
    expect(conflict).toMatchObject({ theirs: { title: "theirs" }, ours: { title: "ours" } });
    expect(choices).toEqual({
      use_from: 'theirs: "main" gets the version from "try".',
      use_into: 'ours: "main" keeps its version.',
    });
    await client.call("graph_conflict_resolve", { conflict_id, resolution: "use_into" });
    expect(await client.call("graph_conflict_show", { conflict_id })).not.toHaveProperty("choices");
  });

  test("show if a side has deleted the node", async () => {
    const client = await begin();
    await on(client, "main", { op: "node_delete", id: "n1" });
    await on(client, "main", node("n2", "ours"));
    await on(client, "try", node("n1", "theirs"), { op: "node_delete", id: "n2" });
    const { conflict_ids } = await back(client);
    const [kept, deleted] = await Promise.all(
      conflict_ids.map((conflict_id: string) => client.call("graph_conflict_show", { conflict_id })),
    );
    expect(kept.choices.use_into).toBe('ours: "main" has deleted it, and it stays deleted.');
    expect(deleted.choices.use_from).toBe('theirs: "main" deletes it, as "try" did.');
  });

  test("close automatically once both sides agree", async () => {
    const client = await begin();
    const conflict_id = await collide(client);
    await on(client, "main", node("n1", "theirs"));
    expect(await back(client)).toMatchObject({ conflicts_open: 0 });
    const { conflict } = await client.call("graph_conflict_show", { conflict_id });
    expect(conflict).toMatchObject({ status: "resolved", resolution: "moot" });
  });

  test("never pile up on one key: a new collision replaces the old one", async () => {
    const client = await begin();
    await collide(client);
    await on(client, "main", node("n1", "ours, later"));
    expect(await back(client)).toMatchObject({ conflicts_created: 1, conflicts_open: 1 });
    expect(await openOnes(client)).toEqual(["n1"]);
  });

  test("cannot be resolved if a side has changed since, and the recovery shows the current state", async () => {
    const client = await begin();
    const conflict_id = await collide(client);
    await on(client, "main", node("n1", "ours, later"));
    const refusal = await client.refusal("graph_conflict_resolve", { conflict_id, resolution: "use_from" });
    expect(refusal).toMatchObject({ code: "CONFLICT", recovery: { operation: "graph_merge" } });
    expect(await client.call("graph_merge", refusal.recovery?.args)).toMatchObject({ conflicts_open: 1 });
  });
});

describe("an edge never loses a node", () => {
  test("an edge whose node main deleted is a conflict, and use_from restores the node", async () => {
    const client = await begin();
    await on(client, "try", edge("n1", "n2"));
    await on(client, "main", { op: "node_delete", id: "n2" });
    const { conflict_ids } = await back(client);
    expect(await openOnes(client)).toEqual(["n1|supports|n2"]);
    await client.call("graph_conflict_resolve", { conflict_id: conflict_ids[0], resolution: "use_from" });
    expect(await client.call("graph_validate", { branch: "main" })).toMatchObject({ ok: true });
    expect(await titlesOn(client, "main")).toHaveProperty("n2");
  });

  test("deleting a node of an edge that main created is a conflict, and use_into keeps both", async () => {
    const client = await begin();
    await on(client, "main", edge("n1", "n2"));
    await on(client, "try", { op: "node_delete", id: "n2" });
    const { conflict_ids } = await back(client);
    expect(await openOnes(client)).toEqual(["n1|supports|n2"]);
    expect(await titlesOn(client, "main")).toHaveProperty("n2");
    await client.call("graph_conflict_resolve", { conflict_id: conflict_ids[0], resolution: "use_into" });
    expect(await back(client)).toMatchObject(nothing);
    expect(await titlesOn(client, "main")).toHaveProperty("n2");
  });

  test("use_from drops the edge, and the next merge deletes the node", async () => {
    const client = await begin();
    await on(client, "main", edge("n1", "n2"));
    await on(client, "try", { op: "node_delete", id: "n2" });
    const { conflict_ids } = await back(client);
    await client.call("graph_conflict_resolve", { conflict_id: conflict_ids[0], resolution: "use_from" });
    expect(await back(client)).toMatchObject({ merged: 1, conflicts_open: 0 });
    expect(await titlesOn(client, "main")).not.toHaveProperty("n2");
    expect(await client.call("graph_validate", { branch: "main" })).toMatchObject({ ok: true });
  });
});

test("status and diagnostics report open conflicts, and the suggested call shows them", async () => {
  const client = await begin();
  await collide(client);
  const status = await client.call("status");
  expect(status).toMatchObject({ open_conflicts: 1, suggestions: [{ operation: "graph_conflicts" }] });
  const { issues } = await client.call("diagnostics");
  const issue = issues.find(({ code }: { code: string }) => code === "OPEN_CONFLICTS");
  expect((await client.call(issue.recovery.operation, issue.recovery.args)).conflicts).toHaveLength(1);
});

test("diagnostics reports edges with a missing node, and the suggested call shows them", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await client.call("graph_apply", { ops: [node("a", "x"), node("b", "x"), edge("a", "b")] });
  const db = openRaw(app.dataDir);
  db.exec("UPDATE graph_versions SET deleted = 1, fingerprint = 'deleted' WHERE key = 'b'");
  db.close();
  const { issues } = await client.call("diagnostics");
  const issue = issues.find(({ code }: { code: string }) => code === "GRAPH_INVALID");
  expect((await client.call(issue.recovery.operation, issue.recovery.args)).errors).toHaveLength(1);
});

test("deleting a branch reports how much was never merged from it", async () => {
  const client = await begin();
  await on(client, "try", node("n1", "changed"), node("n2", "changed"));
  await client.call("notes_commit", { branch: "try", content: "why" });
  await back(client);
  await on(client, "try", node("n3", "changed"));
  expect(await client.call("branch_delete", { name: "try" })).toMatchObject({
    unmerged_entries: 1,
    unmerged_keys: 1,
  });
});

test.each([
  ["a malformed conflict", "graph_conflict_show", { conflict_id: "CONFLICT-12" }],
  ["a malformed conflict", "graph_conflict_resolve", { conflict_id: "n1", resolution: "use_from" }],
  ["blank content", "notes_commit", { content: " \n\t" }],
  ["content beside a template", "macro_branch_note", { template: "decision", content: "Mine." }],
  ["an invalid tag", "graph_apply", { ops: [{ ...node("n1", "x"), tags: ["a|b"] }] }],
  ["an invalid tag", "think_card", { card: { type: "note", title: "x", tags: ["a|b"] } }],
])("%s is refused by %s", async (_what, operation, args) => {
  const client = await begin();
  expect(await client.refusal(operation, args)).toMatchObject({ code: "INVALID_PAYLOAD" });
});

describe("edges in answers", () => {
  test("a query counts edges and returns them page by page, and touching shows both directions", async () => {
    const client = await begin();
    const others = ids.slice(1);
    await on(client, "main", ...others.map((id) => edge("n0", id)), edge("n5", "n0"));
    const all = await client.call("graph_query", { edges_limit: 4 });
    expect(all).toMatchObject({ edges_total: 10, edges_has_more: true });
    const rest = await client.call("graph_query", { edges_limit: 20, edges_cursor: all.edges_next_cursor });
    expect(rest).toMatchObject({ edges_total: 10, edges_has_more: false });
    expect(all.edges.length + rest.edges.length).toBe(10);
    const hub = await client.call("graph_query", { ids: ["n5"], touching: ["n5"] });
    expect(hub.edges.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual([
      ["n5", "n0"],
      ["n0", "n5"],
    ]);
  });

  test("an opened node shows its outgoing and incoming edges", async () => {
    const client = await begin();
    await on(client, "main", edge("n1", "n2"), edge("n3", "n1"));
    expect(await client.call("open", { id: "n1" })).toMatchObject({
      edges: { supports: ["n2"] },
      incoming: { supports: ["n3"] },
      edges_total: 2,
    });
  });

  test("a small budget drops the oldest edges first and reports that", async () => {
    const client = await begin();
    await on(client, "main", ...ids.slice(1).map((id) => edge("n0", id)));
    const tight = await client.call("graph_query", { max_chars: 1_600 });
    expect(tight).toMatchObject({ truncated: true, edges_has_more: true, edges_total: 9 });
    expect(tight.nodes).toHaveLength(10);
    expect(tight.edges.at(0)).toMatchObject({ to: "n9" });
  });
});
