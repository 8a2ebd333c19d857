import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sealThought } from "../../../src/domain/ledger/chain/hash-chain.ts";
import { forAll } from "../../support/for-all.ts";
import { createTestApp, doors, fewWays, shareTestApp, startThinking } from "../../support/test-app.ts";

const sessionId = "11111111-2222-4333-8444-555555555555";
const at = "2026-01-01T10:00:00.000Z";

const session = {
  id: sessionId,
  title: "From elsewhere",
  tags: ["a"],
  project: "shop",
  status: "active",
  thoughtCount: 1,
  branchCount: 0,
  createdAt: at,
  updatedAt: at,
  lastAccessedAt: at,
};

type Data = Record<string, unknown>;
const thought = (thoughtNumber: number, more: Data = {}): Data => ({
  thought: `thought ${thoughtNumber}`,
  thoughtNumber,
  totalThoughts: thoughtNumber,
  nextThoughtNeeded: true,
  timestamp: at,
  ...more,
});

const exported = (data: Data[], more: Data = {}) => ({
  version: "1.0",
  session: { ...session, ...more },
  nodes: data.map((own) => ({ data: own })),
  exportedAt: at,
});

/** Seals forged data, as an attacker could. */
function sealed(data: Data[]) {
  let prevHash = "0".repeat(64);
  const nodes = data.map((own, index) => {
    const entry = { sessionId, position: index + 1, salt: "salt", prevHash, data: own as never };
    const hash = sealThought(entry);
    const chain = { position: index + 1, salt: "salt", prevHash, hash };
    prevHash = hash;
    return { data: own, chain };
  });
  return { ...exported([]), nodes };
}

const fork = (branchId: string, branchFromBranch?: string) =>
  thought(3, { branchId, branchFromThought: 3, ...(branchFromBranch && { branchFromBranch }) });
const circle = [thought(1), fork("a", "b"), fork("b", "a")];
const revision = (revisesThought: number) => ({
  isRevision: true,
  revisesThought,
  revises: { thoughtNumber: revisesThought },
});

describe.each(fewWays)("a forged export imported by a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test.each<[string, unknown]>([
    ["names a project that is not a folder name", exported([thought(1)], { project: "../../../evil" })],
    ["names a partition that is not a folder name", exported([thought(1)], { partitionPath: "../../evil" })],
    ["has a title of 10,000 characters", exported([thought(1)], { title: "x".repeat(10_000) })],
    ["has 1,000 tags", exported([thought(1)], { tags: Array(1_000).fill("tag") })],
    ["has an invalid creation time", exported([thought(1)], { createdAt: "yesterday" })],
    ["has an invalid ID", exported([thought(1)], { id: "../x" })],
    ["uses a thought number twice, sealed", sealed([thought(1), thought(1)])],
    ["revises a missing thought, sealed", sealed([thought(1), thought(2, revision(7))])],
    ["revises a missing thought", exported([thought(1), thought(2, revision(7))])],
    ["forks from a missing thought", exported([thought(1), fork("a")])],
    ["has a branch without a fork, sealed", sealed([thought(1), thought(2, { branchId: "a" })])],
    ["starts a branch twice, sealed", sealed([thought(1), thought(2), thought(3), fork("a"), fork("a")])],
    ["has circular branches, sealed", sealed(circle)],
    ["is a list", []],
    ["has another version", { ...exported([thought(1)]), version: "2.0" }],
  ])("that %s is refused with a reason, and nothing is written", async (_what, content) => {
    const error = await client.refusal("session.import", { content: JSON.stringify(content) });
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringMatching(/\.$/) });
    expect(await client.call("list_sessions", { project: "*", search: "elsewhere" })).toMatchObject({
      total: 0,
    });
  });
});

/** Returns nested data that no message can contain, but that a program can pass to the library. */
const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce((inner: unknown) => ({ in: inner }), "core");
const hostile: [what: string, content: unknown, message: RegExp][] = [
  ["depth 100,000", exported([thought(1, { more: nested(100_000) })]), /nested deeper than 64 levels/],
  ["depth 65", exported([thought(1, { more: nested(65) })]), /export\.nodes\[0\].* nested deeper than 64/],
  ["a deep session", exported([thought(1)], { more: nested(65) }), /export\.session.* nested deeper than 64/],
  [
    "the key __proto__",
    exported([thought(1, JSON.parse('{"__proto__":{"a":1}}'))]),
    /export\.nodes\[0\]\.data\.__proto__ is not allowed as a key/,
  ],
  ["NUL", sealed([thought(1, { thought: "a\0b" })]), /export\.nodes\[0\]\.data\.thought contains a NUL/],
  ["half a pair", sealed([thought(1, { agentId: "\ud83d" })]), /data\.agentId contains half/],
  ["a hostile tag", exported([thought(1)], { tags: ["\udc00"] }), /export\.session\.tags\[0\] contains half/],
];

test("a hostile export is refused as an object and as text, and nothing is written", async () => {
  const client = createTestApp({ backend: "memory" }).modern();
  const forms = hostile.flatMap(([what, content, message]) => [
    { what: `object: ${what}`, content, message },
    ...(what === "depth 100,000"
      ? []
      : [{ what: `text: ${what}`, content: JSON.stringify(content), message }]),
  ]);
  await forAll(
    forms,
    ({ what }) => what,
    async ({ content, message }) => {
      const error = await client.refusal("session.import", { content });
      expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringMatching(message) });
    },
  );
  expect(await client.call("list_sessions", { project: "*" })).toMatchObject({ total: 0 });
});

describe.each(doors)("on %s", (backend) => {
  test("circular branches in an export without seals are imported, and nothing hangs", async () => {
    const client = createTestApp({ backend }).modern();
    const data = [thought(1), thought(2), thought(3), ...circle.slice(1)];
    await client.call("session.import", { content: JSON.stringify(exported(data)) });
    await client.call("cipher", { sessionId });
    expect(await client.call("deep_analysis", { sessionId })).toMatchObject({
      patterns: { totalThoughts: 5, branchCount: 2 },
    });
    const missing = { sessionId, thought: "x", branchId: "a", revisesThought: 9 };
    expect(await client.refusal("thought", missing)).toMatchObject({ code: "THOUGHT_NOT_FOUND" });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("with a project lock, an export from another project is refused, and its ID stays unknown", async () => {
    const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
    const client = createTestApp({ backend, env }).modern();
    const content = JSON.stringify(exported([thought(1)]));
    const error = await client.refusal("session.import", { content });
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringContaining("mine") });
    expect(error.recovery?.hint).toContain("shop");
    expect(await client.refusal("load_context", { sessionId })).toMatchObject({ code: "SESSION_NOT_FOUND" });
    const own = JSON.stringify(exported([thought(1)], { project: "mine" }));
    expect(await client.call("session.import", { content: own })).toMatchObject({ imported: 1 });
  });

  test("an export with null for a missing description or partition can be imported", async () => {
    const client = createTestApp({ backend }).modern();
    const content = JSON.stringify(exported([thought(1)], { description: null, partitionPath: null }));
    expect((await client.call("session.import", { content })).session).toMatchObject({
      title: session.title,
      project: "shop",
    });
  });
});

test("notes are written only below their project, whatever project name a session claims", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const content = JSON.stringify(exported([thought(1)], { project: "../../../evil" }));
  await client.refusal("session.import", { content });
  const own = await startThinking(client, { project: "../../../evil" });
  await client.call("knowledge.write_scratchpad", { sessionId: own, topic: "Handover", content: "x" });
  expect(
    existsSync(join(app.dataDir, "projects", "evil-3647b318eb", "knowledge", "scratchpad", "handover.md")),
  ).toBe(true);
  expect(readdirSync(dirname(app.dataDir))).toEqual(["data"]);
});

test("a project lock does not reveal what another project has in its trash, and nothing is added to it", async () => {
  const app = createTestApp({ backend: "fs" });
  const owner = app.modern();
  await owner.call("session.import", { content: JSON.stringify(exported([thought(1)])) });
  await owner.call("session.delete", { sessionId, confirm: true });
  const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
  const locked = createTestApp({ backend: "fs", env, dataDir: app.dataDir }).modern();
  const content = JSON.stringify(exported([thought(1), thought(2)], { project: "mine" }));
  const error = await locked.refusal("session.import", { content });
  expect(error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("a different session") });
  expect(JSON.stringify(error)).not.toContain("trash");
  const { sessionId: own } = await locked.call("session.import", { content, onConflict: "new-id" });
  expect(own).not.toBe(sessionId);
  const restored = await owner.call("session.restore", { sessionId });
  expect(restored.session).toMatchObject({ project: "shop", thoughtCount: 1 });
});
