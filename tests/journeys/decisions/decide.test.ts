import { describe, expect, test } from "vitest";
import { createTestApp, doors } from "../../support/test-app.ts";

const pool = {
  title: "Keep the pool in PostgreSQL",
  chosen: "PgBouncer in transaction mode",
  because: "No new service.\nRejected: this line is part of the reason.",
  rejected: [{ option: "Redis", why: "A second store to run" }, { option: "A bigger machine" }],
  files: ["./src/pool.ts:10-20", "docs/pool.md"],
  commit: "ABCDEF1234",
};

describe.each(doors)("a decision over %s", (backend) => {
  test("is one thought and one card, and shows what was rejected and why", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("thought", { thought: "Which pool?" });
    const made = await client.call("decide", { ...pool, sessionId });
    expect(made).toMatchObject({ recorded: true, thought: `${sessionId}:2`, sessionId, branch: "main" });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1 });
    expect(thoughts[0].thought).toContain(`Decision ${made.id}: Keep the pool in PostgreSQL`);
    const { decisions } = await client.call("decisions");
    expect(decisions).toEqual([
      expect.objectContaining({
        id: made.id,
        title: pool.title,
        state: "holds",
        chosen: pool.chosen,
        because: pool.because,
        rejected: pool.rejected,
        files: ["src/pool.ts:10-20", "docs/pool.md"],
        commit: "abcdef1234",
        thought: `${sessionId}:2`,
      }),
    ]);
    expect(await client.call("open", { id: made.id })).toMatchObject({ kind: "card" });
    expect(await client.call("open", { id: made.thought })).toMatchObject({ kind: "thought" });
  });

  test("made twice is recorded once, with or without a key", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("thought", { thought: "Which pool?" });
    const first = await client.call("decide", { ...pool, sessionId });
    const again = await client.call("decide", { ...pool, sessionId });
    expect(again).toMatchObject({ id: first.id, thought: first.thought, recorded: false });
    const keyed = { ...pool, title: "With a key", sessionId, idempotencyKey: "k1" };
    const one = await client.call("decide", keyed);
    const two = await client.call("decide", keyed);
    expect(two).toEqual(one);
    expect((await client.call("read_thoughts", { sessionId, last: 10 })).thoughts).toHaveLength(3);
    expect((await client.call("decisions")).decisions).toHaveLength(2);
  });

  test("made twice at the same time is recorded once", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("thought", { thought: "Which pool?" });
    const both = await Promise.all([1, 2, 3].map(() => client.call("decide", { ...pool, sessionId })));
    expect(both.filter(({ recorded }) => recorded)).toHaveLength(1);
    expect(new Set(both.map(({ thought }) => thought)).size).toBe(1);
    const next = await client.call("thought", { sessionId, thought: "Next" });
    expect(next.thoughtNumber).toBe(3);
  });

  test("that is reversed is marked, and so is everything that rests on it, directly or indirectly", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("thought", { thought: "Which pool?" });
    const old = await client.call("decide", { ...pool, sessionId });
    const resting = await client.call("decide", {
      title: "No prepared statements",
      chosen: "Simple queries",
      because: "PgBouncer cannot do them.",
      rests_on: old.id,
      sessionId,
    });
    await client.call("think_card", {
      card: { id: "T1", type: "test", title: "Queries are simple" },
    });
    await client.call("think_link", { from: resting.id, rel: "supports", to: "T1" });
    const reversal = await client.call("decide", {
      title: "The pool moves into the application",
      chosen: "pg-pool",
      because: "PgBouncer broke prepared statements.",
      reverses: old.id,
      sessionId,
    });
    expect(reversal).toMatchObject({ recorded: true, reversed: [old.id] });
    const { decisions } = await client.call("decisions");
    const states = Object.fromEntries(
      decisions.map(({ id, state }: { id: string; state: string }) => [id, state]),
    );
    expect(states).toEqual({ [old.id]: "reversed", [resting.id]: "in_doubt", [reversal.id]: "holds" });
    expect(decisions.find(({ id }: { id: string }) => id === resting.id)).toMatchObject({
      rests_on_reversed: [{ id: old.id, title: pool.title }],
    });
    expect(decisions.find(({ id }: { id: string }) => id === old.id)).toMatchObject({
      reversed_by: reversal.id,
      rejected: pool.rejected,
    });
    expect(await client.call("open", { id: resting.id })).toMatchObject({
      rests_on_reversed: [{ id: old.id }],
    });
    expect(await client.call("open", { id: "T1" })).toMatchObject({ rests_on_reversed: [{ id: old.id }] });
    const { signals } = await client.call("context_pack", { view: "audit" });
    const shown = signals.decisions.find(({ id }: { id: string }) => id === resting.id);
    expect(shown).toMatchObject({ rests_on_reversed: [old.id] });
    expect((await client.call("decisions", { state: "reversed" })).decisions).toHaveLength(1);
    const again = await client.call("decide", { ...pool, sessionId });
    expect(again).toMatchObject({ recorded: false });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1 });
    expect(thoughts[0]).toMatchObject({ revisesThought: 2 });
  });

  test("that another session reversed is recalled with its replacement and never above it", async () => {
    const client = createTestApp({ backend }).modern();
    const old = await client.call("decide", { ...pool, files: undefined });
    const { sessionId } = await client.call("start_new", { sessionTitle: "A year later" });
    const next = await client.call("decide", {
      title: "The pool moves into the application",
      chosen: "pg-pool",
      because: "PgBouncer broke prepared statements.",
      reverses: [old.id],
      sessionId,
    });
    const answer = await client.call("recall", { question: "where is the connection pool" });
    expect(answer.decisions).toMatchObject([{ id: next.id, was: `${old.id} ${pool.title}` }]);
    expect(answer.dead_ends).toMatchObject([
      { id: old.id, instead: `${next.id} The pool moves into the application` },
    ]);
    // The decision is stated once, so its session does not repeat it.
    expect(JSON.stringify(answer.decisions)).toContain("pg-pool");
    expect(JSON.stringify(answer.sessions)).not.toMatch(new RegExp(`pg-pool|${pool.chosen}`));
  });

  test("of a deleted session is not recalled, not even by name, until the session is restored", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("start_new", { sessionTitle: "Zebra" });
    const zebra = { title: "Zebra stripes are blue", chosen: "blue stripes", because: "Zebras like it." };
    const { id } = await client.call("decide", { ...zebra, sessionId });
    const { sessionId: other } = await client.call("start_new", { sessionTitle: "Later" });
    const green = { title: "Animals are green", chosen: "green", because: "Blue fades.", reverses: [id] };
    await client.call("decide", { ...green, sessionId: other });
    const ask = async () => {
      const { question, missing, ...told } = await client.call("recall", {
        question: "which animals are green or blue",
      });
      return JSON.stringify(told);
    };
    expect(await ask()).toContain("Zebra stripes are blue");
    await client.call("session.delete", { sessionId, confirm: true });
    const later = await ask();
    expect(later).toContain("Animals are green");
    expect(later).not.toMatch(/zebra|stripes/i);
    await client.call("session.restore", { sessionId });
    expect(await ask()).toContain("Zebra stripes are blue");
  });

  test("in another task can be reversed or used as a basis", async () => {
    const client = createTestApp({ backend }).modern();
    await client.call("tasks_create", { title: "Plan" });
    for (const title of ["One", "Two"]) await client.call("tasks_create", { parent: "PLAN-001", title });
    const one = await client.call("decide", { ...pool, target: "TASK-001" });
    expect(one).toMatchObject({ branch: "task/TASK-001", graph_doc: "TASK-001-graph" });
    const words = { chosen: "x", because: "y", sessionId: one.sessionId };
    const two = await client.call("decide", {
      ...words,
      title: "Rests",
      rests_on: [one.id],
      target: "TASK-002",
    });
    await client.call("decide", { ...words, title: "Back", reverses: [one.id], target: "TASK-002" });
    const { decisions } = await client.call("decisions", { file: "pool.ts" });
    expect(decisions).toMatchObject([{ id: one.id, state: "reversed", doc: "TASK-001-graph" }]);
    expect((await client.call("decisions", { state: "in_doubt" })).decisions).toMatchObject([
      { id: two.id, rests_on_reversed: [{ id: one.id }] },
    ]);
  });

  test("can be found by its words and by time", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId, id } = await client.call("decide", pool);
    await client.call("decide", { title: "Tabs", chosen: "Spaces", because: "Habit.", sessionId });
    expect((await client.call("decisions", { question: "why no redis" })).decisions).toMatchObject([{ id }]);
    const stores = { title: "Two stores", chosen: "both", because: "One caches entries.", sessionId };
    const two = await client.call("decide", stores);
    const found = async (question: string) =>
      (await client.call("decisions", { question })).decisions.map((one: { id: string }) => one.id);
    expect(await found("store")).toContain(two.id);
    expect(await found("caching an entry")).toEqual([two.id]);
    expect((await client.call("decisions", { question: "kubernetes" })).decisions).toEqual([]);
    const all = (await client.call("decisions")).decisions;
    expect((await client.call("decisions", { since: String(all[1].last_seq) })).decisions).toHaveLength(1);
    expect((await client.call("decisions", { limit: 1 })).pagination).toMatchObject({ has_more: true });
  });

  test("accepts plain text or JSON text for rejected options and files", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("decide", {
      title: "Texts",
      chosen: "a",
      because: "b",
      rejected: "Redis: loses data",
      files: '[{"path":"src/a.ts","lines":"1-2"}]',
    });
    await client.call("decide", {
      title: "JSON",
      chosen: "a",
      because: "b",
      rejected: '["Redis", "Kafka because it is heavy"]',
      files: "src/b.ts",
      sessionId,
    });
    const { decisions } = await client.call("decisions");
    expect(decisions).toMatchObject([
      { rejected: [{ option: "Redis" }, { option: "Kafka", why: "it is heavy" }], files: ["src/b.ts"] },
      { rejected: [{ option: "Redis", why: "loses data" }], files: ["src/a.ts:1-2"] },
    ]);
  });

  test("that cannot be stored completely leaves neither a thought nor a card", async () => {
    const client = createTestApp({ backend }).modern();
    const { sessionId } = await client.call("thought", { thought: "Which pool?" });
    await client.refusal("decide", { ...pool, sessionId, reverses: ["DEC-0000000000"] });
    await client.refusal("decide", { ...pool, sessionId, branch: "nowhere" });
    const next = await client.call("thought", { sessionId, thought: "Next" });
    expect(next.thoughtNumber).toBe(2);
    expect((await client.call("decisions")).decisions).toEqual([]);
  });
});
