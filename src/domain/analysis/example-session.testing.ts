import { runAtOnce } from "../../kernel/steps.ts";
import type { Session } from "../ledger/session.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { type SessionShape, shapeInSteps } from "./session-shape.ts";

export const shapeOf = (thoughts: readonly ChainedThought[]): SessionShape =>
  runAtOnce(shapeInSteps(thoughts));

/** Returns chain entries with one minute between thoughts and with empty hashes. */
export function recorded(...drafts: Partial<Thought>[]): ChainedThought[] {
  return drafts.map((draft, index) => ({
    sessionId: "s",
    seq: index + 1,
    position: index + 1,
    salt: "",
    prevHash: "",
    hash: "",
    data: {
      thought: `thought ${index + 1}`,
      thoughtNumber: index + 1,
      totalThoughts: draft.thoughtNumber ?? index + 1,
      nextThoughtNeeded: true,
      timestamp: new Date(Date.UTC(2026, 0, 1, 10, index)).toISOString(),
      ...draft,
    },
  }));
}

/** Main 1 to 3, "a" forks at 2 (a:3, a:4), "b" forks at a:3 (b:4, b:5), main 4 revises 2. Seven minutes. */
export function exampleThoughts(): ChainedThought[] {
  return recorded(
    { thoughtNumber: 1 },
    { thoughtNumber: 2 },
    { thoughtNumber: 3 },
    { thoughtNumber: 3, branchId: "a", branchFromThought: 2 },
    { thoughtNumber: 4, branchId: "a" },
    { thoughtNumber: 4, branchId: "b", branchFromThought: 3, branchFromBranch: "a" },
    {
      thoughtNumber: 5,
      branchId: "b",
      thought: "S9|C|S4|b is a dead end",
      cipher: [{ number: 9, type: "C", references: [{ number: 4 }] }],
    },
    {
      thoughtNumber: 4,
      totalThoughts: 5,
      nextThoughtNeeded: false,
      isRevision: true,
      revisesThought: 2,
      revises: { thoughtNumber: 2 },
    },
  );
}

export const exampleSession: Session = {
  id: "5f0c0a52-7c0e-4a53-9d0b-0c8a3f0c2d11",
  title: "Why do logins time out?",
  tags: ["auth"],
  project: "shop",
  status: "completed",
  thoughtCount: 8,
  branchCount: 2,
  createdAt: "2026-01-01T10:00:00.000Z",
  updatedAt: "2026-01-01T10:07:00.000Z",
  lastAccessedAt: "2026-01-01T10:07:00.000Z",
};
