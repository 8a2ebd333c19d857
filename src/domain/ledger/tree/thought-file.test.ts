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
  test("is the thought's data with its place in the chain, for people to read", () => {
    const written = JSON.parse(renderThoughtFile(sealed()));
    expect(written).toMatchObject({ thought: "S1|O|Logins time out", thoughtNumber: 3, branchId: "alt" });
    expect(written.chain).toEqual({ position: 4, salt: "a1b2", prevHash: genesisHash, hash: sealed().hash });
    expect(renderThoughtFile(sealed()).split("\n").length).toBeGreaterThan(10);
  });

  test("is read back as it was", () => {
    expect(parseThoughtFile(sessionId, renderThoughtFile(sealed()))).toEqual({
      kind: "sealed",
      entry: sealed(),
    });
  });

  test("has the same bytes whatever the order of fields, and whoever revised it later", () => {
    const { thought, ...rest } = sealed().data;
    const shuffled = { ...sealed(), data: { ...rest, thought, revisedBy: [{ thoughtNumber: 9 }] } };
    expect(renderThoughtFile(shuffled)).toBe(renderThoughtFile(sealed()));
  });

  test("does not believe a parse that is not sealed, and makes it again", () => {
    const forged = sealed({ cipher: [{ number: 7, type: "H", references: [] }] });
    const read = parseThoughtFile(sessionId, renderThoughtFile(forged));
    expect(read).toEqual({ kind: "sealed", entry: sealed() });
  });
});

describe("a file that cannot be trusted", () => {
  const text = renderThoughtFile(sealed());

  test.each([
    ["its text", text.replace("time out", "work")],
    ["its number", text.replace('"thoughtNumber": 3', '"thoughtNumber": 4')],
    ["its place", text.replace('"position": 4', '"position": 5')],
    ["its salt", text.replace("a1b2", "a1b3")],
    ["a field that was not there", text.replace('"agentId"', '"needsMoreThoughts": true,\n  "agentId"')],
  ])("shows when %s was changed", (_what, changed) => {
    expect(changed).not.toBe(text);
    expect(parseThoughtFile(sessionId, changed)).toEqual({
      kind: "bad",
      problem: "was changed after it was recorded",
    });
  });

  test("shows when it belongs to another session", () => {
    expect(parseThoughtFile(sessionId.replace("0b", "1b"), text).kind).toBe("bad");
  });

  test.each(["", "[]", "null", text.slice(0, -20), "{", "not json"])(
    "is bad when it holds no object: %j",
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
  ])("is bad when its seal holds but %j is out of bounds", (more) => {
    expect(parseThoughtFile(sessionId, renderThoughtFile(sealed(more)))).toMatchObject({ kind: "bad" });
  });

  test("is bad when a key could reach a prototype", () => {
    const hostile = text.replace('"agentId": "ada"', '"__proto__": {"x": 1}, "agentId": "ada"');
    expect(parseThoughtFile(sessionId, hostile)).toMatchObject({ kind: "bad" });
  });
});

test("a file without a place in a chain is left to those who read earlier versions", () => {
  expect(parseThoughtFile(sessionId, '{"thought":"old"}')).toEqual({
    kind: "plain",
    fields: { thought: "old" },
  });
});
