import { expect, test } from "vitest";
import { referenceTable } from "./reference-table.ts";

const pool = { title: "The *pool* | <b>", sessionId: "5f0c0a52-7c0e-4a53-9d0b-0c8a3f0c2d11" };

test("each anchor has a row that says what it means", () => {
  const thoughts = [1, 2, 3, 4].map((thoughtNumber) => ({ thoughtNumber, thought: `text ${thoughtNumber}` }));
  const text = referenceTable([
    { anchor: "@pool:S1-S4", status: "resolved", candidates: [pool], selected: { ...pool, thoughts } },
    { anchor: "@pool:S9", status: "resolved", candidates: [pool], selected: { ...pool, thoughts: [] } },
    { anchor: "@auth:S1", status: "ambiguous", candidates: [{ title: "One" }, { title: "Two" }] },
    { anchor: "@dns:S1", status: "unresolved", candidates: [] },
  ]);
  expect(text.split("\n").slice(4)).toEqual([
    "| `@pool:S1-S4` | “The \\*pool\\* \\| &lt;b>” (`5f0c0a52-7c0e-4a53-9d0b-0c8a3f0c2d11`); 1: *text 1*; 2: *text 2*; 3: *text 3* … |",
    "| `@pool:S9` | “The \\*pool\\* \\| &lt;b>” (`5f0c0a52-7c0e-4a53-9d0b-0c8a3f0c2d11`); no such thought there |",
    "| `@auth:S1` | one of “One”, “Two” |",
    "| `@dns:S1` | nothing that is known here |",
    "",
  ]);
});
