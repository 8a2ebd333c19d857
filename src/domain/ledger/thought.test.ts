import { expect, test } from "vitest";
import { suggestNext } from "./thought.ts";

const at = (thought: string, more: object = {}) => suggestNext({ thought, thoughtNumber: 5, ...more });

test.each([
  "Actually, the pool is fine.",
  "Correction: it is DNS.",
  "On second thought the cache is to blame.",
  "I was wrong about the proxy.",
  "Wait, that cannot be.",
  "That was wrong.",
])("reads %s as a correction", (thought) => {
  expect(at(thought)?.fields).toEqual({ revisesThought: 4 });
});

test.each([
  "Alternatively we could use Redis.",
  "What if we cache it instead?",
  "Another option is a queue.",
  "Option B: a queue.",
])("reads %s as an alternative", (thought) => {
  expect(at(thought)?.fields).toEqual({ branchFromThought: 4, branchId: "alternative-4" });
});

test("a revision in the notation names the thought that it revises", () => {
  expect(at("S5|R|^S2|network, not disk")?.fields).toEqual({ revisesThought: 2 });
});

test.each([
  "The actually used port is 1731.",
  "We measured the correction factor.",
  "What if the disk is full?",
  "The alternative was rejected last week.",
  "I was wrongly routed to staging.",
  "Another day, another log file.",
  "Options are parsed first.",
  "This is not right-aligned yet.",
  "Wait for the lock, then write.",
  "S5|E|S2|seen in the log",
  "S5|E|seen in the log ⊖ [S2]",
])("reads %s as an ordinary sentence", (thought) => {
  expect(at(thought)).toBeUndefined();
});

test("suggests nothing if the fields are already set", () => {
  expect(at("Actually, no.", { revisesThought: 2 })).toBeUndefined();
  expect(at("Alternatively, yes.", { branchFromThought: 2 })).toBeUndefined();
});

test("suggests no correction for the first thought", () => {
  expect(suggestNext({ thought: "Actually, hello.", thoughtNumber: 1 })).toBeUndefined();
});
