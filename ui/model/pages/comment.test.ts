import { expect, test } from "vitest";
import { longestComment, writeComment } from "./comment.ts";

const reasons = (count: number, length = 10) => ({
  ...{ kind: "reasons", title: "" },
  items: Array.from({ length: count }, (_, n) => `**\`a.ts:${n}\`** ${"x".repeat(length)}`),
});
const gaps = { kind: "unexplained", title: "**No reason known**", items: ["`b.ts:1`", "`b.ts:7`"] };

test("a comment contains the chosen sections, and the strongest five reasons", () => {
  const parts = { intro: "### Why", sections: [reasons(7), gaps] };
  const text = writeComment(parts, (kind) => kind !== "unexplained");
  expect(text).toMatch(/^### Why\n\n- \*\*`a\.ts:0`\*\* x+\n/);
  expect(text).toMatch(/a\.ts:4`\*\* x+\n- … and 2 more$/);
  expect(writeComment(parts, () => true)).toContain("\n\n**No reason known**\n\n- `b.ts:1`\n- `b.ts:7`");
  expect(writeComment(parts, () => false)).toBe("### Why");
});

test("a comment stays short, and counts what it leaves out", () => {
  const parts = { intro: "### Why", sections: [{ ...reasons(5, 400), more: 3 }, gaps] };
  const text = writeComment(parts, () => true);
  expect(text.length).toBeLessThanOrEqual(longestComment);
  expect(text).toContain("- … and 6 more");
  expect(text).toContain("**No reason known**\n\n- … and 2 more");
  const long = { intro: "### Why", sections: [reasons(2, 2_000)] };
  expect(writeComment(long, () => true)).toContain("a.ts:0");
});
