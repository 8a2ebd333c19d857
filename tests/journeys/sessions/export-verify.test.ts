import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRaw } from "../../support/disk/raw-database.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  createTestApp,
  fewWays,
  shareTestApp,
  startThinking,
  type TestClient,
} from "../../support/test-app.ts";

/** Records main 1–3 with a revision of 1, branch `alt` from 2, and branch `deep` from `alt`. */
async function written(client: TestClient): Promise<string> {
  const sessionId = await startThinking(client, { title: "Export me", tags: ["x"] });
  const think = (args: Record<string, unknown>) => client.call("thought", { sessionId, ...args });
  await think({ thought: "one" });
  await think({ thought: "S2|H|S1|two" });
  await think({ thought: "or", branchFromThought: 2, branchId: "alt" });
  await think({ thought: "or even", branchFromThought: 3, branchFromBranch: "alt", branchId: "deep" });
  await think({ thought: "better", revisesThought: 1, agentId: "ada", needsMoreThoughts: true });
  return sessionId;
}

describe.each(fewWays)("export for a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const client = app[era]();

  test("contains every thought of every branch with its links and its position in the chain", async () => {
    const sessionId = await written(client);
    const { export: exported, format, bytes } = await client.call("session.export", { sessionId });
    expect({ format, version: exported.version }).toEqual({ format: "json", version: "1.0" });
    expect(bytes).toBe(Buffer.byteLength(JSON.stringify(exported)));
    expect(exported.session).toMatchObject({
      id: sessionId,
      title: "Export me",
      thoughtCount: 5,
      branchCount: 2,
    });
    const id = (name: string) => `${sessionId}:${name}`;
    expect(exported.nodes.map((node: any) => node.id)).toEqual(["1", "2", "alt:3", "deep:4", "3"].map(id));
    const [one, two, or, deep, better] = exported.nodes;
    expect(one).toMatchObject({
      prev: null,
      next: [id("2")],
      revisedBy: [id("3")],
      revisesNode: null,
      branchId: null,
    });
    expect(two).toMatchObject({ next: [id("3"), id("alt:3")], data: { cipher: [{ type: "H" }] } });
    expect(or).toMatchObject({ prev: id("2"), branchOrigin: id("2"), branchId: "alt", next: [id("deep:4")] });
    expect(deep).toMatchObject({
      prev: id("alt:3"),
      branchOrigin: id("alt:3"),
      data: { branchFromBranch: "alt" },
    });
    expect(better).toMatchObject({
      revisesNode: id("1"),
      data: { isRevision: true, revisesThought: 1, agentId: "ada", needsMoreThoughts: true },
    });
    exported.nodes.forEach((node: any, at: number) => {
      expect(node.chain).toMatchObject({
        position: at + 1,
        prevHash: exported.nodes[at - 1]?.chain.hash ?? "0".repeat(64),
      });
    });
    expect(exported.integrity).toEqual({ length: 5, headHash: better.chain.hash });
  });

  test("omits salts and hashes if includeMetadata is false", async () => {
    const sessionId = await written(client);
    const told = await client.call("session.export", { sessionId, includeMetadata: false });
    expect(told.export.nodes.length).toBe(5);
    expect(JSON.stringify(told.export)).not.toMatch(/"(?:salt|hash|prevHash|headHash)"/);
  });

  test("returns the same data every time, except for timestamps", async () => {
    const sessionId = await written(client);
    const [one, other] = [
      await client.call("session.export", { sessionId }),
      await client.call("session.export", { sessionId }),
    ];
    const seen = expect.any(String);
    expect(other.export).toEqual({
      ...one.export,
      exportedAt: seen,
      session: { ...one.export.session, lastAccessedAt: seen },
    });
  });

  test.each([
    ["a folder", "for-review", (id: string) => join("for-review", `${id}.json`)],
    ["a nested folder", "2026/march", (id: string) => join("2026", "march", `${id}.json`)],
    ["a file", "notes/mine.json", () => join("notes", "mine.json")],
    ["a file with another extension", "report.txt", () => "report.txt"],
    ["a folder with a dot in its name", "v1.2", (id: string) => join("v1.2", `${id}.json`)],
    ["a folder with a trailing slash", "old.files/", (id: string) => join("old.files", `${id}.json`)],
  ])(
    "writes a complete and private export to %s inside the exports directory",
    async (_what, destination, expected) => {
      const sessionId = await written(client);
      const { path, export: inline } = await client.call("session.export", { sessionId, destination });
      expect(inline).toBeUndefined();
      expect(path).toBe(join(app.dataDir, "exports", expected(sessionId)));
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
        version: "1.0",
        session: { id: sessionId },
      });
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  test.each(["..", "../x", "a/../../x", "/etc", "/tmp/x.json", ".git", "a/.hidden/x.json", "node_modules/x"])(
    "refuses to write to %s",
    async (destination) => {
      const sessionId = await written(client);
      const error = await client.refusal("session.export", { sessionId, destination });
      expect(error).toMatchObject({
        code: "INVALID_PAYLOAD",
        message: expect.stringContaining("not allowed"),
      });
      expect(existsSync(join(app.dataDir, "x", `${sessionId}.json`))).toBe(false);
    },
  );

  test("follows no link out of the exports directory", async () => {
    const sessionId = await written(client);
    const outside = tempDir();
    mkdirSync(join(app.dataDir, "exports"), { recursive: true });
    symlinkSync(outside, join(app.dataDir, "exports", "way-out"));
    const error = await client.refusal("session.export", { sessionId, destination: "way-out" });
    expect(error.code).toBe("INVALID_PAYLOAD");
    expect(existsSync(join(outside, `${sessionId}.json`))).toBe(false);
  });

  test("writes where THOUGHTBOX_EXPORT_DIRS allows it", async () => {
    const allowed = tempDir();
    const client = createTestApp({ backend, env: { THOUGHTBOX_EXPORT_DIRS: allowed } })[era]();
    const sessionId = await written(client);
    const { path } = await client.call("session.export", { sessionId, destination: join(allowed, "out") });
    expect(path).toBe(join(allowed, "out", `${sessionId}.json`));
    expect(existsSync(path)).toBe(true);
  });

  test("of a session too large for one answer can be read and imported page by page", async () => {
    const sessionId = await written(client);
    await client.call("thought", { sessionId, thought: 'x"\\'.repeat(30_000) });
    for (const format of ["json", "markdown", "cipher"]) {
      const pages: any[] = [];
      for (let after: number | undefined = 0; after !== undefined; after = pages.at(-1).nextAfter) {
        const page = await client.call("session.export", { sessionId, format, after });
        expect(JSON.stringify(page).length).toBeLessThan(75_000);
        expect(page).not.toHaveProperty("path");
        pages.push(page);
      }
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.map(({ hasMore }) => hasMore ?? false)).toEqual(
        pages.map((_, index) => index < pages.length - 1),
      );
      const whole = pages.map(({ content }) => content).join("");
      expect(Buffer.byteLength(whole)).toBe(pages[0].bytes);
      if (format !== "json") continue;
      const elsewhere = createTestApp({ backend })[era]();
      const told = await elsewhere.call("session.import", { pages });
      expect(told).toMatchObject({ sessionId, imported: JSON.parse(whole).nodes.length });
    }
  });

  test("of an empty session is empty and verifies", async () => {
    const { sessionId } = await client.call("start_new");
    const { export: exported } = await client.call("session.export", { sessionId });
    expect(exported.nodes).toEqual([]);
    expect(await client.call("session.verify", { sessionId })).toMatchObject({
      valid: true,
      chain: { length: 0 },
    });
  });
});

describe.each(fewWays)("verify for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("confirms a chain that spans the main line, branches and revisions", async () => {
    const sessionId = await written(client);
    const { export: exported } = await client.call("session.export", { sessionId });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({
      valid: true,
      sessionExists: true,
      errors: [],
      chain: { valid: true, length: 5, verified: 5, headHash: exported.integrity.headHash },
    });
  });

  test("succeeds while others record thoughts", async () => {
    const sessionId = await written(client);
    const work = Array.from({ length: 40 }, (_, n) => [
      client.call("thought", { sessionId, thought: `${n}` }),
      client.call("session.verify", { sessionId }),
    ]).flat();
    for (const told of await Promise.all(work)) if ("valid" in told) expect(told.errors).toEqual([]);
  });
});

describe("verify detects a change that was made directly in the database file", () => {
  const thoughtAt = (position: number) => `UPDATE thoughts SET %s WHERE position = ${position}`;
  test.each([
    ["the text", thoughtAt(2).replace("%s", "thought = 'TWO'"), 2, "2"],
    ["a number", thoughtAt(2).replace("%s", "number = 20"), 2, "20"],
    ["a total", thoughtAt(1).replace("%s", "total = 99"), 1, "1"],
    ["the end of a chain", thoughtAt(1).replace("%s", "next_needed = 0"), 1, "1"],
    ["a time", thoughtAt(4).replace("%s", "timestamp = '2000-01-01T00:00:00.000Z'"), 4, "deep:4"],
    ["a branch", thoughtAt(4).replace("%s", "branch_id = 'other'"), 4, "other:4"],
    ["a fork", thoughtAt(3).replace("%s", "from_number = 1"), 3, "alt:3"],
    ["a revision", thoughtAt(5).replace("%s", "revises_number = 2"), 5, "3"],
    ["an agent", thoughtAt(5).replace("%s", "agent_id = 'eve'"), 5, "3"],
    ["a flag", thoughtAt(5).replace("%s", "needs_more = 0"), 5, "3"],
    ["a salt", thoughtAt(3).replace("%s", "salt = 'pepper'"), 3, "alt:3"],
    ["a hash", thoughtAt(3).replace("%s", "hash = 'feed'"), 3, "alt:3"],
    ["a link to the previous thought", thoughtAt(3).replace("%s", "prev_hash = 'feed'"), 3, "alt:3"],
    ["a deleted thought", "DELETE FROM thoughts WHERE position = 2", 3, "alt:3"],
    ["a deleted first thought", "DELETE FROM thoughts WHERE position = 1", 2, "2"],
    ["a deleted last thought", "DELETE FROM thoughts WHERE position = 5", 5, ""],
    [
      "two swapped thoughts",
      "UPDATE thoughts SET position = CASE position WHEN 2 THEN 3 ELSE 2 END WHERE position IN (2, 3)",
      2,
      "alt:3",
    ],
    ["the session's count", "UPDATE sessions SET chain_length = 4", 5, ""],
    ["the session's head", "UPDATE sessions SET chain_head = 'feed'", 5, ""],
  ])("%s", async (_what, sql, position, thought) => {
    const app = createTestApp({ backend: "fs" });
    const client = app.modern();
    const sessionId = await written(client);
    openRaw(app.dataDir).exec(sql);
    const told = await client.call("session.verify", { sessionId });
    expect(told).toMatchObject({ valid: false, chain: { valid: false, firstBad: { thought } } });
    expect(told.errors[0]).toContain(told.chain.firstBad.problem);
    expect(told.chain.firstBad.position).toBe(position);
    expect(told.chain.verified).toBeLessThan(position);
  });

  test("an extra thought after the last", async () => {
    const app = createTestApp({ backend: "fs" });
    const client = app.modern();
    const sessionId = await written(client);
    const raw = openRaw(app.dataDir);
    const columns = raw.prepare("SELECT name FROM pragma_table_info('thoughts')").all();
    const moved = columns.map(({ name }) =>
      name === "seq" ? "seq + 1000" : name === "position" || name === "number" ? `${name} + 1` : name,
    );
    raw.exec(`INSERT INTO thoughts SELECT ${moved.join(", ")} FROM thoughts WHERE position = 5`);
    const told = await client.call("session.verify", { sessionId });
    expect(told).toMatchObject({ valid: false, chain: { firstBad: { position: 6, thought: "4" } } });
  });
});
