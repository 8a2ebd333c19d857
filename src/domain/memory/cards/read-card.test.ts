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
    ["the JSON of one", '{"card_type":"hypothesis","title":"The cache is cold","text":"It was restarted."}'],
    ["key: value lines", "type: hypothesis\ntitle: The cache is cold\ntext: It was restarted."],
    ["lines and a text after a blank one", "Type: hypothesis\ntitle: The cache is cold\n\nIt was restarted."],
  ])("%s", (_form, given) => {
    expect(readCard(given)).toMatchObject(wanted);
  });

  test("plain text is a note", () => {
    expect(readCard("Remember the milk: it is sour.")).toMatchObject({
      type: "note",
      text: "Remember the milk: it is sour.",
      status: "open",
    });
  });

  test("a text that begins like lines but has no key of a card is plain text", () => {
    const text = "Observed: 503 for two minutes\nThen: nothing";
    expect(readCard(text)).toMatchObject({ type: "note", text });
  });

  test("a line of another form makes it plain text", () => {
    expect(readCard("title: x\nand so on")).toMatchObject({ type: "note", text: "title: x\nand so on" });
  });
});

test("keys that no card has are kept under meta", () => {
  expect(readCard("title: x\nowner: ann\ntags: B, a, b").meta).toEqual({ owner: "ann" });
  expect(readCard({ title: "x", run: { cmd: "make" }, meta: { source: "ci" } }).meta).toEqual({
    run: { cmd: "make" },
    source: "ci",
  });
});

test("tags are in lower case, each once and in order", () => {
  expect(readCard({ title: "x", tags: ["B", "a", " b "] }).tags).toEqual(["a", "b"]);
  expect(readCard("title: x\ntags: B, a, b").tags).toEqual(["a", "b"]);
});

test("a card may contain its own edges", () => {
  expect(readCard("title: x\nsupports: CARD-2, CARD-1\nblocks: CARD-3")).toMatchObject({
    supports: ["CARD-1", "CARD-2"],
    blocks: ["CARD-3"],
  });
});

test("null means that a field is not given", () => {
  expect(readCard({ title: "x", text: null, tags: null })).toMatchObject({ text: undefined, tags: [] });
});

test.each([
  ["nothing to say", { type: "note" }],
  ["only spaces", "   "],
  ["a type that does not exist", { type: "idea", title: "x" }],
  ["a list", ["title", "x"]],
  ["a number", 7],
  ["JSON that was cut off", '{"title": "The cache is co'],
  ["JSON that is none", '{"title": "x"'.concat(",}")],
  ["a title that is an object", { title: { a: 1 } }],
  ["an id with a bar", { id: "a|b", title: "x" }],
  ["an id of the tasks", { id: "task:TASK-001", title: "x" }],
  ["a title that is too long", { title: "x".repeat(501) }],
  ["too many tags", { title: "x", tags: Array.from({ length: 65 }, (_, at) => `t${at}`) }],
  ["meta that is too large", { title: "x", meta: { a: "x".repeat(70_000) } }],
  ["a key that reaches for the prototype", '{"title":"x","__proto__":{"a":1}}'],
])("refused: %s", (_what, given) => {
  expect(() => readCard(given)).toThrow(ThoughtboxError);
});

test("a tool for one type takes no other", () => {
  expect(readCard("It holds.", "hypothesis").type).toBe("hypothesis");
  expect(() => readCard({ type: "note", title: "x" }, "hypothesis")).toThrow(ThoughtboxError);
});

test.each(cardTypes)("the template of a %s is a card", (type) => {
  const { id: _id, ...template } = cardTemplate(type);
  expect(readCard(template).type).toBe(type);
});

test("every text becomes a card or a refusal, and nothing in it is lost", () => {
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
