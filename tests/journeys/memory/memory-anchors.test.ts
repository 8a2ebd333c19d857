import { describe, expect, test } from "vitest";
import { createTestApp, type TestClient } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

const storage = { anchor: "a:storage", title: "Storage", kind: "component" };
const fact = (tags: string[], more: object = {}) => ({
  op: "node_upsert",
  id: "CARD-F",
  type: "evidence",
  title: "Writers queue",
  tags,
  ...more,
});

const linked = async (client: TestClient, anchor: string): Promise<string[]> => {
  const { cards } = await client.call("anchor_snapshot", { anchor, include_drafts: true });
  return cards.map(({ id }: { id: string }) => id);
};

describe("a note about an area", () => {
  test("registers the anchor and writes a card that belongs to it, or neither", async () => {
    const { call, refusal } = inWorkspace(createTestApp().modern());
    const missing = await refusal("macro_anchor_note", { anchor: "a:storage", content: "One file." });
    expect(missing.details).toMatchObject({ hints: [{ field: "title" }, { field: "kind" }] });
    expect((await call("anchors_list")).anchors).toEqual([]);
    await refusal("macro_anchor_note", { ...storage, content: "One file.", target: "TASK-404" });
    expect((await call("anchors_list")).anchors).toEqual([]);

    const { anchor, created, card_id } = await call("macro_anchor_note", {
      ...storage,
      content: "One file.",
    });
    expect({ anchor, created }).toMatchObject({
      anchor: { id: "a:storage", registered: true },
      created: true,
    });
    const { cards } = await call("anchor_snapshot", { anchor: "a:storage" });
    expect(cards).toMatchObject([{ id: card_id, text: "One file.", tags: ["a:storage", "v:canon"] }]);
  });

  test("changes only the given fields of an existing anchor", async () => {
    const client = createTestApp().modern();
    await client.call("macro_anchor_note", { ...storage, content: "x", refs: ["src/storage"] });
    await client.call("macro_anchor_note", { anchor: "a:storage", content: "y", status: "deprecated" });
    const [anchor] = (await client.call("anchors_list", { status: "deprecated" })).anchors;
    expect(anchor).toMatchObject({ title: "Storage", refs: ["src/storage"], status: "deprecated" });
  });

  test("is added to its task and step, and the anchor lists the task", async () => {
    const client = createTestApp().modern();
    await client.call("tasks_create", { title: "Plan" });
    await client.call("tasks_create", { parent: "PLAN-001", title: "Task", steps: [{ title: "Measure" }] });
    await client.call("macro_anchor_note", { ...storage, content: "x", target: "TASK-001", step: "focus" });
    const { cards, tasks } = await client.call("anchor_snapshot", { anchor: "a:storage" });
    expect(cards).toMatchObject([{ doc: "TASK-001-graph", branch: "task/TASK-001" }]);
    expect(tasks).toEqual([{ id: "TASK-001", kind: "task", title: "Task", status: expect.any(String) }]);
  });

  test("an anchor cannot be inside its own descendant", async () => {
    const client = createTestApp().modern();
    await client.call("macro_anchor_note", { ...storage, content: "x", parent_id: "a:core" });
    const core = { anchor: "a:core", title: "Core", kind: "component", content: "x", parent_id: "a:storage" };
    expect(await client.refusal("macro_anchor_note", core)).toMatchObject({ code: "INVALID_PAYLOAD" });
  });
});

describe("cards belong to the anchors in their tags, whichever tool wrote them", () => {
  test("after a card, a graph operation, a status change and a deletion", async () => {
    const client = createTestApp().modern();
    await client.call("think_card", {
      card: { id: "CARD-C", type: "note", title: "x", tags: ["a:storage", "A:Login"] },
    });
    await client.call("graph_apply", { ops: [fact(["a:storage"])] });
    expect(await linked(client, "a:storage")).toEqual(["CARD-F", "CARD-C"]);
    expect(await linked(client, "a:login")).toEqual(["CARD-C"]);
    await client.call("graph_apply", { ops: [fact(["a:login"])] });
    await client.call("think_set_status", { targets: ["CARD-C"], status: "done" });
    expect(await linked(client, "a:storage")).toEqual(["CARD-C"]);
    expect(await linked(client, "a:login")).toEqual(["CARD-F", "CARD-C"]);
    await client.call("graph_apply", { ops: [{ op: "node_delete", id: "CARD-C" }] });
    expect(await client.refusal("anchor_snapshot", { anchor: "a:storage" })).toMatchObject({
      code: "UNKNOWN_ID",
    });
  });

  test("on a branch, and after its deletion, restoration and merge", async () => {
    const client = createTestApp().modern();
    await client.call("graph_apply", { ops: [fact(["a:storage"])] });
    await client.call("branch_create", { name: "try" });
    await client.call("graph_apply", { branch: "try", ops: [fact(["a:login"])] });
    const other = { ...fact(["a:login"]), id: "CARD-G" };
    await client.call("graph_apply", { branch: "try", ops: [other] });
    // CARD-F is still visible on the checkout, and CARD-G exists only on the branch.
    expect(await linked(client, "a:storage")).toEqual(["CARD-F"]);
    expect(await linked(client, "a:login")).toEqual(["CARD-G"]);
    await client.call("checkout", { ref: "try" });
    expect((await linked(client, "a:login")).sort()).toEqual(["CARD-F", "CARD-G"]);
    await client.call("checkout", { ref: "main" });
    await client.call("branch_delete", { name: "try" });
    expect(await client.refusal("anchor_snapshot", { anchor: "a:login" })).toMatchObject({
      code: "UNKNOWN_ID",
    });
    await client.call("branch_restore", { name: "try" });
    await client.call("graph_merge", { from: "try", merge_to_base: true });
    expect((await linked(client, "a:login")).sort()).toEqual(["CARD-F", "CARD-G"]);
    await client.refusal("anchor_snapshot", { anchor: "a:storage" });
  });

  test("after a conflict is resolved, and in a published copy", async () => {
    const client = createTestApp().modern();
    await client.call("graph_apply", { ops: [fact(["a:storage"])] });
    await client.call("branch_create", { name: "try" });
    await client.call("graph_apply", { branch: "try", ops: [fact(["a:login"])] });
    await client.call("graph_apply", { branch: "main", ops: [fact(["a:storage"], { status: "old" })] });
    const { conflict_ids } = await client.call("graph_merge", { from: "try", merge_to_base: true });
    await client.call("graph_conflict_resolve", { conflict_id: conflict_ids[0], resolution: "use_from" });
    expect(await linked(client, "a:login")).toEqual(["CARD-F"]);
    await client.call("think_publish", { card_id: "CARD-F" });
    expect((await linked(client, "a:login")).sort()).toEqual(["CARD-F", "CARD-PUB-CARD-F"]);
  });

  test("nodes that are not cards do not belong to an anchor", async () => {
    const client = createTestApp().modern();
    await client.call("graph_apply", { ops: [{ ...fact(["a:storage"]), type: "module" }] });
    await client.refusal("anchor_snapshot", { anchor: "a:storage" });
    expect((await client.call("anchors_lint", {})).issues).toEqual([]);
  });
});

test("a snapshot lists pinned cards first, then decisions, evidence and questions, and drafts on request", async () => {
  const client = createTestApp().modern();
  const add = (id: string, type: string, tags: string[] = []) =>
    client.call("think_card", { card: { id, type, title: id, tags: ["a:storage", ...tags] } });
  await add("CARD-P", "frame", ["pinned"]);
  for (const type of ["question", "evidence", "decision", "note"]) await add(`CARD-${type}`, type);
  await add("CARD-E2", "evidence");
  const { cards, stats } = await client.call("anchor_snapshot", { anchor: "a:storage" });
  const ids = ["CARD-P", "CARD-decision", "CARD-E2", "CARD-evidence", "CARD-question"];
  expect(cards.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(stats).toEqual({ links_count: 6, links_has_more: false });
  expect(await linked(client, "a:storage")).toEqual([...ids, "CARD-note"]);
});

describe("renaming and merging keep the history", () => {
  test("cards with the old tag still belong to the anchor, the old name still works, and references follow", async () => {
    const client = createTestApp().modern();
    await client.call("macro_anchor_note", { ...storage, content: "x" });
    const login = { anchor: "a:login", title: "Login", kind: "component", depends_on: ["a:storage"] };
    await client.call("macro_anchor_note", { ...login, content: "y" });
    const renamed = await client.call("anchors_rename", { from: "a:storage", to: "a:store" });
    expect(renamed).toMatchObject({ changed: true, anchor: { id: "a:store", aliases: ["a:storage"] } });
    expect(await linked(client, "a:store")).toEqual(await linked(client, "a:storage"));
    expect((await client.call("anchors_list", { text: "login" })).anchors[0].depends_on).toEqual(["a:store"]);
    expect((await client.call("anchors_rename", { from: "a:storage", to: "a:store" })).changed).toBe(false);
    // A later note with the old name goes to the same anchor, under its new name.
    const { anchor } = await client.call("macro_anchor_note", { anchor: "a:storage", content: "z" });
    expect(anchor.id).toBe("a:store");
    expect(await linked(client, "a:store")).toHaveLength(2);
    await client.call("anchors_rename", { from: "a:store", to: "a:storage" });
    expect(await linked(client, "a:store")).toHaveLength(2);
  });

  test("merged anchors and unregistered tags become aliases, and merging again changes nothing", async () => {
    const { client, call, refusal } = inWorkspace(createTestApp().modern());
    await call("macro_anchor_note", { ...storage, content: "x" });
    const db = {
      anchor: "a:db",
      title: "Database",
      kind: "component",
      refs: ["db.ts"],
      parent_id: "a:storage",
    };
    await call("macro_anchor_note", { ...db, content: "y" });
    await call("think_card", { card: { type: "evidence", title: "z", tags: ["a:sqlite"] } });
    await refusal("anchors_rename", { from: "a:db", to: "a:storage" });
    const merge = { from: ["a:db", "a:sqlite"], into: "a:storage" };
    expect(await call("anchors_merge", merge)).toMatchObject({
      changed: true,
      merged: ["a:db", "a:sqlite"],
      anchor: { refs: ["db.ts"] },
    });
    const { stats } = await call("anchor_snapshot", { anchor: "a:db" });
    expect(stats.links_count).toBe(3);
    expect((await call("anchors_merge", merge)).changed).toBe(false);
    expect((await call("anchors_lint")).ok).toBe(true);
    await refusal("anchors_merge", { from: ["a:typo"], into: "a:storage" });
    expect(client).toBeDefined();
  });
});

test("the map is checked for missing anchors, unregistered ones and dependency cycles", async () => {
  const client = createTestApp().modern();
  const note = (anchor: string, more: object) =>
    client.call("macro_anchor_note", { anchor, title: anchor, kind: "part", content: "x", ...more });
  await note("a:one", { depends_on: ["a:two"], parent_id: "a:gone" });
  await note("a:two", { depends_on: ["a:one"] });
  await client.call("think_card", { card: { type: "note", title: "x", tags: ["a:stray", "a:no/anchor"] } });
  const { issues, ok } = await client.call("anchors_lint", {});
  expect(ok).toBe(false);
  expect(issues.map(({ code, anchor }: Record<string, string>) => `${code} ${anchor}`)).toEqual([
    "PARENT_MISSING a:one",
    "ANCHOR_TAG_INVALID a:no/anchor",
    "ANCHOR_UNREGISTERED a:stray",
    "DEPENDENCY_CYCLE a:one",
  ]);
});

test("the map is drawn the same way each time, and titles cannot break out of their labels", async () => {
  const client = createTestApp().modern();
  const title = 'x"] --> evil["\n%% <b>';
  await client.call("macro_anchor_note", { anchor: "a:end", title, kind: "part", content: "x" });
  await client.call("macro_anchor_note", {
    ...storage,
    content: "x",
    parent_id: "a:end",
    depends_on: ["a:far-away"],
  });
  const { text } = await client.call("anchors_export", {});
  expect(text.split("\n")).toEqual([
    "graph TD",
    '  n_end["x#34;#93; --#62; evil#91;#34; #37;#37; #60;b#62;<br/>a:end · part"]',
    '  n_storage["Storage<br/>a:storage · component"]',
    '  n_far_away["a:far-away"]:::unregistered',
    "  n_end --> n_storage",
    "  n_storage -.->|depends on| n_far_away",
    "  classDef unregistered stroke-dasharray: 4 4",
    "",
  ]);
  expect((await client.call("anchors_export", { format: "text" })).text).toBe(
    'a:end x"] --> evil[" %% <b> (part, active)\n  a:storage Storage (component, active); depends on a:far-away\n',
  );
});

test("unregistered tags are listed as such, and a card with one gets a warning", async () => {
  const client = createTestApp().modern();
  await client.call("macro_anchor_note", {
    anchor: "a:store",
    title: "Store",
    kind: "component",
    content: "One file.",
  });
  const written = await client.call("think_card", {
    card: { type: "decision", title: "Queue", tags: ["a:queue", "a:store"] },
  });
  expect(written).toMatchObject({
    warnings: [{ code: "ANCHOR_UNREGISTERED", message: expect.stringContaining("a:queue") }],
  });
  const { anchors } = await client.call("anchors_list", {});
  expect(anchors).toMatchObject([
    { id: "a:queue", title: "a:queue", registered: false },
    { id: "a:store", registered: true },
  ]);
  expect((await client.call("anchors_list", { text: "queue" })).anchors).toMatchObject([{ id: "a:queue" }]);
  expect((await client.call("anchors_list", { kind: "component" })).anchors).toMatchObject([
    { id: "a:store" },
  ]);
  const pages = [
    await client.call("anchors_list", { limit: 1 }),
    await client.call("anchors_list", { limit: 1, cursor: "a:queue" }),
  ];
  expect(pages.flatMap((page) => page.anchors.map(({ id }: { id: string }) => id))).toEqual([
    "a:queue",
    "a:store",
  ]);
});

test("an anchor with 30 cards can be read page by page to the last one", async () => {
  const client = createTestApp().modern();
  const ids = Array.from({ length: 30 }, (_, at) => `CARD-P${at}`);
  for (const [at, id] of ids.entries())
    await client.call("think_card", {
      card: {
        id,
        type: at % 2 === 0 ? "decision" : "question",
        title: `Card ${at}`,
        tags: ["a:wide", ...(at === 7 ? ["pinned"] : [])],
      },
    });
  for (const read of [
    (more: object) => client.call("anchor_snapshot", { anchor: "a:wide", limit: 8, ...more }),
    (more: object) => client.call("anchor_snapshot", { anchor: "a:wide", max_chars: 2_000, ...more }),
  ]) {
    const seen: string[] = [];
    let next: { cursor?: number } | undefined = {};
    while (next) {
      const { cards, pagination } = await read(next);
      seen.push(...cards.map(({ id }: { id: string }) => id));
      expect(pagination.count).toBe(cards.length);
      next = pagination.has_more ? { cursor: pagination.next_cursor } : undefined;
    }
    expect(seen).toHaveLength(30);
    expect(seen[0]).toBe("CARD-P7");
    expect(new Set(seen)).toEqual(new Set(ids));
  }
  const opened = await client.call("open", { id: "a:wide", limit: 29 });
  expect(opened.suggestions).toMatchObject([{ operation: "anchor_snapshot" }]);
  const { operation, args } = opened.suggestions[0];
  expect((await client.call(operation, args)).cards).toHaveLength(1);
});
