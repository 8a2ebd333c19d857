import { describe, expect, test } from "vitest";
import { createTestApp, startThinking } from "../../support/test-app.ts";

const card = { id: "CARD-H", type: "hypothesis", title: "The pool is too small" };

describe("a card is written once", () => {
  test("repeating it is no news, even after its status and pin changed", async () => {
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

test("an edge to a card that is not there yet appears once it is", async () => {
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

test("drafts are hidden unless they are asked for, and take no room", async () => {
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

test("a pack without room says that the call it proposes shows the cards", async () => {
  const client = createTestApp().modern();
  for (let n = 0; n < 20; n += 1)
    await client.call("think_card", { card: { type: "question", title: `Why ${n}? ${"so ".repeat(60)}` } });
  const { truncated, suggestions } = await client.call("context_pack", { max_chars: 2_000 });
  expect(truncated).toBe(true);
  expect(suggestions).toContainEqual(
    expect.objectContaining({
      operation: "think_query",
      reason: "The answer was shortened; this shows all cards, page by page.",
    }),
  );
});

test("publishing updates the one copy on every call; merging equals twice changes nothing", async () => {
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

test("a step without a task is left out, and said so", async () => {
  const client = createTestApp().modern();
  const { warnings } = await client.call("think_card", { card, step: "focus" });
  expect(warnings).toMatchObject([{ code: "STEP_CONTEXT_IGNORED" }]);
});

test("every call that the engine advises works as it stands", async () => {
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

test("a session in cipher becomes cards, once, and can be packed as it stands", async () => {
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
