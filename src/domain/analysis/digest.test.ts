import { expect, test } from "vitest";
import { readCipher } from "../ledger/thought.ts";
import { digestOf } from "./digest.ts";
import { recorded } from "./example-session.testing.ts";

const digest = (...texts: string[]) =>
  digestOf(
    recorded(
      ...texts.map((thought) => {
        const cipher = readCipher(thought);
        return { thought, ...(cipher && { cipher }) };
      }),
    ),
  );

test("sums up a thought of many steps by the step that concludes, asks or was rejected", () => {
  expect(
    digest(
      "S1|O|slow\nS2|H|S1|the disk\nS3|H|S1|the pool",
      "S4|X|S2|it is idle\nS5|C|S3|∴ raise it\nS6|Q|by how much?",
    ),
  ).toEqual({
    conclusions: [{ thoughtNumber: 2, text: "∴ raise it" }],
    openQuestions: [{ thoughtNumber: 2, text: "by how much?" }],
    rejected: [{ thoughtNumber: 1, text: "the disk", why: "it is idle" }],
    branches: [],
  });
});

test("evidence against a hypothesis rejects it, a question about it does not", () => {
  expect(digest("S1|H|the disk", "S2|E|it is idle ⊖ [S1]").rejected).toEqual([
    { thoughtNumber: 1, text: "the disk", why: "it is idle ⊖ [S1]" },
  ]);
  expect(digest("S1|H|the disk", "S2|Q|really? ⊖ [S1]").rejected).toEqual([]);
});

test("leaves out a conclusion that was corrected or rejected", () => {
  expect(digest("S1|C|one", "S2|C|two", "S3|R|^S1|not one", "S4|X|S2|not two").conclusions).toEqual([]);
});

test("lists a contradicted conclusion with its contradiction until that is rejected or revised", () => {
  const contradicted = digest("S1|C|one", "S2|E|the trace ⊖ [S1]");
  expect(contradicted.conclusions).toEqual([]);
  expect(contradicted.rejected).toEqual([{ thoughtNumber: 1, text: "one", why: "the trace ⊖ [S1]" }]);
  for (const revoked of ["S3|X|S2|wrong host", "S3|R|^S2|wrong host"]) {
    const restored = digest("S1|C|one", "S2|E|the trace ⊖ [S1]", revoked);
    expect(restored.conclusions).toEqual([{ thoughtNumber: 1, text: "one" }]);
    expect(restored.rejected.map(({ text }) => text)).not.toContain("one");
  }
});

test("counts by kind what it leaves out, and adds no count if it shows everything", () => {
  const ten = Array.from({ length: 10 }, (_, at) => `S${at + 1}|C|conclusion ${at + 1}`);
  const { conclusions, notShown } = digest(...ten);
  expect(conclusions.at(-1)?.text).toBe("conclusion 10");
  expect(notShown).toEqual({ conclusions: 10 - conclusions.length });
  expect(digest("S1|C|one")).not.toHaveProperty("notShown");
});
