import { describe, expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { cardTypes } from "./card.ts";
import { cardTemplate } from "./card-template.ts";
import { readCard } from "./read-card.ts";

describe("a card can be written in four forms", () => {
  const wanted = {
    type: "hypothesis",
    title: "The cache is cold",
    text: "It was restarted.",
    status: "open",
  };

  test.each([
    ["an object", { type: "hypothesis", title: "The cache is cold", text: "It was restarted." }],
    [
      "an object with keys in any case",
      { TYPE: "Hypothesis", Title: "The cache is cold", text: "It was restarted." },
    ],
    [
      "an object as JSON",
      '{"card_type":"hypothesis","title":"The cache is cold","text":"It was restarted."}',
    ],
    ["key: value lines", "type: hypothesis\ntitle: The cache is cold\ntext: It was restarted."],
    [
      "key: value lines, a blank line and a text",
      "Type: hypothesis\ntitle: The cache is cold\n\nIt was restarted.",
    ],
  ])("%s", (_form, given) => {
    expect(readCard(given)).toMatchObject(wanted);
  });

  test("reads plain text as a note", () => {
    expect(readCard("Remember the milk: it is sour.")).toMatchObject({
      type: "note",
      text: "Remember the milk: it is sour.",
      status: "open",
    });
  });

  test("reads lines without a key of a card as plain text", () => {
    const text = "Observed: 503 for two minutes\nThen: nothing";
    expect(readCard(text)).toMatchObject({ type: "note", text });
  });

  test("reads the whole as plain text if one line has another form", () => {
    expect(readCard("title: x\nand so on")).toMatchObject({ type: "note", text: "title: x\nand so on" });
  });
});

test("keeps unknown keys under meta", () => {
  expect(readCard("title: x\nowner: ann\ntags: B, a, b").meta).toEqual({ owner: "ann" });
  expect(readCard({ title: "x", run: { cmd: "make" }, meta: { source: "ci" } }).meta).toEqual({
    run: { cmd: "make" },
    source: "ci",
  });
});

test("converts tags to lower case, and sorts and deduplicates them", () => {
  expect(readCard({ title: "x", tags: ["B", "a", " b "] }).tags).toEqual(["a", "b"]);
  expect(readCard("title: x\ntags: B, a, b").tags).toEqual(["a", "b"]);
});

test("reads edges from the card itself", () => {
  expect(readCard("title: x\nsupports: CARD-2, CARD-1\nblocks: CARD-3")).toMatchObject({
    supports: ["CARD-1", "CARD-2"],
    blocks: ["CARD-3"],
  });
});

test("treats null as a missing field", () => {
  expect(readCard({ title: "x", text: null, tags: null })).toMatchObject({ text: undefined, tags: [] });
});

test.each([
  ["a card without content", { type: "note" }],
  ["only spaces", "   "],
  ["a type that does not exist", { type: "idea", title: "x" }],
  ["a list", ["title", "x"]],
  ["a number", 7],
  ["JSON that was cut off", '{"title": "The cache is co'],
  ["invalid JSON", '{"title": "x"'.concat(",}")],
  ["a title that is an object", { title: { a: 1 } }],
  ["an id with a bar", { id: "a|b", title: "x" }],
  ["an id that is reserved for tasks", { id: "task:TASK-001", title: "x" }],
  ["a title that is too long", { title: "x".repeat(501) }],
  ["too many tags", { title: "x", tags: Array.from({ length: 65 }, (_, at) => `t${at}`) }],
  ["meta that is too large", { title: "x", meta: { a: "x".repeat(70_000) } }],
  ["a key that could reach the prototype", '{"title":"x","__proto__":{"a":1}}'],
])("refuses %s", (_what, given) => {
  expect(() => readCard(given)).toThrow(ThoughtboxError);
});

test("a tool for one type refuses the others", () => {
  expect(readCard("It holds.", "hypothesis").type).toBe("hypothesis");
  expect(() => readCard({ type: "note", title: "x" }, "hypothesis")).toThrow(ThoughtboxError);
});

test.each(cardTypes)("the template of a %s is a valid card", (type) => {
  const { id: _id, ...template } = cardTemplate(type);
  expect(readCard(template).type).toBe(type);
});

test("reads or refuses any text, and a note keeps all of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      try {
        const card = readCard(text);
        if (card.type === "note" && card.meta === undefined && card.title === undefined)
          expect(card.text).toBe(text.trim());
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ThoughtboxError);
      }
    }),
  );
});
