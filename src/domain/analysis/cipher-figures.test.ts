import { expect, test } from "vitest";
import { readCipher } from "../ledger/read-cipher.ts";
import { cipherFiguresOf } from "./cipher-figures.ts";
import { exampleSession, recorded } from "./example-session.testing.ts";
import { analyzeSession } from "./session-analysis.ts";
import { shapeOf } from "./session-shape.ts";

const shapeOfTexts = (...texts: string[]) =>
  shapeOf(
    recorded(
      ...texts.map((thought) => {
        const cipher = readCipher(thought);
        return { thought, ...(cipher && { cipher }) };
      }),
    ),
  );

test("steps are counted by type, links by kind, and what was given up", () => {
  const shape = shapeOfTexts("S1|O|a", "S2|H|S1|b\nS3|E|S1|c", "words", "S4|X|S2,S3|no", "S5|H|S1|d");
  expect(cipherFiguresOf(shape)).toEqual({
    thoughts: 4,
    types: { H: 2, E: 1, O: 1, X: 1 },
    edges: { rests_on: 2, supports: 1, rejects: 1 },
    rejected: 1,
  });
});

test("a session in prose has no such figures", () => {
  expect(cipherFiguresOf(shapeOfTexts("one", "two"))).toBeUndefined();
});

test("a correction by ^ counts as a revision, once where the field says it too", () => {
  const analysis = analyzeSession(exampleSession, shapeOfTexts("S1|H|a", "S2|R|^S1|b"), 0);
  expect(analysis.metadata.revisionCount).toBe(1);
  expect(analysis.structure).toMatchObject({ revisionRate: 0.5, linearityScore: 0.5 });
});
