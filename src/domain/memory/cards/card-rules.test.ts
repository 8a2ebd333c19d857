import { describe, expect, test } from "vitest";
import type { CardNode } from "./card.ts";
import {
  changeCards,
  groupDuplicates,
  openSubgoal,
  publishedCopy,
  readSubgoal,
  requireQuestion,
} from "./change-cards.ts";
import { chooseView, isDraft, isHidden, laneOf } from "./visibility.ts";

const where = { workspace: "w", branch: "main", doc: "graph" };
const card = (id: string, over: Partial<CardNode> = {}): CardNode => ({
  id,
  type: "hypothesis",
  title: "x",
  status: "open",
  tags: ["v:canon"],
  last_seq: 1,
  last_ts_ms: 1,
  ...over,
});

describe("drafts", () => {
  test.each([
    [["v:canon", "lane:agent:ann"], "note", false],
    [["lane:agent:ann"], "decision", true],
    [["v:draft"], "decision", true],
    [[], "decision", false],
    [[], "note", true],
    [[], "frame", true],
  ])("for tags %o on a %s: %o", (tags, type, draft) => {
    expect(isDraft({ tags, type })).toBe(draft);
  });

  test("a pinned draft is visible", () => {
    expect(isHidden({ tags: ["pinned", "v:draft"], type: "note" })).toBe(false);
  });

  test("reads the lane from the tags, by default shared", () => {
    expect(laneOf({ tags: ["lane:agent:ann"] })).toBe("agent:ann");
    expect(laneOf({ tags: [] })).toBe("shared");
  });
});

test.each([
  [{}, { view: "explore", drafts: false }],
  [{ context_budget: 4000 }, { view: "smart", drafts: false }],
  [{ view: "audit" as const }, { view: "audit", drafts: true }],
  [
    { view: "smart" as const, all_lanes: true },
    { view: "smart", drafts: true },
  ],
  [{ include_drafts: true }, { view: "explore", drafts: true }],
])("reads %o as %o", (asked, chosen) => {
  expect(chooseView(asked)).toEqual(chosen);
});

describe("changes", () => {
  const nodes = new Map([["A", card("A")]]);

  test("write only what differs", () => {
    expect(changeCards(nodes, ["A", "A"], { status: "closed" }, where)).toMatchObject([{ status: "closed" }]);
    expect(changeCards(nodes, ["A"], { status: "open", pinned: false }, where)).toEqual([]);
    expect(changeCards(nodes, ["A"], { pinned: true }, where)).toMatchObject([
      { tags: ["pinned", "v:canon"] },
    ]);
  });

  test("are refused for a missing card", () => {
    expect(() => changeCards(nodes, ["B"], { pinned: true }, where)).toThrow(/unknown_card/);
  });
});

describe("published copies", () => {
  const draft = card("CARD-7", { tags: ["lane:agent:ann", "v:draft", "a:core", "pinned"], meta: { k: 1 } });

  test("are shared and canonical, and name their origin", () => {
    expect(publishedCopy(draft, undefined, { pin: true, agent_id: "bob" })).toMatchObject({
      id: "CARD-PUB-CARD-7",
      tags: ["a:core", "lane:shared", "pinned", "v:canon"],
      meta: { k: 1, published_from: { card_id: "CARD-7", lane: "agent:ann", agent_id: "bob" } },
    });
  });

  test("are updated by publishing again, and keep their pin", () => {
    const copy = publishedCopy(draft, undefined, { pin: true });
    const again = publishedCopy({ ...draft, title: "y" }, copy, {});
    expect(again).toMatchObject({ id: copy.id, title: "y" });
    expect(again.tags).toContain("pinned");
    expect(publishedCopy(draft, copy, { pin: false }).tags).not.toContain("pinned");
  });
});

describe("grouping duplicates", () => {
  const cards = [
    card("C", { title: "The  Cache", last_seq: 3 }),
    card("A", { title: "the cache", last_seq: 9, first_seq: 1 } as Partial<CardNode>),
    card("B", { title: " the cache ", last_seq: 2 }),
    card("D", { title: "the cache", type: "note", last_seq: 0 }),
  ];

  test("keeps the oldest card, even if it changed since", () => {
    expect(groupDuplicates(cards, 10)).toEqual([{ canonical: "A", duplicates: ["B", "C"] }]);
  });

  test("leaves out cards that are already merged", () => {
    const merged = cards.map((one) => (one.id === "A" ? one : { ...one, status: "merged" }));
    expect(groupDuplicates(merged, 10)).toEqual([]);
  });

  test("puts ten thousand identical cards into one group", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => card(`X${at}`, { last_seq: at }));
    expect(groupDuplicates(many, 10)).toMatchObject([{ canonical: "X0" }]);
  });
});

describe("subgoals", () => {
  const question = card("Q", { type: "question", title: "Why?", tags: ["step:step-1", "v:canon"] });
  const child = { branch: "main", graph_doc: "sub-graph", trace_doc: "sub-trace" };

  test("represent their question in the same step", () => {
    const subgoal = openSubgoal(question, child, { message: "look closer" });
    expect(subgoal).toMatchObject({ id: "CARD-SUB-Q", type: "subgoal", tags: ["step:step-1", "v:canon"] });
    expect(readSubgoal(subgoal, "w")).toEqual({ question_id: "Q", child });
  });

  test("can be opened only on questions, and only subgoals can be closed", () => {
    expect(() => requireQuestion(card("H"), "w")).toThrow(/wrong_card_type/);
    expect(() => readSubgoal(card("H"), "w")).toThrow(/wrong_card_type/);
  });
});
