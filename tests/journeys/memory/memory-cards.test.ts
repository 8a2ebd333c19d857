import { describe, expect, test } from "vitest";
import { createTestApp, startThinking } from "../../support/test-app.ts";

const card = { id: "CARD-H", type: "hypothesis", title: "The pool is too small" };

describe("a card is written once", () => {
  test("repeating it changes nothing, even after its status and pin changed", async () => {
    const client = createTestApp().modern();
    const { trace_seq } = await client.call("think_card", { card });
    await client.call("think_set_status", { targets: ["CARD-H"], status: "rejected" });
    await client.call("think_pin", { targets: ["CARD-H"] });
    expect(await client.call("think_card", { card })).toMatchObject({ inserted: false, trace_seq });
    const { cards } = await client.call("think_query", { ids: ["CARD-H"] });
    expect(cards).toMatchObject([{ status: "rejected", tags: ["pinned", "v:canon"] }]);
  });

  test("the same id with another payload is a conflict", async () => {
    const client = createTestApp().modern();
    await client.call("think_card", { card });
    expect(await client.refusal("think_card", { card: { ...card, title: "Another" } })).toMatchObject({
      code: "CONFLICT",
    });
  });
});

test.each([
  ["id", "CARD-H"],
  ["ids", ["CARD-H"]],
  ["card_id", "CARD-H"],
])("the status and pin of a card can also be set with %s", async (field, value) => {
  const client = createTestApp().modern();
  await client.call("think_card", { card });
  await client.call("think_set_status", { [field]: value, status: "rejected" });
  await client.call("think_pin", { [field]: value });
  const { cards } = await client.call("think_query", { ids: ["CARD-H"] });
  expect(cards).toMatchObject([{ status: "rejected", tags: expect.arrayContaining(["pinned"]) }]);
});

test("an edge to a missing card appears once the card exists", async () => {
  const client = createTestApp().modern();
  const { warnings } = await client.call("think_card", { card, supports: ["CARD-Q"] });
  expect(warnings).toMatchObject([{ code: "EDGE_TARGET_MISSING" }]);
  expect((await client.call("graph_query", {})).edges).toEqual([]);
  await client.call("think_card", { card: { id: "CARD-Q", type: "question", title: "Why?" } });
  expect((await client.call("graph_query", {})).edges).toMatchObject([{ from: "CARD-H", to: "CARD-Q" }]);
});

test("a pipeline leaves nothing behind when a later stage fails", async () => {
  const client = createTestApp().modern();
  await client.call("think_card", { card });
  await client.refusal("think_pipeline", { frame: "f", hypothesis: { ...card, title: "Another" } });
  expect((await client.call("think_query", { include_drafts: true })).cards).toHaveLength(1);
  expect((await client.call("show", {})).entries).toHaveLength(1);
});

test("drafts are hidden by default and do not count towards the limit", async () => {
  const client = createTestApp().modern();
  await client.call("think_card", { card });
  for (let n = 0; n < 5; n += 1) await client.call("think_add_note", { card: `note ${n}` });
  expect((await client.call("think_query", { limit: 1 })).cards).toMatchObject([{ id: "CARD-H" }]);
  expect((await client.call("think_context", { view: "audit" })).cards).toHaveLength(6);
});

test("a draft that is named by its id is shown, unless drafts are declined", async () => {
  const client = createTestApp().modern();
  const { card_id } = await client.call("think_card", { card: "just a text" });
  const ids = [card_id];
  expect((await client.call("think_query", {})).cards).toEqual([]);
  expect((await client.call("think_query", { ids })).cards).toMatchObject([{ id: card_id, type: "note" }]);
  expect((await client.call("think_query", { ids, include_drafts: false })).cards).toEqual([]);
});

test("a pack without room for its cards suggests a call that shows them all", async () => {
  const client = createTestApp().modern();
  for (let n = 0; n < 20; n += 1)
    await client.call("think_card", { card: { type: "question", title: `Why ${n}? ${"so ".repeat(60)}` } });
  const { truncated, suggestions } = await client.call("context_pack", { max_chars: 2_000 });
  expect(truncated).toBe(true);
  expect(suggestions).toContainEqual(
    expect.objectContaining({
      operation: "think_query",
      reason: "This call shows all cards, page by page.",
    }),
  );
});

test("publishing again updates the same copy, and merging equal cards again changes nothing", async () => {
  const client = createTestApp().modern();
  await client.call("think_card", { card });
  expect(await client.call("think_publish", { card_id: "CARD-H" })).toMatchObject({ created: true });
  await client.call("think_set_status", { targets: ["CARD-H"], status: "accepted" });
  expect(await client.call("think_publish", { card_id: "CARD-H" })).toMatchObject({
    created: false,
    updated: true,
  });
  await client.call("think_add_question", { card: "Why?" });
  await client.call("think_add_question", { card: "why? " });
  expect(await client.call("think_nominal_merge", {})).toMatchObject({ merged: 1 });
  expect(await client.call("think_nominal_merge", {})).toMatchObject({ merged: 0 });
});

test("a step without a task is ignored with a warning", async () => {
  const client = createTestApp().modern();
  const { warnings } = await client.call("think_card", { card, step: "focus" });
  expect(warnings).toMatchObject([{ code: "STEP_CONTEXT_IGNORED" }]);
});

test("every call that the engine proposes works unchanged", async () => {
  const client = createTestApp().modern();
  await client.call("think_card", { card });
  await client.call("think_add_decision", {
    card: { title: "Redis vs Postgres", tags: ["v:draft", "pinned"] },
  });
  await client.call("think_add_test", { card: "CMD: make check", supports: ["CARD-H"] });
  const { engine } = await client.call("think_watch", {
    view: "audit",
    engine_signals_limit: 20,
    engine_actions_limit: 20,
  });
  const calls = engine.actions.flatMap(({ calls = [] }: { calls?: unknown[] }) => calls);
  expect(calls.length).toBeGreaterThan(2);
  for (const { operation, args } of calls) await client.call(operation, args);
});

test("a session in cipher can be packed, and importing it creates each card once", async () => {
  const client = createTestApp().modern();
  const sessionId = await startThinking(client);
  for (const thought of ["S1|H|The pool is too small", "S2|E|S1|40 of 40 taken", "S3|C|S2|Pool of 80"])
    await client.call("thought", { sessionId, thought });
  const pack = await client.call("context_pack", { target: sessionId });
  expect(pack.signals).toMatchObject({
    decisions: [{ title: "Pool of 80" }],
    evidence: [{ title: "40 of 40 taken" }],
  });
  expect(await client.call("think_import", { sessionId })).toMatchObject({ cards: 3, inserted: 3, edges: 2 });
  expect(await client.call("think_import", { sessionId })).toMatchObject({ inserted: 0, edges: 0 });
  await client.call("thought", { sessionId, thought: "S4|X|S1|It never filled up" });
  expect(await client.call("think_import", { sessionId })).toMatchObject({ inserted: 1, updated: 1 });
});

test("a card with both v:draft and v:canon is canon", async () => {
  const client = createTestApp().modern();
  const card = { id: "CARD-D", type: "note", title: "Both", tags: ["v:draft", "v:canon"] };
  await client.call("think_card", { card });
  expect((await client.call("open", { id: "CARD-D" })).card.tags).toEqual(["v:canon"]);
  expect(await client.call("think_card", { card })).toMatchObject({ inserted: false });
  const { cards } = await client.call("think_query", { tags_any: ["v:draft"], include_drafts: true });
  expect(cards).toEqual([]);
});

test("the capsule of a pack with all lanes reports that", async () => {
  const client = createTestApp().modern();
  await client.call("think_card", { card: { type: "note", title: "Mine", tags: ["lane:agent:ada"] } });
  for (const operation of ["think_watch", "think_pack"]) {
    expect((await client.call(operation, {})).capsule.where.lane, operation).toBe("shared");
    for (const all of [{ all_lanes: true }, { include_drafts: true }])
      expect((await client.call(operation, all)).capsule.where.lane, operation).toBe("all");
  }
});

test("closing a subgoal twice changes nothing", async () => {
  const client = createTestApp().modern();
  await client.call("think_card", { card: { id: "CARD-Q", type: "question", title: "Why?" } });
  await client.call("think_subgoal_open", { question_id: "CARD-Q" });
  const close = (return_card?: string) =>
    client.call("think_subgoal_close", {
      subgoal_id: "CARD-SUB-CARD-Q",
      ...(return_card && { return_card }),
    });
  const answer = "type: evidence\ntitle: The batch job holds them";
  const first = await close(answer);
  expect(first).toMatchObject({ changed: ["CARD-SUB-CARD-Q", "CARD-Q"] });
  const before = await client.call("graph_query", { include_deleted: true });
  expect(await close(answer)).toMatchObject({ changed: [], card_id: first.card_id });
  expect(await close()).toMatchObject({ changed: [] });
  expect(await close("type: evidence\ntitle: Something else")).toMatchObject({ changed: [] });
  expect(await client.call("graph_query", { include_deleted: true })).toEqual(before);
  expect((await client.call("open", { id: "CARD-Q" })).card).toMatchObject({ status: "answered" });
});
