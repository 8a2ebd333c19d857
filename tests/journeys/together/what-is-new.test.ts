import { describe, expect, test } from "vitest";
import { backends, createTestApp, fewWays } from "../../support/test-app.ts";

type Line = { id: string; decided?: string[]; note?: string };
const ids = (lines: readonly { id: string }[] = []) => lines.map(({ id }) => id);

describe.each(fewWays)("a pack with since: a %s client over %s", (era, backend) => {
  async function planWithTasks() {
    const client = createTestApp({ backend })[era]();
    await client.call("tasks_create", { title: "Logins below 200 ms", description: "Users leave." });
    for (const title of ["Find the slow query", "Cache the reads", "Tell the users"])
      await client.call("tasks_create", { parent: "PLAN-001", title, steps: ["Look"] });
    await client.call("think_card", { target: "TASK-001", type: "decision", title: "Log the queries" });
    await client.call("notes_commit", { target: "TASK-001", content: "The log is noisy." });
    return client;
  }

  test("contains only the later changes of a plan, and returns the next since", async () => {
    const client = await planWithTasks();
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    const nothing = await client.call("context_pack", { target: "PLAN-001", since: String(since) });
    expect(nothing.board).toMatchObject({ progress: "0 of 3 tasks done", tasks: [] });
    expect(nothing.since).toBe(since);

    await client.call("think_card", { target: "TASK-002", type: "decision", title: "Cache for 60 s" });
    const pack = await client.call("context_pack", { target: "PLAN-001", since: String(nothing.since) });
    expect(ids(pack.board.tasks)).toEqual(["TASK-002"]);
    expect((pack.board.tasks as Line[])[0]?.decided?.[0]).toContain("Cache for 60 s");
    expect(JSON.stringify(pack)).not.toContain("Log the queries");
    expect(pack.since).toBeGreaterThan(since);
    const whole = await client.call("context_pack", { target: "PLAN-001" });
    expect(ids(whole.board.tasks)).toHaveLength(3);
    expect(whole).not.toHaveProperty("since");
  });

  test("contains only the later notes and cards of a task, in tasks_resume_super too", async () => {
    const client = await planWithTasks();
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    await client.call("notes_commit", { target: "TASK-001", content: "It is quiet now." });
    for (const name of ["context_pack", "tasks_resume_super"]) {
      const pack = await client.call(name, { target: "TASK-001", since: String(since) });
      expect(pack.notes.entries).toMatchObject([{ content: "It is quiet now." }]);
      expect(pack.notes.pagination).toMatchObject({ has_more: false, count: 1 });
      expect(JSON.stringify(pack.signals.decisions ?? [])).toBe("[]");
      const all = await client.call(name, { target: "TASK-001", since: "2020-01-01" });
      expect(all.notes.entries).toHaveLength(2);
    }
    expect((await client.refusal("context_pack", { since: "yesterday-ish" })).code).toBe("INVALID_PAYLOAD");
  });

  test("offers another page of cards only while newer ones follow", async () => {
    const client = await planWithTasks();
    const guess = (title: string) =>
      client.call("think_card", { target: "TASK-001", type: "evidence", title });
    for (let n = 0; n < 4; n += 1) await guess(`old ${n}`);
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    const asked = { target: "TASK-001", since: String(since), cards_limit: 2 };
    const nothing = await client.call("tasks_resume_super", asked);
    expect(nothing.cards).toEqual([]);
    expect(nothing.pagination).toMatchObject({ has_more: false, count: 0 });
    for (let n = 0; n < 3; n += 1) await guess(`new ${n}`);
    const first = await client.call("tasks_resume_super", asked);
    expect(first.pagination).toMatchObject({ has_more: true, count: 2 });
    const next = { ...asked, cards_cursor: first.pagination.next_cursor };
    const rest = await client.call("tasks_resume_super", next);
    expect(rest.pagination).toMatchObject({ has_more: false, count: 1 });
    const titles = [...first.cards, ...rest.cards].map(({ title }: { title: string }) => title);
    expect(titles).toEqual(["new 2", "new 1", "new 0"]);
  });

  test("contains the latest session of the ledger only if it has later thoughts", async () => {
    const client = await planWithTasks();
    const { sessionId } = await client.call("thought", { thought: "S1|O|The build takes nine minutes" });
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    expect(await client.call("context_pack", { since: String(since) })).not.toHaveProperty("session");
    await client.call("thought", { sessionId, thought: "S2|O|Eight of them in the linker" });
    const { session } = await client.call("context_pack", { since: String(since) });
    expect(session.thoughts).toEqual([expect.stringContaining("Eight of them")]);
  });
});

test.each(backends)(
  "on %s, an edge is merged only after the conflict about its card is resolved",
  async (backend) => {
    const client = createTestApp({ backend }).modern();
    const node = (id: string, title: string) => ({ op: "node_upsert", id, type: "decision", title });
    await client.call("graph_apply", { ops: [node("d1", "Pool of 80"), node("e1", "Forty were taken")] });
    await client.call("branch_create", { name: "try" });
    await client.call("graph_apply", {
      branch: "try",
      ops: [node("d1", "Pool of 90"), { op: "edge_upsert", from: "e1", rel: "supports", to: "d1" }],
    });
    await client.call("graph_apply", { ops: [node("d1", "Pool of 100")] });
    const merge = () => client.call("graph_merge", { from: "try", into: "main" });
    const edges = async () => (await client.call("graph_query", { branch: "main" })).edges.length;
    const merged = await merge();
    expect(merged).toMatchObject({ merged: 0, conflicts_created: 1 });
    expect(await edges()).toBe(0);
    const { conflicts } = await client.call("graph_conflicts", { into: "main" });
    await client.call("graph_conflict_resolve", {
      conflict_id: conflicts[0].conflict_id,
      resolution: "use_from",
    });
    expect(await merge()).toMatchObject({ merged: 1, conflicts_created: 0 });
    expect(await edges()).toBe(1);
  },
);

test("a pack shows how old its cards, notes and decisions are", async () => {
  const day = 24 * 60 * 60 * 1000;
  let now = Date.parse("2026-11-10T09:00:00Z");
  const client = createTestApp({ backend: "fs", clock: () => new Date(now) }).modern();
  await client.call("tasks_create", { title: "Builds", steps: ["Look"] });
  await client.call("think_card", { target: "TASK-001", type: "decision", title: "Use mold" });
  await client.call("notes_commit", { target: "TASK-001", content: "The linker is slow." });
  now += 3 * day;
  const pack = await client.call("context_pack", { target: "TASK-001" });
  expect(pack.notes.entries).toMatchObject([{ age: "3 d ago" }]);
  expect(pack.signals.decisions).toMatchObject([{ age: "3 d ago", at: "2026-11-10T09:00Z" }]);
  const plan = await client.call("context_pack", { target: "PLAN-001" });
  expect(plan.board.tasks[0].decided[0]).toContain("(3 d ago)");
});

test("load_context cuts long thoughts before it leaves any out, and reports that", async () => {
  const client = createTestApp().modern();
  const { sessionId } = await client.call("thought", { thought: "The first" });
  for (const letter of "abcde") await client.call("thought", { sessionId, thought: letter.repeat(9_000) });
  const restored = await client.call("load_context", { sessionId });
  expect(JSON.stringify(restored).length).toBeLessThan(17_000);
  expect(restored.lastThoughts).toHaveLength(5);
  expect(restored).toMatchObject({ truncated: true, degradation: { shortened: 5 } });
  const [{ operation, args }] = restored.suggestions;
  expect((await client.call(operation, args)).entries.length).toBeGreaterThan(0);
});
