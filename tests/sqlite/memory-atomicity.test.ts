import { describe, expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { noon } from "../support/stores/stores.ts";
import { createTestApp } from "../support/test-app.ts";
import { snapshotMemory } from "../support/views/memory-snapshot.ts";

const node = (id: string) => ({ op: "node_upsert", id, type: "fact" });

/** Opens a store on disk with a note and a graph on main and on a branch, and a fixed clock. */
async function openWorkspace() {
  const app = createTestApp({ backend: "fs", clock: () => new Date(noon) });
  const client = app.modern();
  await client.call("notes_commit", { content: "first" });
  await client.call("graph_apply", { ops: [node("a"), node("b")] });
  await client.call("branch_create", { name: "side" });
  return { client, dataDir: app.dataDir, snapshot: () => snapshotMemory(app.dataDir) };
}

/** Makes SQLite refuse entries with this word, to simulate a fault between two parts of one write. */
function breakEntries(dataDir: string, condition: string): void {
  const db = openRaw(dataDir);
  db.exec(`CREATE TRIGGER broken BEFORE INSERT ON memory_entries WHEN ${condition}
           BEGIN SELECT RAISE(ABORT, 'injected'); END`);
  db.close();
}

/** Returns the rows of plans, tasks, steps and their events. */
function snapshotTasks(dataDir: string): unknown[] {
  const db = openRaw(dataDir);
  const tables = ["task_items", "task_steps", "task_events"];
  const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY rid`).all());
  db.close();
  return JSON.parse(JSON.stringify(rows));
}

function repair(dataDir: string): void {
  const db = openRaw(dataDir);
  db.exec("DROP TRIGGER broken");
  db.close();
}

describe("a write that fails leaves nothing behind", () => {
  test.each([
    ["an edge without its end", { op: "edge_upsert", from: "a", rel: "r", to: "nowhere" }],
    ["a missing node", { op: "node_delete", id: "nowhere" }],
    ["a missing edge", { op: "edge_delete", from: "a", rel: "r", to: "b" }],
  ])("if the last operation of a batch names %s, even on a new document", async (_what, last) => {
    const { client, snapshot } = await openWorkspace();
    const before = snapshot();
    const ops = [node("c"), { op: "edge_upsert", from: "c", rel: "r", to: "a" }, node("a"), last];
    const batches = [
      { branch: "side", doc: "fresh", ops: [node("a"), node("c"), last] },
      { branch: "side", ops },
      { ops },
    ];
    for (const batch of batches) {
      const { code, details } = await client.refusal("graph_apply", batch);
      expect({ code, op: details?.["op"] }).toEqual({ code: "UNKNOWN_ID", op: batch.ops.length - 1 });
    }
    expect(snapshot()).toEqual(before);
    expect((await client.call("docs_list", { ref: "side" })).docs).toHaveLength(2);
  });

  test("if a note cannot be written, including its new branch and checkout", async () => {
    const { client, dataDir, snapshot } = await openWorkspace();
    breakEntries(dataDir, "new.content = 'boom'");
    const before = snapshot();
    for (const args of [{ name: "fresh" }, { name: "side" }, { from: "side" }, {}]) {
      const { code } = await client.refusal("macro_branch_note", { ...args, content: "boom" });
      expect(code).toBe("STORAGE_ERROR");
    }
    expect(snapshot()).toEqual(before);
    expect((await client.call("status")).checkout).toBe("main");
    expect(await client.call("macro_branch_note", { name: "fresh", content: "fine" })).toMatchObject({
      branch: { name: "fresh", created: true },
      checkout: { previous: "main", current: "fresh" },
    });
  });

  test("if a commit cannot be written to one of two documents", async () => {
    const { client, dataDir, snapshot } = await openWorkspace();
    await client.call("commit", { artifact: "one", message: "one", docs: ["notes", "plan"] });
    breakEntries(dataDir, "(SELECT name FROM memory_docs WHERE doc = new.doc) = 'plan'");
    const before = snapshot();
    const both = { artifact: "two", message: "two", docs: ["notes", "plan"] };
    expect((await client.refusal("commit", both)).code).toBe("STORAGE_ERROR");
    expect(snapshot()).toEqual(before);
    repair(dataDir);
    await client.call("commit", both);
    for (const doc of both.docs) expect((await client.call("log", { doc })).commits).toHaveLength(2);
  });

  test("if one of several notes cannot be merged", async () => {
    const { client, dataDir, snapshot } = await openWorkspace();
    for (const content of ["one", "two", "boom"])
      await client.call("notes_commit", { branch: "side", content });
    breakEntries(dataDir, "new.content = 'boom'");
    const before = snapshot();
    expect((await client.refusal("merge", { from: "side", into: "main" })).code).toBe("STORAGE_ERROR");
    expect(snapshot()).toEqual(before);
    repair(dataDir);
    expect(await client.call("merge", { from: "side", into: "main" })).toMatchObject({ merged: 3 });
  });

  test("if a task's event, trace or graph cannot be written", async () => {
    const { client, dataDir, snapshot } = await openWorkspace();
    await client.call("tasks_create", { title: "A plan" });
    await client.call("tasks_create", {
      ...{ parent: "PLAN-001", title: "A task" },
      steps: [{ title: "Measure", success_criteria: ["a number"] }],
    });
    const step = { target: "TASK-001", path: "s:0" };
    const changes = [
      ["tasks_create", { parent: "PLAN-001", title: "Another", steps: [{ title: "One" }] }],
      ["tasks_decompose", { target: "TASK-001", steps: [{ title: "Two" }] }],
      ["tasks_note", { ...step, note: "Half way." }],
      ["tasks_verify", { ...step, checkpoints: "gate" }],
      ["tasks_close_step", { ...step, checkpoints: "gate" }],
      ["tasks_edit", { target: "TASK-001", title: "Renamed" }],
      ["tasks_complete", { target: "TASK-001", status: "CANCELED" }],
    ] as const;
    for (const table of ["task_events", "memory_entries", "graph_versions"]) {
      const db = openRaw(dataDir);
      db.exec(`CREATE TRIGGER broken BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'injected'); END`);
      db.close();
      const before = [snapshot(), snapshotTasks(dataDir)];
      for (const [name, args] of changes)
        expect([table, name, (await client.refusal(name, args)).code]).toEqual([
          table,
          name,
          "STORAGE_ERROR",
        ]);
      expect([snapshot(), snapshotTasks(dataDir)]).toEqual(before);
      repair(dataDir);
    }
    expect(await client.call("tasks_close_step", { ...step, checkpoints: "gate" })).toMatchObject({
      event: { kind: "step_done" },
    });
  });

  test("so that the call can be repeated with its idempotencyKey", async () => {
    const { client, dataDir } = await openWorkspace();
    breakEntries(dataDir, "new.content = 'boom'");
    const call = { name: "fresh", content: "boom", idempotencyKey: "once" };
    await client.refusal("macro_branch_note", call);
    repair(dataDir);
    const { note } = await client.call("macro_branch_note", call);
    expect((await client.call("macro_branch_note", call)).note).toEqual(note);
    expect((await client.call("show", { doc: "notes" })).entries).toHaveLength(2);
  });
});

describe("callers that share a transaction", () => {
  const good = [
    // This call needs no focus lookup, so it arrives first, whatever its place in the list.
    ["branch_create", { name: "good" }],
    ["notes_commit", { content: "good one" }],
    ["graph_apply", { ops: [node("g")] }],
    ["notes_commit", { branch: "side", content: "good two" }],
  ] as const;
  const refused = [
    ["graph_apply", { ops: [node("x"), { op: "node_delete", id: "nowhere" }] }],
    ["branch_create", { name: "main" }],
    ["branch_create", { name: "x", from: "nowhere" }],
    ["checkout", { ref: "nowhere" }],
    ["graph_merge", { from: "side", into: "side" }],
  ] as const;
  const broken = [["macro_branch_note", { name: "x", content: "boom" }]] as const;

  test.each([
    ["refuses", refused],
    ["breaks", [...broken, ...refused]],
  ])("keep their writes as if they were alone, even if the store %s others", async (_does, bad) => {
    const [crowded, alone] = [await openWorkspace(), await openWorkspace()];
    for (const { dataDir } of [crowded, alone]) breakEntries(dataDir, "new.content = 'boom'");
    const mixed = good.flatMap((call, n) => [...bad.slice(n, n + 2), call]);
    const replies = await Promise.all(mixed.map(([name, args]) => crowded.client.reply(name, args)));
    for (const [n, call] of mixed.entries())
      expect([call[0], replies[n]?.kind]).toEqual([
        call[0],
        good.includes(call as never) ? "result" : "error",
      ]);
    for (const [name, args] of good) await alone.client.call(name, args);
    expect(crowded.snapshot()).toEqual(alone.snapshot());
  });
});

test("a merge of several transactions is complete and made once with an idempotencyKey", async () => {
  const client = createTestApp({ backend: "memory" }).modern();
  await client.call("init");
  await client.call("branch_create", { name: "side" });
  const ops = Array.from({ length: 1_200 }, (_, n) => node(`n${n}`));
  await client.call("graph_apply", { branch: "side", ops });
  const call = { from: "side", into: "main", idempotencyKey: "once" };
  expect(await client.call("graph_merge", call)).toMatchObject({ merged: 1_200, skipped: 0 });
  expect((await client.call("graph_validate", { branch: "main" })).stats).toEqual({ nodes: 1_200, edges: 0 });
  expect((await client.call("graph_merge", call)).merged).toBe(1_200);
});
