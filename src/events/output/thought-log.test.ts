import { expect, test } from "vitest";
import type { LedgerEvent } from "../../ports/events.ts";
import { startedEvent, thoughtEvent } from "../test-support/sample-events.ts";
import { createThoughtLog } from "./thought-log.ts";

function logged(event: LedgerEvent): string[] {
  const lines: string[] = [];
  createThoughtLog((line) => lines.push(line))(event);
  return lines;
}

test("a thought is one line that no text can break or colour", () => {
  expect(logged(thoughtEvent(2, "one\ntwo \u001b[31m"))).toEqual(["3fa85f64 2/2  one⏎two \\u{1b}[31m\n"]);
});

test("other events are silent", () => {
  expect(logged(startedEvent())).toEqual([]);
});
