import { expect, test } from "vitest";
import { decideCards } from "./decide-cards.ts";
import { type ImportedThought, importThoughts } from "./import-thoughts.ts";

const thought = (thoughtNumber: number, text: string, branchId?: string): ImportedThought => ({
  thought: text,
  thoughtNumber,
  branchId,
  timestamp: "2026-05-01T00:00:00.000Z",
  seq: thoughtNumber,
});

const session = [
  thought(1, "S1|O|Logins time out"),
  thought(2, "S2|H|S1|The pool is too small\nForty connections for ninety workers"),
  thought(3, "S3|E|S2|Forty of forty are taken"),
  thought(4, "S4|H|S1|The proxy drops sockets"),
  thought(5, "S5|X|S4|No drops in the log"),
  thought(6, "S6|C|S3|Pool of 80"),
  thought(7, "Prose is no card."),
  thought(3, "S3|Q|S2|Or is it the proxy after all?", "alt"),
];

test("hypotheses, evidence, conclusions, questions and rejections become cards with their edges", () => {
  const { cards, statuses } = importThoughts("s1", session);
  expect(cards.map(({ id, type, supports, blocks }) => [id, type, supports, blocks])).toEqual([
    ["CARD-s1-S2", "hypothesis", [], []],
    ["CARD-s1-S3", "evidence", ["CARD-s1-S2"], []],
    ["CARD-s1-S4", "hypothesis", [], []],
    ["CARD-s1-S5", "update", [], ["CARD-s1-S4"]],
    ["CARD-s1-S6", "decision", ["CARD-s1-S3"], []],
    ["CARD-s1-alt-S3", "question", ["CARD-s1-S2"], []],
  ]);
  expect([...statuses]).toEqual([["CARD-s1-S4", "rejected"]]);
  expect(cards[0]).toMatchObject({
    title: "The pool is too small",
    text: "Forty connections for ninety workers",
    meta: { thought: "s1:2", cipher_step: 2 },
  });
});

test("a revision replaces what it corrects", () => {
  const { edges, statuses } = importThoughts("s1", [
    thought(1, "S1|H|It is the disk"),
    thought(2, "S2|H|^S1|It is the log on the disk"),
  ]);
  expect(edges).toEqual([{ from: "CARD-s1-S2", rel: "revises", to: "CARD-s1-S1" }]);
  expect([...statuses]).toEqual([["CARD-s1-S1", "superseded"]]);
});

test("more thoughts add cards and leave the others as they were", () => {
  const before = importThoughts("s1", session.slice(0, 3)).cards;
  const after = importThoughts("s1", session).cards;
  expect(after.slice(0, before.length)).toEqual(before);
  const facts = { nodes: new Map(), written: new Map(), edges: new Set<string>(), nextCard: 1 };
  expect(
    decideCards(facts, { workspace: "w", cards: after }).outcomes.every(({ missing }) => missing.length >= 0),
  ).toBe(true);
});
