import { describe, expect, test } from "vitest";
import { genesisHash, sealThought } from "../chain/hash-chain.ts";
import type { Thought } from "../thought.ts";
import { parseThoughtFile, renderThoughtFile, type SealedThought } from "./thought-file.ts";

const sessionId = "0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f";

function sealed(more: Partial<Thought> = {}): SealedThought {
  const data: Thought = {
    thought: "S1|O|Logins time out",
    thoughtNumber: 3,
    totalThoughts: 5,
    nextThoughtNeeded: true,
    timestamp: "2025-12-07T08:00:00.000Z",
    isRevision: true,
    revisesThought: 1,
    revises: { thoughtNumber: 1 },
    branchId: "alt",
    branchFromThought: 2,
    agentId: "ada",
    cipher: [{ number: 1, type: "O", references: [] }],
    ...more,
  };
  const unsealed = { sessionId, position: 4, salt: "a1b2", prevHash: genesisHash, data };
  return { ...unsealed, hash: sealThought(unsealed) };
}

describe("a thought as a file", () => {
  test("contains the thought's data and its place in the chain, in a readable form", () => {
    const written = JSON.parse(renderThoughtFile(sealed()));
    expect(written).toMatchObject({ thought: "S1|O|Logins time out", thoughtNumber: 3, branchId: "alt" });
    expect(written.chain).toEqual({ position: 4, salt: "a1b2", prevHash: genesisHash, hash: sealed().hash });
    expect(renderThoughtFile(sealed()).split("\n").length).toBeGreaterThan(10);
  });

  test("is parsed back unchanged", () => {
    expect(parseThoughtFile(sessionId, renderThoughtFile(sealed()))).toEqual({
      kind: "sealed",
      entry: sealed(),
    });
  });

  test("is the same bytes whatever the order of fields and later revisions", () => {
    const { thought, ...rest } = sealed().data;
    const shuffled = { ...sealed(), data: { ...rest, thought, revisedBy: [{ thoughtNumber: 9 }] } };
    expect(renderThoughtFile(shuffled)).toBe(renderThoughtFile(sealed()));
  });

  test("replaces a forged parse with a new one", () => {
    const forged = sealed({ cipher: [{ number: 7, type: "H", references: [] }] });
    const read = parseThoughtFile(sessionId, renderThoughtFile(forged));
    expect(read).toEqual({ kind: "sealed", entry: sealed() });
  });
});

describe("a file that cannot be trusted", () => {
  const text = renderThoughtFile(sealed());

  test.each([
    ["the text", text.replace("time out", "work")],
    ["the number", text.replace('"thoughtNumber": 3', '"thoughtNumber": 4')],
    ["the position", text.replace('"position": 4', '"position": 5')],
    ["the salt", text.replace("a1b2", "a1b3")],
    ["an added field", text.replace('"agentId"', '"needsMoreThoughts": true,\n  "agentId"')],
  ])("is bad because of a change to %s", (_what, changed) => {
    expect(changed).not.toBe(text);
    expect(parseThoughtFile(sessionId, changed)).toEqual({
      kind: "bad",
      problem: "was changed after it was recorded",
    });
  });

  test("is bad if it belongs to another session", () => {
    expect(parseThoughtFile(sessionId.replace("0b", "1b"), text).kind).toBe("bad");
  });

  test.each(["", "[]", "null", text.slice(0, -20), "{", "not json"])(
    "is bad if it does not contain an object: %j",
    (broken) => {
      expect(parseThoughtFile(sessionId, broken)).toMatchObject({
        kind: "bad",
        problem: expect.stringContaining("JSON"),
      });
    },
  );

  test.each([
    { thoughtNumber: 0 },
    { thoughtNumber: 1_000_001 },
    { branchId: "../up" },
    { thought: "half \0" },
    { agentId: "no spaces" },
    { revises: { branchId: "Up", thoughtNumber: 1 } },
    { timestamp: "yesterday" },
  ])("is bad if %j is out of bounds, even with a valid seal", (more) => {
    expect(parseThoughtFile(sessionId, renderThoughtFile(sealed(more)))).toMatchObject({ kind: "bad" });
  });

  test("is bad if a key could reach a prototype", () => {
    const hostile = text.replace('"agentId": "ada"', '"__proto__": {"x": 1}, "agentId": "ada"');
    expect(parseThoughtFile(sessionId, hostile)).toMatchObject({ kind: "bad" });
  });
});

test("a file without a place in a chain is read as one of an earlier version", () => {
  expect(parseThoughtFile(sessionId, '{"thought":"old"}')).toEqual({
    kind: "plain",
    fields: { thought: "old" },
  });
});
