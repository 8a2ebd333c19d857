import { describe, expect, test } from "vitest";
import { createTestApp, type TestClient } from "../../support/test-app.ts";

async function withTask() {
  const client = createTestApp().modern();
  await client.call("tasks_create", { title: "Logins below 200 ms" });
  await client.call("tasks_create", {
    parent: "PLAN-001",
    title: "Find what holds the connections",
    steps: [{ title: "Measure", success_criteria: ["a number per host"] }, { title: "Decide" }],
  });
  await client.call("tasks_focus_set", { target: "TASK-001" });
  return client;
}

type Json = Record<string, any>;

/** Returns every item on the pages of one block, in order. */
async function followBlock(
  client: TestClient,
  args: Json,
  [cursorField, page, items]: [string, (answer: Json) => Json, (answer: Json) => unknown[]],
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: unknown; ; ) {
    const answer = await client.call("tasks_resume_super", { ...args, [cursorField]: cursor });
    found.push(...items(answer));
    const { has_more, next_cursor, count } = page(answer);
    expect(count).toBe(items(answer).length);
    expect(next_cursor !== undefined).toBe(has_more);
    if (!has_more) return found;
    cursor = next_cursor;
  }
}

describe("tasks_resume_super continues page by page", () => {
  test("through notes and trace from new to old, and through cards by relevance", async () => {
    const client = await withTask();
    for (let n = 0; n < 7; n += 1) await client.call("notes_commit", { content: `note ${n}` });
    for (let n = 0; n < 23; n += 1) await client.call("think_add_evidence", { card: `seen ${n}` });
    for (let n = 0; n < 3; n += 1) await client.call("think_add_hypothesis", { card: `guess ${n}` });
    await client.call("think_pin", { targets: ["CARD-2"] });
    const notes = await followBlock(client, { notes_limit: 3 }, [
      "notes_cursor",
      ({ notes }) => notes.pagination,
      ({ notes }) => notes.entries.map(({ content }: Json) => content).reverse(),
    ]);
    expect(notes).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `note ${n}`));
    const trace = await followBlock(client, { trace_limit: 5 }, [
      "trace_cursor",
      ({ trace }) => trace.pagination,
      ({ trace }) => trace.entries.map(({ seq }: Json) => seq).reverse(),
    ]);
    const { entries } = await client.call("show", { doc_kind: "trace", limit: 200 });
    expect(trace).toEqual(entries.map(({ seq }: Json) => seq).reverse());
    const cards = await followBlock(client, { cards_limit: 4 }, [
      "cards_cursor",
      ({ pagination }) => pagination,
      ({ cards }) => cards.map(({ id }: Json) => id),
    ]);
    expect(cards).toHaveLength(26);
    expect(new Set(cards).size).toBe(26);
    expect(cards.slice(0, 4)).toEqual(["CARD-2", "CARD-26", "CARD-25", "CARD-24"]);
  });

  test("a card that is added between two pages does not shift the others, whether pinned or not", async () => {
    const client = await withTask();
    for (let n = 0; n < 9; n += 1) await client.call("think_add_evidence", { card: `seen ${n}` });
    await client.call("think_pin", { targets: ["CARD-2", "CARD-4"] });
    const all = (await client.call("tasks_resume_super", {})).cards.map(({ id }: Json) => id);
    for (const cards_limit of [1, 3]) {
      const found: string[] = [];
      for (let cards_cursor: unknown; ; ) {
        const { cards, pagination } = await client.call("tasks_resume_super", { cards_limit, cards_cursor });
        found.push(...cards.map(({ id }: Json) => id));
        if (!pagination.has_more) break;
        cards_cursor = pagination.next_cursor;
        await client.call("think_add_evidence", { card: "seen meanwhile" });
      }
      expect(found.filter((id) => all.includes(id))).toEqual(all);
      expect(new Set(found).size).toBe(found.length);
    }
  });

  test("if the last card of a page has changed since, the next page continues with older cards", async () => {
    const client = await withTask();
    for (let n = 0; n < 6; n += 1) await client.call("think_add_evidence", { card: `seen ${n}` });
    const { cards, pagination } = await client.call("tasks_resume_super", { cards_limit: 3 });
    expect(cards.map(({ id }: Json) => id)).toEqual(["CARD-6", "CARD-5", "CARD-4"]);
    await client.call("think_pin", { targets: ["CARD-4"] });
    const next = { cards_limit: 9, cards_cursor: pagination.next_cursor };
    const rest = (await client.call("tasks_resume_super", next)).cards;
    expect(rest.map(({ id }: Json) => id)).toEqual(["CARD-3", "CARD-2", "CARD-1"]);
  });

  test("if a budget cuts the cards, the suggested call continues after the last one shown", async () => {
    const client = await withTask();
    for (let n = 0; n < 20; n += 1)
      await client.call("think_add_evidence", { card: { title: `seen ${n}`, text: "x".repeat(300) } });
    const found: string[] = [];
    let args: Json = { target: "TASK-001", max_chars: 6_000 };
    for (let calls = 0; calls < 30; calls += 1) {
      const answer: Json = await client.call("tasks_resume_super", args);
      found.push(...answer["cards"].map(({ id }: Json) => id));
      const next = answer["suggestions"]?.find(({ operation }: Json) => operation === "tasks_resume_super");
      if (!answer["pagination"].has_more) break;
      expect(next.args.cards_cursor).toBe(answer["pagination"].next_cursor);
      args = next.args;
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(20);
  });
});

test("a card that the signals show in full is only named among the cards", async () => {
  const client = await withTask();
  const card = (title: string) => ({ card: { title, text: `the text of ${title}`, tags: ["t"] } });
  await client.call("think_add_decision", card("keep the pool"));
  await client.call("think_add_hypothesis", card("the pool leaks"));
  const { cards, signals } = await client.call("tasks_resume_super", {});
  expect(signals.decisions).toMatchObject([{ id: "CARD-1", text: "the text of keep the pool" }]);
  expect(cards).toEqual([
    expect.objectContaining({ id: "CARD-2", text: "the text of the pool leaks" }),
    { id: "CARD-1", type: "decision", title: "keep the pool", status: "open", last_seq: expect.any(Number) },
  ]);
  expect((await client.call("tasks_resume_super", { decisions_limit: 0 })).cards).toMatchObject([
    { id: "CARD-2" },
    { id: "CARD-1", text: "the text of keep the pool" },
  ]);
});

test("graph_diff shows how the checkout differs from the graph of the task, page by page", async () => {
  const client = await withTask();
  for (const id of ["CARD-A", "CARD-B", "CARD-C"])
    await client.call("think_card", { card: { id, type: "hypothesis", title: id } });
  expect((await client.call("tasks_resume_super", {})).graph_diff).toBeUndefined();
  await client.call("branch_create", { name: "try", from: "task/TASK-001" });
  const node = { op: "node_upsert", type: "hypothesis", status: "rejected" };
  await client.call("graph_apply", {
    ...{ branch: "try", doc: "TASK-001-graph" },
    ops: ["CARD-A", "CARD-B"].map((id) => ({ ...node, id })),
  });
  await client.call("checkout", { ref: "try" });
  const asked = { target: "TASK-001", graph_diff: true, graph_diff_limit: 1 };
  const { graph_diff } = await client.call("tasks_resume_super", asked);
  expect(graph_diff).toMatchObject({
    ...{ from: "task/TASK-001", to: "try", doc: "TASK-001-graph" },
    changes: [{ kind: "node", id: "CARD-B", to: { status: "rejected" } }],
    pagination: { has_more: true },
  });
  const next = { graph_diff_cursor: graph_diff.pagination.next_cursor };
  expect((await client.call("tasks_resume_super", { ...asked, ...next })).graph_diff).toMatchObject({
    changes: [{ id: "CARD-A" }],
    pagination: { has_more: false, count: 1 },
  });
  await client.call("checkout", { ref: "main" });
  expect((await client.call("tasks_resume_super", asked)).graph_diff.changes).toEqual([]);
});

test("graph_diff continues after the last change shown, even if a budget cuts the changes", async () => {
  const client = await withTask();
  const ids = Array.from({ length: 12 }, (_, n) => `CARD-N${n}`);
  await client.call("branch_create", { name: "try", from: "task/TASK-001" });
  await client.call("graph_apply", {
    ...{ branch: "try", doc: "TASK-001-graph" },
    ops: ids.map((id) => ({ op: "node_upsert", type: "hypothesis", id, title: id, text: "x".repeat(300) })),
  });
  await client.call("checkout", { ref: "try" });
  const asked = { target: "TASK-001", graph_diff: true, max_chars: 5_000 };
  const whole = await client.call("tasks_resume_super", { ...asked, max_chars: 75_000 });
  expect(whole.graph_diff.pagination).toMatchObject({ has_more: false, count: 12 });
  const found = await followBlock(client, asked, [
    "graph_diff_cursor",
    ({ graph_diff }) => graph_diff.pagination,
    ({ graph_diff }) => graph_diff.changes.map(({ id }: Json) => id),
  ]);
  expect(found).toEqual(ids.toReversed());
});

test("under a budget, tasks_resume_super reports how much of each kind it left out and keeps the capsule", async () => {
  const client = await withTask();
  for (let n = 0; n < 12; n += 1)
    await client.call("think_add_hypothesis", { card: { title: `guess ${n}`, text: "y".repeat(200) } });
  for (let n = 0; n < 5; n += 1) await client.call("notes_commit", { content: "z".repeat(100) });
  const whole = await client.call("tasks_resume_super", { max_chars: 75_000 });
  expect(whole.degradation).toEqual({ left_out: {}, shortened: 0 });
  const lists: Record<string, (answer: Json) => unknown[] | undefined> = {
    cards: ({ cards }) => cards,
    notes: ({ notes }) => notes?.entries,
    trace: ({ trace }) => trace?.entries,
    events: ({ events }) => events,
  };
  const seen = new Set<string>();
  for (let max_chars = 20_000; max_chars >= 300; max_chars = Math.floor(max_chars * 0.85)) {
    const answer = await client.call("tasks_resume_super", { max_chars });
    const { capsule, degradation, budget } = answer;
    expect(budget.used_chars).toBeLessThanOrEqual(max_chars);
    expect(capsule).toMatchObject({ where: { target: "TASK-001" }, next: { title: expect.any(String) } });
    if (!degradation) continue;
    for (const [kind, items] of Object.entries(lists)) {
      const lost = degradation.left_out[kind] ?? 0;
      expect((items(answer)?.length ?? 0) + lost, `${kind} at ${max_chars}`).toBe(items(whole)?.length);
      if (max_chars >= 2_000) expect(items(answer)?.length, `${kind} at ${max_chars}`).toBeGreaterThan(0);
      if (lost > 0) seen.add(kind);
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(lists).sort());
});

describe("evidence is stale", () => {
  const day = 86_400_000;

  test.each(["think_watch", "think_pack", "context_pack", "tasks_resume_super"])(
    "in %s after stale_after_days, 30 by default, counted up to the newest card",
    async (view) => {
      const clock = { now: Date.UTC(2026, 0, 1) };
      const client = createTestApp({ clock: () => new Date(clock.now) }).modern();
      await client.call("tasks_create", { title: "A plan" });
      await client.call("tasks_focus_set", { target: "PLAN-001" });
      await client.call("think_card", { card: { id: "CARD-T", type: "test", text: "CMD: make check" } });
      await client.call("think_add_evidence", { card: "all green", supports: ["CARD-T"] });
      clock.now += 20 * day;
      await client.call("think_add_question", { card: "Still so?" });
      const codes = async (args: Json) =>
        (await client.call(view, { engine_signals_limit: 20, ...args })).engine.signals.map(
          ({ code }: Json) => code,
        );
      expect(await codes({})).toContain("BM5_RUNNABLE_TESTS_FRESH");
      expect(await codes({ stale_after_days: 19 })).toContain("BM8_EVIDENCE_STALE");
      expect(await codes({ stale_after_days: 20 })).toContain("BM5_RUNNABLE_TESTS_FRESH");
      clock.now += 365 * day;
      expect(await codes({}), "the reader's clock does not matter").toContain("BM5_RUNNABLE_TESTS_FRESH");
    },
  );
});
