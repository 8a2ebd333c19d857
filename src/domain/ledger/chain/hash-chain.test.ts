import { describe, expect, test } from "vitest";
import type { ChainedThought, Thought } from "../thought.ts";
import { createChainVerifier, genesisHash, sealThought } from "./hash-chain.ts";

const sessionId = "s";

const full: Thought = {
  thought: "the text",
  thoughtNumber: 3,
  totalThoughts: 5,
  nextThoughtNeeded: true,
  timestamp: "2026-01-01T00:00:00.000Z",
  isRevision: true,
  revisesThought: 2,
  revises: { branchId: "a", thoughtNumber: 2 },
  branchId: "b",
  branchFromThought: 2,
  branchFromBranch: "a",
  needsMoreThoughts: true,
  agentId: "ada",
};

/** Four thoughts: main 1 and 2, b:3 with every field, main 3. */
function chain(): ChainedThought[] {
  const plain = (thoughtNumber: number): Thought => ({
    thought: `thought ${thoughtNumber}`,
    thoughtNumber,
    totalThoughts: 5,
    nextThoughtNeeded: true,
    timestamp: "2026-01-01T00:00:00.000Z",
  });
  const entries: ChainedThought[] = [];
  for (const [at, data] of [plain(1), plain(2), full, plain(3)].entries()) {
    const prevHash = entries.at(-1)?.hash ?? genesisHash;
    const sealed = { sessionId, position: at + 1, salt: `salt ${at}`, prevHash, data };
    entries.push({ ...sealed, seq: at + 1, hash: sealThought(sealed) });
  }
  return entries;
}

function verify(entries: readonly ChainedThought[], head = headOf(chain()), id = sessionId) {
  const verifier = createChainVerifier(id);
  for (const entry of entries) verifier.check(entry);
  return { fault: verifier.finish(head), verified: verifier.verified };
}

const headOf = (entries: readonly ChainedThought[]) => ({
  length: entries.length,
  hash: entries.at(-1)?.hash ?? genesisHash,
});

test("an unchanged chain verifies to its end, and so does an empty one", () => {
  expect(verify(chain())).toEqual({ fault: undefined, verified: 4 });
  expect(verify([], headOf([]))).toEqual({ fault: undefined, verified: 0 });
});

test("a hash is 64 hex digits and depends on the session and the position", () => {
  const [first] = chain();
  if (!first) throw new Error("the chain is empty");
  expect(first.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(sealThought(first)).toBe(first.hash);
  expect(sealThought({ ...first, sessionId: "t" })).not.toBe(first.hash);
  expect(sealThought({ ...first, position: 2 })).not.toBe(first.hash);
});

test("the order of a thought's fields does not matter", () => {
  const [first] = chain();
  if (!first) throw new Error("the chain is empty");
  const reversed = Object.fromEntries(Object.entries(first.data).reverse()) as Thought;
  expect(sealThought({ ...first, data: reversed })).toBe(first.hash);
});

/** A different value for every sealed field of a thought. */
const changes: Partial<{ [Field in keyof Thought]: Thought[Field] | undefined }> = {
  thought: "the tex",
  thoughtNumber: 4,
  totalThoughts: 6,
  nextThoughtNeeded: false,
  timestamp: "2026-01-01T00:00:00.001Z",
  isRevision: undefined,
  revisesThought: 1,
  revises: { thoughtNumber: 2 },
  branchId: "c",
  branchFromThought: 1,
  branchFromBranch: undefined,
  needsMoreThoughts: undefined,
  agentId: "eve",
};

describe("tampering", () => {
  test("the table covers every field that a thought can have", () => {
    expect(Object.keys(changes).sort()).toEqual(Object.keys(full).sort());
  });

  test.each(Object.entries(changes))("a changed %s is detected at its thought", (field, value) => {
    const entries = chain().map((entry) =>
      entry.position === 3 ? { ...entry, data: { ...entry.data, [field]: value } } : entry,
    );
    const { fault, verified } = verify(entries);
    expect(fault).toMatchObject({ position: 3, problem: expect.stringContaining("changed") });
    expect(verified).toBe(2);
  });

  test.each([
    ["salt", { salt: "pepper" }],
    ["hash", { hash: "f".repeat(64) }],
    ["prevHash", { prevHash: "f".repeat(64) }],
    ["position", { position: 9 }],
  ])("a changed %s is detected at its thought", (_field, change) => {
    const entries = chain().map((entry, at) => (at === 2 ? { ...entry, ...change } : entry));
    expect(verify(entries).fault?.thought).toBe("b:3");
  });

  test.each([0, 1, 2])("swapping entry %i with the next is detected at the first of the two", (at) => {
    const entries = chain();
    const swapped = [
      ...entries.slice(0, at),
      ...entries.slice(at, at + 2).reverse(),
      ...entries.slice(at + 2),
    ];
    const { fault, verified } = verify(swapped);
    expect(fault?.thought).toBe(["2", "b:3", "3"][at]);
    expect(verified).toBe(at);
  });

  test.each([0, 1, 2])(
    "swapping entry %i with the next, positions included, is detected at the first of the two",
    (at) => {
      const entries = chain();
      const [one, two] = entries.slice(at, at + 2);
      if (!one || !two) throw new Error("the chain is too short");
      const renumbered = [
        { ...two, position: one.position },
        { ...one, position: two.position },
      ];
      const { fault } = verify([...entries.slice(0, at), ...renumbered, ...entries.slice(at + 2)]);
      expect(fault).toMatchObject({ position: at + 1 });
    },
  );

  test.each([0, 1, 2])("dropping entry %i is detected at the next entry", (at) => {
    const { fault, verified } = verify(chain().toSpliced(at, 1));
    expect(fault).toMatchObject({
      position: at + 2,
      problem: `position ${at + 1} is missing. The next one is ${at + 2}.`,
    });
    expect(verified).toBe(at);
  });

  test("dropping the last entry is detected by the session's count", () => {
    const { fault, verified } = verify(chain().slice(0, -1));
    expect(fault).toMatchObject({ position: 4, problem: expect.stringContaining("records 4 entries") });
    expect(verified).toBe(3);
  });

  test("a chain longer than the session's count is detected where the count ends", () => {
    const { fault, verified } = verify(chain(), headOf(chain().slice(0, 2)));
    expect(fault).toMatchObject({ position: 3, problem: expect.stringContaining("the chain has 4") });
    expect(verified).toBe(2);
  });

  test("rewriting the whole chain is detected by the head hash", () => {
    const { fault } = verify(chain(), { length: 4, hash: "f".repeat(64) });
    expect(fault).toMatchObject({ position: 4, problem: expect.stringContaining("head hash") });
  });

  test("an empty session with a head hash is detected", () => {
    const { fault, verified } = verify([], { length: 0, hash: "f".repeat(64) });
    expect(fault).toMatchObject({ position: 1, problem: expect.stringContaining("head hash") });
    expect(verified).toBe(0);
  });

  test("a chain of another session is detected at its first thought", () => {
    expect(verify(chain(), headOf(chain()), "other").fault).toMatchObject({ position: 1, thought: "1" });
  });

  test("only the first fault is reported, and no later entry counts as verified", () => {
    const entries = chain().map((entry) => ({ ...entry, data: { ...entry.data, thought: "all new" } }));
    const verifier = createChainVerifier(sessionId);
    expect(entries.map((entry) => verifier.check(entry))).toEqual([false, false, false, false]);
    expect(verifier.finish(headOf(chain()))).toMatchObject({ position: 1, thought: "1" });
    expect(verifier.verified).toBe(0);
  });
});

test("later links and the parsed notation are not sealed", () => {
  const entries = chain().map((entry) => ({
    ...entry,
    data: { ...entry.data, revisedBy: [{ thoughtNumber: 9 }], cipher: [] },
  }));
  expect(verify(entries).fault).toBeUndefined();
});

test("a different salt or text gives a different hash", () => {
  const [first] = chain();
  if (!first) throw new Error("the chain is empty");
  const hashes = new Set(
    ["a", "b"].flatMap((salt) =>
      ["x", "y"].map((thought) => sealThought({ ...first, salt, data: { ...first.data, thought } })),
    ),
  );
  expect(hashes.size).toBe(4);
});
