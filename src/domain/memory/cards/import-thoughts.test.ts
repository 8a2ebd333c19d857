import { expect, test } from "vitest";
import { recorded } from "../../analysis/example-session.testing.ts";
import type { Thought } from "../../ledger/thought.ts";
import { readCipher } from "../../ledger/thought.ts";
import { importThoughts } from "./import-thoughts.ts";

const thought = (thoughtNumber: number, text: string, more: Partial<Thought> = {}): Partial<Thought> => ({
  thought: text,
  thoughtNumber,
  cipher: readCipher(text),
  ...more,
});
const importOf = (thoughts: readonly Partial<Thought>[]) => importThoughts("s1", recorded(...thoughts));
const linesOf = (thoughts: readonly Partial<Thought>[]) =>
  importOf(thoughts).cards.map(({ id, supports, blocks }) => [id, supports, blocks]);

const session = [
  thought(1, "S1|O|Logins time out"),
  thought(2, "S2|H|S1|The pool is too small\nForty connections for ninety workers"),
  thought(3, "S3|E|S2|Forty of forty are taken"),
  thought(4, "S4|H|S1|The proxy drops sockets"),
  thought(5, "S5|X|S4|No drops in the log"),
  thought(6, "S6|C|S3|Pool of 80"),
  thought(7, "Prose is no card."),
  thought(3, "S3|Q|S2|Or is it the proxy after all?", { branchId: "alt", branchFromThought: 2 }),
];

test("hypotheses, evidence, conclusions, questions and rejections become cards with their edges", () => {
  const { cards, statuses } = importOf(session);
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

test("a revision supersedes the card that it corrects", () => {
  const { edges, statuses } = importOf([
    thought(1, "S1|H|It is the disk"),
    thought(2, "S2|H|^S1|It is the log on the disk"),
  ]);
  expect(edges).toEqual([{ from: "CARD-s1-S2", rel: "revises", to: "CARD-s1-S1" }]);
  expect([...statuses]).toEqual([["CARD-s1-S1", "superseded"]]);
});

test("a number refers to the step before the fork, never to one after it, through every fork", () => {
  const fork = { branchId: "a", branchFromThought: 2 };
  expect(
    linesOf([
      thought(1, "S1|H|the pool"),
      thought(2, "S2|H|the proxy"),
      thought(3, "S3|H|the disk"),
      thought(3, "S3|E|S1|taken", fork),
      thought(4, "S4|E|S3|again", { branchId: "b", branchFromThought: 3, branchFromBranch: "a" }),
      thought(4, "S4|C|S2|so be it", { branchId: "a" }),
    ]).slice(3),
  ).toEqual([
    ["CARD-s1-a-S3", ["CARD-s1-S1"], []],
    ["CARD-s1-b-S4", ["CARD-s1-a-S3"], []],
    ["CARD-s1-a-S4", ["CARD-s1-S2"], []],
  ]);
});

test("a step with a repeated number is a separate card, and later references point to it", () => {
  expect(
    linesOf([thought(1, "S1|H|the pool"), thought(2, "S1|H|the proxy"), thought(3, "S2|E|S1|seen")]),
  ).toEqual([
    ["CARD-s1-S1", [], []],
    ["CARD-s1-S1-T2", [], []],
    ["CARD-s1-S2", ["CARD-s1-S1-T2"], []],
  ]);
});

test("evidence against a step blocks it, and a correction of a thought supersedes its card", () => {
  const { cards, edges, statuses } = importOf([
    thought(1, "S1|H|the pool"),
    thought(2, "S2|E|an idle pool ⊖ [S1]"),
    thought(3, "S3|H|the proxy", { isRevision: true, revisesThought: 1, revises: { thoughtNumber: 1 } }),
  ]);
  expect(cards[1]).toMatchObject({ supports: [], blocks: ["CARD-s1-S1"] });
  expect(edges).toEqual([{ from: "CARD-s1-S3", rel: "revises", to: "CARD-s1-S1" }]);
  expect([...statuses]).toEqual([["CARD-s1-S1", "superseded"]]);
});

test("more thoughts add cards and leave the existing ones unchanged", () => {
  const before = importOf(session.slice(0, 3)).cards;
  const after = importOf(session).cards;
  expect(after.slice(0, before.length)).toEqual(before);
});
