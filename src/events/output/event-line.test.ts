import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { startedEvent, thoughtEvent } from "../test-support/sample-events.ts";
import { formatEventLine } from "./event-line.ts";

test("an event is one line with type, timestamp, sessionId and data", () => {
  const line = formatEventLine(thoughtEvent(3, "S3|H|why?"));
  expect(Object.keys(JSON.parse(line))).toEqual(["type", "timestamp", "sessionId", "data"]);
  expect(JSON.parse(line)).toEqual(thoughtEvent(3, "S3|H|why?"));
});

test("whatever a text holds, the line shows it, ends once and parses to the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      const line = formatEventLine(startedEvent(title));
      expect(line).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+\n$/u);
      expect(JSON.parse(line).data).toEqual(startedEvent(title).data);
    }),
  );
});

test("nothing reaches a terminal as a command", () => {
  const title = "\u001b[2J \u009b2J \u007f \u202e \u{e0041} \u2028 \n 👩‍🚀";
  const line = formatEventLine(startedEvent(title));
  expect(line).toContain(String.raw`\u001b[2J \u009b2J \u007f \u202e \udb40\udc41 \u2028 \n 👩\u200d🚀`);
  expect(JSON.parse(line).data.title).toBe(title);
});
