import { expect, test } from "vitest";
import { findAnchors, rateCandidate, resolveAnchor } from "./resolve-anchor.ts";

test("an anchor names a keyword and one thought or a range", () => {
  expect(findAnchors("see @auth-flow:S25 and @pool:S3-S5, again @pool:S3-S5")).toEqual([
    { text: "@auth-flow:S25", keyword: "auth-flow", from: 25, to: 25 },
    { text: "@pool:S3-S5", keyword: "pool", from: 3, to: 5 },
  ]);
});

test("limits a range to 200 thoughts", () => {
  expect(findAnchors("@a:S1-S999999999")).toMatchObject([{ from: 1, to: 200, cut: true }]);
  expect(findAnchors("@a:S1-S999999999999")).toMatchObject([{ from: 1, to: 200, cut: true }]);
  expect(findAnchors("@a:S1-S200")).toEqual([{ text: "@a:S1-S200", keyword: "a", from: 1, to: 200 }]);
});

test.each(["mail ada@pool:S3", "@pool:25", "@pool:S0", "@pool:S9-S3", "@:S3", "@pool:S3x"])(
  "%s is not an anchor",
  (text) => {
    expect(findAnchors(text)).toEqual([]);
  },
);

test("rates an exact tag highest, and a title by the share of parts that it contains", () => {
  expect(rateCandidate("auth-flow", { title: "x", tags: ["Auth-Flow"] })).toBe(0.95);
  expect(rateCandidate("auth-flow", { title: "The auth flow", tags: [] })).toBe(0.85);
  expect(rateCandidate("auth-flow-bug", { title: "The auth flow", tags: [] })).toBe(0.567);
  expect(rateCandidate("auth-flow", { title: "Nothing", tags: [] })).toBe(0);
});

const candidate = (sessionId: string, confidence: number) => ({ sessionId, title: sessionId, confidence });

test("selects the only plausible candidate", () => {
  expect(resolveAnchor([candidate("a", 0.85), candidate("b", 0.4)])).toMatchObject({
    status: "resolved",
    selected: { sessionId: "a" },
  });
});

test("selects the only certain candidate among several", () => {
  expect(resolveAnchor([candidate("a", 0.85), candidate("b", 0.95)])).toMatchObject({
    status: "resolved",
    selected: { sessionId: "b" },
  });
});

test("two certain candidates are ambiguous, and no plausible one is unresolved", () => {
  expect(resolveAnchor([candidate("a", 0.95), candidate("b", 0.95)]).status).toBe("ambiguous");
  expect(resolveAnchor([candidate("a", 0.59)]).status).toBe("unresolved");
});
