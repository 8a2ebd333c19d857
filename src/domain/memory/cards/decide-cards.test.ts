import { describe, expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import { edgeKey } from "../graph.ts";
import { type CardFacts, type CardRequest, cardSource, decideCards } from "./decide-cards.ts";
import { readPipeline } from "./pipeline.ts";
import { readCard } from "./read-card.ts";

const nothing: CardFacts = { nodes: new Map(), written: new Map(), edges: new Set(), nextCard: 1 };
const request = (...cards: CardRequest["cards"]): CardRequest => ({ workspace: "w", cards });

/** Returns the facts in a store after the decision is applied. */
function carryOut(facts: CardFacts, asked: CardRequest): CardFacts {
  const { writes, nextCard } = decideCards(facts, asked);
  const [nodes, written, edges] = [new Map(facts.nodes), new Map(facts.written), new Set(facts.edges)];
  let seq = written.size * 10;
  for (const { entry, states } of writes) {
    seq += 10;
    if (entry)
      written.set(entry.source.slice(cardSource("").length), {
        seq,
        fingerprint: String(entry.entry.meta?.["fingerprint"]),
      });
    for (const state of states)
      if (state.kind === "edge") edges.add(edgeKey(state));
      else nodes.set(state.id, { ...state, status: state.status ?? "open", tags: state.tags ?? [] });
  }
  return { nodes, written, edges, nextCard };
}

test("numbers a card without an ID, and skips a number that was chosen", () => {
  const { outcomes, nextCard } = decideCards(
    nothing,
    request(readCard("one"), readCard({ id: "CARD-2", title: "chosen" }), readCard("three")),
  );
  expect(outcomes.map(({ card_id }) => card_id)).toEqual(["CARD-1", "CARD-2", "CARD-3"]);
  expect(nextCard).toBe(4);
});

describe("visibility", () => {
  test.each([
    ["decision", "v:canon"],
    ["evidence", "v:canon"],
    ["test", "v:canon"],
    ["hypothesis", "v:canon"],
    ["question", "v:canon"],
    ["update", "v:canon"],
    ["note", "v:draft"],
    ["frame", "v:draft"],
  ])("a %s is %s by default", (type, tag) => {
    const [write] = decideCards(nothing, request(readCard({ type, title: "x" }))).writes;
    expect(write?.states[0]).toMatchObject({ tags: [tag] });
  });

  test("the card's own values take precedence", () => {
    const [write] = decideCards(
      nothing,
      request(readCard({ type: "decision", title: "x", tags: ["v:draft"] })),
    ).writes;
    expect(write?.states[0]).toMatchObject({ tags: ["v:draft"] });
  });
});

test("adds the tag and place of a step to the card and the trace", () => {
  const step = { task_id: "TASK-001", step_id: "STEP-0000000A", path: "s:0" };
  const [write] = decideCards(nothing, { ...request(readCard({ title: "x", type: "test" })), step }).writes;
  expect(write?.states[0]).toMatchObject({ tags: ["step:step-0000000a", "v:canon"], meta: { step } });
  expect(write?.entry?.entry.meta).toMatchObject({ step });
});

describe("writing a card twice", () => {
  const card = readCard({ id: "CARD-H", type: "hypothesis", title: "x", supports: ["CARD-Q"] });
  const after = carryOut(nothing, request(card));

  test("writes nothing the second time", () => {
    const { writes, outcomes } = decideCards(after, request(card));
    expect(writes).toEqual([{ states: [] }]);
    expect(outcomes[0]).toMatchObject({ inserted: false, trace_seq: 10, edges_upserted: 0 });
  });

  test("writes nothing even if its status and pin have changed", () => {
    const node = after.nodes.get("CARD-H");
    const nodes = new Map(after.nodes);
    if (node) nodes.set("CARD-H", { ...node, status: "closed", tags: [...(node.tags ?? []), "pinned"] });
    expect(decideCards({ ...after, nodes }, request(card)).writes).toEqual([{ states: [] }]);
  });

  test.each([
    ["title", { title: "y" }],
    ["status", { status: "closed" }],
    ["tags", { tags: ["a"] }],
    ["edges", { supports: [] }],
  ])("is a conflict if its %s changed", (_field, change) => {
    expect(() => decideCards(after, request({ ...card, ...change }))).toThrow(/card_taken/);
  });

  test("accepts a node without a trace as the same card only if its content is the same", () => {
    const facts = { ...after, written: new Map() };
    expect(decideCards(facts, request(card)).outcomes[0]).toMatchObject({ inserted: false });
    expect(() => decideCards(facts, request({ ...card, title: "y" }))).toThrow(/card_taken/);
  });

  test("writes a deleted card again", () => {
    const { outcomes } = decideCards({ ...after, nodes: new Map() }, request(card));
    expect(outcomes[0]).toMatchObject({ inserted: true, nodes_upserted: 1, edges_upserted: 1 });
  });
});

test("keeps edges to missing cards and reports them", () => {
  const { outcomes } = decideCards(nothing, request(readCard({ title: "x", supports: ["CARD-99"] })));
  expect(outcomes[0]).toMatchObject({ edges_upserted: 1, missing: ["CARD-99"] });
});

test("refuses a card that blocks itself", () => {
  expect(() => decideCards(nothing, request(readCard({ id: "A", title: "x", blocks: ["A"] })))).toThrow(
    /cannot support or block itself/,
  );
});

test("connects each stage of a pipeline to the previous one that exists", () => {
  const cards = readPipeline({ frame: "f", test: "t", decision: "d", status: { decision: "Accepted" } });
  const { writes } = decideCards(nothing, request(...cards));
  const edges = writes.flatMap(({ states }) => states.filter(({ kind }) => kind === "edge"));
  expect(edges).toMatchObject([
    { from: "CARD-2", rel: "supports", to: "CARD-1" },
    { from: "CARD-3", rel: "supports", to: "CARD-2" },
  ]);
  expect(writes.at(-1)?.states[0]).toMatchObject({ type: "decision", status: "accepted" });
});

test.each([
  [{}],
  [{ frame: "f", status: { decision: "accepted" } }],
  [{ frame: "f", status: { frame: "" } }],
])("refuses a pipeline without a stage or with the status of a missing one: %o", (given) => {
  expect(() => readPipeline(given)).toThrow(/invalid_pipeline/);
});

test("applying a request twice has the same effect as once, for any cards", () => {
  const ids = fc.constantFrom("A", "B", "C", "D");
  const card = fc.record({
    id: ids,
    type: fc.constantFrom("note", "hypothesis", "test"),
    title: fc.constantFrom("x", "y"),
    supports: fc.uniqueArray(ids, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(card, { selector: ({ id }) => id, maxLength: 4 }), (given) => {
      const asked = request(
        ...given.map((raw) => readCard({ ...raw, supports: raw.supports.filter((id) => id !== raw.id) })),
      );
      const once = carryOut(nothing, asked);
      const again = decideCards(once, asked);
      expect(again.writes.flatMap(({ entry, states }) => [...states, ...(entry ? [entry] : [])])).toEqual([]);
    }),
  );
});
