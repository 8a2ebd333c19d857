import { expect, test } from "vitest";
import { cellLink, findCellLink } from "./cell-link.ts";

const ids = {
  notebookId: "4bf099bf-5566-4611-9c31-8fbbdb35d674",
  cellId: "0c6d3c70-5be5-4bb0-9d0d-1f6b2f8a7e11",
};
const sessionId = "5e551011-0000-4000-8000-00000000a11a";

test.each([
  ids,
  { ...ids, version: 3 },
  { ...ids, sessionId },
  { ...ids, version: 12, sessionId },
  { ...ids, version: 1, run: 1_767_225_600_000, sessionId },
])("finds a link unchanged in the middle of a text: %o", (link) => {
  expect(findCellLink(`Ran split.ts. ${cellLink(link)} It printed 99.`)).toEqual(link);
});

test.each(["", "thoughtbox://notebooks/x/cells/y", "thoughtbox://sessions/5e551011"])(
  "finds no cell link in %j",
  (text) => {
    expect(findCellLink(text)).toBeUndefined();
  },
);
