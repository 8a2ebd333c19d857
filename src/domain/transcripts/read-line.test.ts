import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { cutLongStrings } from "./read-line.ts";

const parse = (json: Buffer) => JSON.parse(json.toString("utf8"));
const cut = (value: unknown) => parse(cutLongStrings(Buffer.from(JSON.stringify(value))) ?? Buffer.from("0"));

const filler = fc.constantFrom(
  "plain ",
  'quoted " ',
  "back\\slash ",
  "日本語 ",
  "\n\t",
  "{}[]:, ",
  "\u0001",
  "😀",
);
const anyText = fc
  .tuple(filler, filler, fc.constantFrom(1, 20, 900, 5_000))
  .map(([one, other, times]) => (one + other).repeat(times));

test("leaves out only the middle of long outputs", () => {
  fc.assert(
    fc.property(
      fc.record({
        type: fc.constant("response_item"),
        payload: fc.record({
          output: anyText,
          text: anyText,
          list: fc.array(fc.record({ name: anyText, count: fc.integer() }), { maxLength: 3 }),
        }),
        toolUseResult: fc.record({ content: anyText }),
      }),
      (value) => {
        const found = cut(value);
        expect(found.payload.text).toBe(value.payload.text);
        const outputs = [
          [found.payload.output, value.payload.output],
          [found.toolUseResult.content, value.toolUseResult.content],
          ...value.payload.list.map(({ name }, n) => [found.payload.list[n].name, name]),
        ];
        for (const [short, whole] of outputs) {
          if (short === whole) continue;
          const [head = "", tail = ""] = short.split(" […] ");
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
          expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThan(4_300);
        }
        expect(found.payload.list.map(({ count }: { count: number }) => count)).toEqual(
          value.payload.list.map(({ count }) => count),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test.each(["", '{"a', '{"a":"', '"', "[[[[", '{"a":"\\'])("leaves invalid JSON unchanged: %j", (text) => {
  expect(cutLongStrings(Buffer.from(text))?.toString()).toBe(text);
});

test("reads a message of a conversation whole, however long", () => {
  const text = "word ".repeat(5_000);
  const line = { message: { role: "user", content: text } };
  expect(cut(line)).toEqual(line);
});

test("keeps the beginning and the end of a text of many megabytes", () => {
  const whole = `first ${"é".repeat(5_000_000)} last`;
  const found = cut({ message: { role: "user", content: whole } }).message.content;
  expect(found.startsWith("first é") && found.endsWith("é last")).toBe(true);
  expect(Buffer.byteLength(found)).toBeLessThan(2_100_000);
  expect(found.length).toBeGreaterThan(700_000);
});

test.each([
  ["lists", "[],"],
  ["objects", '{"a":0},'],
  ["numbers", "1,"],
  ["short texts", '"a",'],
])("does not parse a line that contains nothing but %s", (_, value) => {
  const line = Buffer.from(`{"x":[${value.repeat(200_000)}0]}`);
  expect(cutLongStrings(line)).toBeUndefined();
});

test("does not parse many long texts on one line", () => {
  const block = { type: "text", text: "word ".repeat(300_000) };
  expect(cutLongStrings(Buffer.from(JSON.stringify({ content: [block, block, block] })))).toBeUndefined();
});
