import { expect, test } from "vitest";
import { findAnchors, rateCandidate, resolveAnchor } from "./resolve-anchor.ts";

test("anchors name a keyword and one thought or a range", () => {
  expect(findAnchors("see @auth-flow:S25 and @pool:S3-S5, again @pool:S3-S5")).toEqual([
    { text: "@auth-flow:S25", keyword: "auth-flow", from: 25, to: 25 },
    { text: "@pool:S3-S5", keyword: "pool", from: 3, to: 5 },
  ]);
});

test("a hostile range is read 200 thoughts long", () => {
  expect(findAnchors("@a:S1-S999999999")).toMatchObject([{ from: 1, to: 200, cut: true }]);
  expect(findAnchors("@a:S1-S999999999999")).toMatchObject([{ from: 1, to: 200, cut: true }]);
  expect(findAnchors("@a:S1-S200")).toEqual([{ text: "@a:S1-S200", keyword: "a", from: 1, to: 200 }]);
});

test.each(["mail ada@pool:S3", "@pool:25", "@pool:S0", "@pool:S9-S3", "@:S3", "@pool:S3x"])(
  "%s is no anchor",
  (text) => {
    expect(findAnchors(text)).toEqual([]);
  },
);

test("an exact tag is certain, and a title counts by the share of parts it contains", () => {
  expect(rateCandidate("auth-flow", { title: "x", tags: ["Auth-Flow"] })).toBe(0.95);
  expect(rateCandidate("auth-flow", { title: "The auth flow", tags: [] })).toBe(0.85);
  expect(rateCandidate("auth-flow-bug", { title: "The auth flow", tags: [] })).toBe(0.567);
  expect(rateCandidate("auth-flow", { title: "Nothing", tags: [] })).toBe(0);
});

const candidate = (sessionId: string, confidence: number) => ({ sessionId, title: sessionId, confidence });

test("a single candidate decides", () => {
  expect(resolveAnchor([candidate("a", 0.85), candidate("b", 0.4)])).toMatchObject({
    status: "resolved",
    selected: { sessionId: "a" },
  });
});

test("a single certain candidate decides among several", () => {
  expect(resolveAnchor([candidate("a", 0.85), candidate("b", 0.95)])).toMatchObject({
    status: "resolved",
    selected: { sessionId: "b" },
  });
});

test("two certain candidates stay ambiguous, none is unresolved", () => {
  expect(resolveAnchor([candidate("a", 0.95), candidate("b", 0.95)]).status).toBe("ambiguous");
  expect(resolveAnchor([candidate("a", 0.59)]).status).toBe("unresolved");
});
