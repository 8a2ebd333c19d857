import { describe, expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import { plainCalls } from "../../engine/calls.testing.ts";
import { runEngine } from "../../engine/run-engine.ts";
import { byAge, type CardNode, isOpen, isPinned, isThinkType, thinkTypes } from "../cards/card.ts";
import { isHidden } from "../cards/visibility.ts";
import { bridgeTo, buildCapsule, shrinkCapsule } from "./capsule.ts";
import { highlight, summariseLanes } from "./highlights.ts";
import {
  assembleCards,
  belongsToStep,
  type CardFilter,
  cardsBehind,
  chooseNext,
  countCards,
  facetsFor,
  hasFacets,
  isDraftEntry,
  planSelection,
  type Selected,
  toSliceEntry,
} from "./selection.ts";

/** Applies a filter by scanning. A store uses its indexes. */
function matchesFilter(card: CardNode, { types, open, pinned, tags, drafts, before }: CardFilter): boolean {
  return (
    isThinkType(card.type) &&
    (types === undefined || types.includes(card.type)) &&
    (open !== true || isOpen(card)) &&
    (pinned !== true || isPinned(card)) &&
    (tags === undefined || tags.every((tag) => card.tags.includes(tag))) &&
    (before === undefined || card.last_seq < before) &&
    (drafts || !isHidden(card))
  );
}

const card = (id: string, over: Partial<CardNode> = {}): CardNode => ({
  id,
  type: "hypothesis",
  status: "open",
  tags: ["v:canon"],
  last_seq: 1,
  last_ts_ms: 1,
  ...over,
});

/** Selects cards as a store does, but without indexes. */
function select(cards: readonly CardNode[], request: Parameters<typeof planSelection>[0]): Selected {
  const newest = cards.toSorted(byAge);
  return Object.fromEntries(
    Object.entries(planSelection(request)).map(([name, filter]) => [
      name,
      newest.filter((one) => matchesFilter(one, filter)).slice(0, filter.limit),
    ]),
  ) as unknown as Selected;
}

const many = (count: number, over: (at: number) => Partial<CardNode>): CardNode[] =>
  Array.from({ length: count }, (_, at) => card(`C${at}`, { last_seq: at, last_ts_ms: at, ...over(at) }));

describe("selection", () => {
  test("lists pins first, then the open frontier, then recent cards", () => {
    const cards = [
      ...many(40, () => ({ type: "update" })),
      card("pin", { tags: ["pinned", "v:draft"], type: "note", last_seq: 0 }),
      card("question", { type: "question", last_seq: 0 }),
    ];
    const slice = assembleCards(select(cards, { view: "explore", drafts: false, limit: 5 }), 5);
    expect(slice.map(({ id }) => id)).toEqual(["pin", "question", "C39", "C38", "C37"]);
  });

  test("fills up with open cards in the view smart, and with all cards in explore", () => {
    const cards = many(3, (at) => ({ type: "update", status: at === 2 ? "closed" : "open" }));
    const ids = (view: "smart" | "explore") =>
      assembleCards(select(cards, { view, drafts: false, limit: 9 }), 9).map(({ id }) => id);
    expect(ids("smart")).toEqual(["C1", "C0"]);
    expect(ids("explore")).toEqual(["C2", "C1", "C0"]);
  });

  test("never lets drafts take the place of visible cards", () => {
    const cards = [
      card("old", { last_seq: 0, last_ts_ms: 0 }),
      ...many(500, () => ({ tags: ["v:draft"], last_ts_ms: 9 })),
    ];
    const slice = assembleCards(select(cards, { view: "smart", drafts: false, limit: 3 }), 3);
    expect(slice.map(({ id }) => id)).toEqual(["old"]);
    expect(assembleCards(select(cards, { view: "audit", drafts: true, limit: 3 }), 3)).toHaveLength(3);
  });

  test("shows only the cards of a step if only the step is requested", () => {
    const cards = [
      card("in", { tags: ["step:step-1", "v:canon"] }),
      card("out", { tags: ["pinned", "v:canon"] }),
    ];
    const step = { tag: "step:step-1", only: true };
    const slice = assembleCards(select(cards, { view: "smart", drafts: false, step, limit: 9 }), 9);
    expect(slice.map(({ id }) => id)).toEqual(["in"]);
  });

  const any = fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    type: fc.constantFrom(...thinkTypes),
    status: fc.constantFrom("open", "closed"),
    tags: fc.uniqueArray(fc.constantFrom("pinned", "v:draft", "v:canon", "lane:agent:a")),
    last_seq: fc.nat(99),
    last_ts_ms: fc.nat(99),
  });

  test("pages contain the whole list, each card once, for any cards and page size", () => {
    const uniqueIn = (cards: readonly CardNode[]) =>
      cards.map((one, at) => ({ ...one, last_seq: at, last_ts_ms: at }));
    fc.assert(
      fc.property(
        fc.uniqueArray(any, { selector: ({ id }) => id, maxLength: 60 }).map(uniqueIn),
        fc.constantFrom("smart" as const, "explore" as const),
        fc.integer({ min: 1, max: 40 }),
        (cards, view, limit) => {
          const behind = (after: number | undefined, most: number) =>
            cardsBehind(select(cards, { view, drafts: false, limit: most, after }), after);
          const pages: CardNode[] = [];
          for (let after: number | undefined; ; after = pages.at(-1)?.last_seq) {
            const found = behind(after, limit + 1);
            pages.push(...found.slice(0, limit));
            if (found.length <= limit) break;
          }
          expect(pages).toEqual(behind(undefined, 100));
        },
      ),
    );
  });

  test("a slice contains each card once, no hidden card, and at most its limit, for any cards", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(any, { selector: ({ id }) => id, maxLength: 40 }),
        fc.constantFrom("smart" as const, "explore" as const),
        fc.nat(30),
        (cards, view, limit) => {
          const slice = assembleCards(select(cards, { view, drafts: false, limit }), limit);
          expect(slice.length).toBeLessThanOrEqual(limit);
          expect(new Set(slice.map(({ id }) => id)).size).toBe(slice.length);
          const filter = { drafts: false, limit };
          expect(slice.every((one) => matchesFilter(one, filter))).toBe(true);
        },
      ),
    );
  });
});

test("the facets of a card match the filter, for any card and filter", () => {
  const tags = fc.uniqueArray(fc.constantFrom("pinned", "v:draft", "v:canon", "lane:agent:a", "x"));
  const cards = fc.record({
    type: fc.constantFrom(...thinkTypes),
    status: fc.constantFrom("open", "closed"),
    tags,
  });
  const filters = fc.record({
    types: fc.option(fc.uniqueArray(fc.constantFrom(...thinkTypes), { minLength: 1 }), { nil: undefined }),
    open: fc.boolean(),
    pinned: fc.boolean(),
    tags: fc.uniqueArray(fc.constantFrom("x", "v:canon")),
    drafts: fc.boolean(),
    limit: fc.constant(9),
  });
  fc.assert(
    fc.property(cards, filters, (over, filter) => {
      const node = card("C", over);
      expect(hasFacets(node, facetsFor(filter))).toBe(matchesFilter(node, filter));
    }),
    { numRuns: 500 },
  );
});

test("chooses the pinned open card first, then the engine's, then the newest open one", () => {
  const cards = [card("a", { last_ts_ms: 9 }), card("b"), card("done", { status: "closed", last_ts_ms: 99 })];
  expect(chooseNext(cards, undefined)).toMatchObject({ card: { id: "a" }, reason: "newest" });
  expect(chooseNext(cards, "b")).toMatchObject({ card: { id: "b" }, reason: "engine" });
  expect(chooseNext([...cards, card("p", { tags: ["pinned"], last_ts_ms: 0 })], "b")).toMatchObject({
    card: { id: "p" },
    reason: "pinned",
  });
  expect(chooseNext([], "b")).toBeUndefined();
});

test("counts by type in a stable order", () => {
  expect(JSON.stringify(countCards([card("a", { type: "test" }), card("b"), card("c")]))).toBe(
    '{"cards":3,"by_type":{"hypothesis":2,"test":1}}',
  );
});

test("summarises cards by lane", () => {
  const cards = [card("a", { tags: ["lane:agent:ann"] }), card("b", { tags: ["pinned"] }), card("c")];
  expect(summariseLanes(cards)).toMatchObject([
    { lane: "shared", cards: 2, pinned: 1, top: [{ id: "b" }, { id: "c" }] },
    { lane: "agent:ann", cards: 1, open: 1 },
  ]);
});

test("lists decisions with their own evidence before newer evidence", () => {
  const cards = [
    card("d", { type: "decision", status: "accepted" }),
    card("e1", { type: "evidence", last_ts_ms: 1 }),
    card("e2", { type: "evidence", last_ts_ms: 9 }),
    card("q", { type: "question" }),
  ];
  const edges = [
    { from: "e1", rel: "supports", to: "d" },
    { from: "q", rel: "blocks", to: "d" },
  ];
  const found = highlight(cards, edges, { decisions: 5, evidence: 1, blockers: 5 });
  expect(found.decisions.map(({ id }) => id)).toEqual(["d"]);
  expect(found.evidence.map(({ id }) => id)).toEqual(["e1"]);
  expect(found.blockers.map(({ id }) => id)).toEqual(["q"]);
});

describe("the capsule", () => {
  const long = "x".repeat(400);
  const where = {
    workspace: "w".repeat(128),
    branch: "task/TASK-001",
    graph_doc: "TASK-001-graph",
    trace_doc: "TASK-001-trace",
    lane: "shared",
    target: "TASK-001",
    step: "STEP-0000000A",
  };
  const fallback = { title: "Go on", calls: [] };

  test("contains the place, the reason and the next step with a primary and a backup", () => {
    const slice = {
      cards: [card("H", { title: long }), card("Q", { type: "question", title: "a vs b" })],
      edges: [],
    };
    const engine = runEngine(slice, {
      calls: plainCalls,
      signalsLimit: 4,
      actionsLimit: 2,
    });
    const capsule = buildCapsule("watch_capsule", where, { hypotheses: [] }, engine, fallback);
    expect(capsule).toMatchObject({
      type: "watch_capsule",
      where: { target: "TASK-001", step: "STEP-0000000A" },
      why: [{ code: "BM4_HYPOTHESIS_NO_TEST" }],
      next: { primary: { kind: "add_test_stub" }, backup: { kind: "use_playbook" } },
    });
    const forms = shrinkCapsule(capsule);
    const sizes = forms.map((form) => JSON.stringify(form).length);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    expect(sizes.at(-1)).toBeLessThanOrEqual(200);
    for (const form of forms)
      expect(form).toMatchObject({ where: { target: "TASK-001" }, next: { title: expect.any(String) } });
  });

  test("contains a next step even if the engine has no suggestion", () => {
    const capsule = buildCapsule(
      "watch_capsule",
      where,
      { hypotheses: [] },
      { signals: [], actions: [] },
      fallback,
    );
    expect(capsule.next).toMatchObject({ title: "Go on", primary: { kind: "continue" } });
  });
});

describe("finding the entries of one step", () => {
  const step = { task_id: "TASK-001", step_id: "STEP-00000001", path: "s:0" };

  test.each([
    ["a note with its stamp", { step }, true],
    ["a note of another step", { step: { ...step, step_id: "STEP-00000002" } }, false],
    ["an event of the step", { task_id: "TASK-001", path: "s:0" }, true],
    ["an event of a step below it", { task_id: "TASK-001", path: "s:0.s:2" }, true],
    [
      "an event of a sibling whose path starts with the same characters",
      { task_id: "TASK-001", path: "s:01" },
      false,
    ],
    ["an event of another task", { task_id: "TASK-002", path: "s:0" }, false],
    ["an event of the task as a whole", { task_id: "TASK-001" }, false],
    ["a note without any stamp", undefined, false],
  ])("%s: %o %o", (_what, meta, wanted) => {
    expect(belongsToStep(meta ? { meta } : {}, step)).toBe(wanted);
  });
});

test("an entry shows the engine which card was written, and is hidden if the card is a draft", () => {
  const entry = {
    seq: 1,
    ts: "",
    ts_ms: 5,
    branch: "main",
    doc: "trace",
    kind: "note" as const,
    content: "x",
    format: "think_card",
    meta: { type: "note", tags: ["v:draft"] },
  };
  expect(toSliceEntry(entry)).toEqual({ seq: 1, ts_ms: 5, card_type: "note" });
  expect(isDraftEntry(entry)).toBe(true);
  expect(isDraftEntry({ ...entry, format: "text" })).toBe(false);
});

test("a bridge leads only from an empty target to a checkout in use", () => {
  const docs = { notes: "notes", trace: "trace", graph: "graph" };
  const checkout = { branch: "main", docs, has: { notes: true, cards: false } };
  const empty = { notes: false, cards: false };
  expect(bridgeTo(empty, checkout)).toEqual({ checkout: "main", docs, has: checkout.has });
  expect(bridgeTo({ notes: true, cards: false }, checkout)).toBeUndefined();
  expect(bridgeTo(empty, { ...checkout, has: empty })).toBeUndefined();
  expect(bridgeTo(empty, undefined)).toBeUndefined();
});
