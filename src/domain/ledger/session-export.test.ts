import { describe, expect, test } from "vitest";
import { runAtOnce } from "../../kernel/steps.ts";
import { createThoughtIndex } from "./chain/thought-index.ts";
import type { Session } from "./session.ts";
import { exportInSteps, exportParts } from "./session-export.ts";
import type { ChainedThought, Thought } from "./thought.ts";

/** Exports a session. Checks that the exported value and the exported text are equal. */
const exportSession = (...given: Parameters<typeof exportParts>) => {
  const exported = runAtOnce(exportInSteps(...given));
  expect(exported).toEqual(JSON.parse([...exportParts(...given)].join("")));
  return exported;
};

const session: Session = {
  id: "s",
  title: "T",
  tags: [],
  project: "_default",
  status: "active",
  thoughtCount: 4,
  branchCount: 1,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  lastAccessedAt: "2026-01-01T00:00:00.000Z",
};

/** In order of recording: 2, 1 (backward), constructor:3 from 2, and 3, which revises 1. */
function recorded() {
  const index = createThoughtIndex("s");
  const thought = (more: Partial<Thought>): Thought => ({
    thought: "x",
    thoughtNumber: 1,
    totalThoughts: 3,
    nextThoughtNeeded: true,
    timestamp: "2026-01-01T00:00:00.000Z",
    ...more,
  });
  const all = [
    thought({ thoughtNumber: 2 }),
    thought({ thoughtNumber: 1 }),
    thought({ thoughtNumber: 3, branchId: "constructor", branchFromThought: 2 }),
    thought({ thoughtNumber: 3, isRevision: true, revisesThought: 1, revises: { thoughtNumber: 1 } }),
  ];
  const entries = all.map((data, at): ChainedThought => {
    const { branchId, thoughtNumber, revises, branchFromThought } = data;
    const fork = branchFromThought === undefined ? undefined : { thoughtNumber: branchFromThought };
    index.add({ position: at + 1, address: { branchId, thoughtNumber }, revises, fork });
    const chain = { salt: `salt${at}`, prevHash: `hash${at}`, hash: `hash${at + 1}` };
    return { sessionId: "s", seq: at + 1, position: at + 1, ...chain, data };
  });
  return { entries, index };
}

const exportedAt = "2026-02-02T00:00:00.000Z";

test("lists nodes in the order of recording, with their links", () => {
  const { entries, index } = recorded();
  const { nodes, ...envelope } = exportSession(session, entries, index, exportedAt, true);
  expect(envelope).toEqual({
    version: "1.0",
    session,
    exportedAt,
    integrity: { length: 4, headHash: "hash4" },
  });
  expect(nodes.map(({ id, prev, next }) => ({ id, prev, next }))).toEqual([
    { id: "s:2", prev: null, next: ["s:1", "s:constructor:3"] },
    { id: "s:1", prev: "s:2", next: ["s:3"] },
    { id: "s:constructor:3", prev: "s:2", next: [] },
    { id: "s:3", prev: "s:1", next: [] },
  ]);
});

test("a node contains its thought, its branch, its revisions and its place in the chain", () => {
  const { entries, index } = recorded();
  const { nodes } = exportSession(session, entries, index, exportedAt, true);
  const [, first, branch, revision] = nodes;
  expect(first).toMatchObject({ revisedBy: ["s:3"], revisesNode: null, branchId: null, branchOrigin: null });
  expect(branch).toMatchObject({ branchId: "constructor", branchOrigin: "s:2", revisedBy: [] });
  expect(revision).toEqual({
    id: "s:3",
    data: entries[3]?.data,
    prev: "s:1",
    next: [],
    revisesNode: "s:1",
    revisedBy: [],
    branchOrigin: null,
    branchId: null,
    chain: { position: 4, salt: "salt3", prevHash: "hash3", hash: "hash4" },
  });
});

describe("without metadata", () => {
  test("leaves out everything about the hash chain", () => {
    const { entries, index } = recorded();
    const exported = exportSession(session, entries, index, exportedAt, false);
    expect(exported).not.toHaveProperty("integrity");
    for (const node of exported.nodes) expect(node).not.toHaveProperty("chain");
  });
});

test("a session without thoughts has no nodes and no integrity data", () => {
  const exported = exportSession(session, [], createThoughtIndex("s"), exportedAt, true);
  expect(exported).toEqual({ version: "1.0", session, nodes: [], exportedAt });
});

test("an export is the same after a JSON round trip", () => {
  const { entries, index } = recorded();
  const exported = exportSession(session, entries, index, exportedAt, true);
  expect(JSON.parse(JSON.stringify(exported))).toEqual(exported);
});
