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

test("a thought of many steps is summed up by the step that concludes, asks or was given up", () => {
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

test("a hypothesis is rejected by evidence against it, not by a question about it", () => {
  expect(digest("S1|H|the disk", "S2|E|it is idle ⊖ [S1]").rejected).toEqual([
    { thoughtNumber: 1, text: "the disk", why: "it is idle ⊖ [S1]" },
  ]);
  expect(digest("S1|H|the disk", "S2|Q|really? ⊖ [S1]").rejected).toEqual([]);
});

test("a conclusion that was corrected or given up no longer applies", () => {
  expect(digest("S1|C|one", "S2|C|two", "S3|R|^S1|not one", "S4|X|S2|not two").conclusions).toEqual([]);
});

test("a contradicted conclusion is listed with what contradicts it, until that is rejected or replaced", () => {
  const contradicted = digest("S1|C|one", "S2|E|the trace ⊖ [S1]");
  expect(contradicted.conclusions).toEqual([]);
  expect(contradicted.rejected).toEqual([{ thoughtNumber: 1, text: "one", why: "the trace ⊖ [S1]" }]);
  for (const revoked of ["S3|X|S2|wrong host", "S3|R|^S2|wrong host"]) {
    const restored = digest("S1|C|one", "S2|E|the trace ⊖ [S1]", revoked);
    expect(restored.conclusions).toEqual([{ thoughtNumber: 1, text: "one" }]);
    expect(restored.rejected.map(({ text }) => text)).not.toContain("one");
  }
});

test("counts what it leaves out by kind, and reports nothing if it shows all", () => {
  const ten = Array.from({ length: 10 }, (_, at) => `S${at + 1}|C|conclusion ${at + 1}`);
  const { conclusions, notShown } = digest(...ten);
  expect(conclusions.at(-1)?.text).toBe("conclusion 10");
  expect(notShown).toEqual({ conclusions: 10 - conclusions.length });
  expect(digest("S1|C|one")).not.toHaveProperty("notShown");
});
