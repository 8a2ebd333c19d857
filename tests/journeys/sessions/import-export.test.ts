import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCipher } from "../../../src/domain/cipher/parse.ts";
import { once } from "../../support/run/once.ts";
import {
  createTestApp,
  fewWays,
  keepsFiles,
  lastingWays,
  resumeThinking,
  shareTestApp,
  startThinking,
  type TestClient,
} from "../../support/test-app.ts";

/** Records three branches (one nested), four revisions, two anchors, a critique and a requested critique. */
async function eventfulSession(client: TestClient): Promise<string> {
  const target = await startThinking(client, { sessionTitle: "The connection pool", tags: ["pool"] });
  await client.call("thought", { sessionId: target, thought: "Forty connections, all taken." });
  const sessionId = await startThinking(client, { sessionTitle: "Why do logins time out?", tags: ["auth"] });
  const think = (args: object) => client.call("thought", { sessionId, ...args });
  await think({ thought: "S1|O|Logins time out" });
  await think({ thought: "S2|H|S1|The pool, see @pool:S1" });
  await think({ thought: "S3|H|S1|Or DNS, see @nothing-known:S4" });
  await think({ thought: "Or the proxy", branchFromThought: 2, branchId: "proxy" });
  await think({ thought: "Its log is clean", branchId: "proxy", critique: true });
  await think({
    thought: "Or its clock",
    branchFromThought: 3,
    branchFromBranch: "proxy",
    branchId: "clock",
  });
  await think({ thought: "Or the database", branchFromThought: 2, branchId: "database" });
  await think({ thought: "The log is not clean", branchId: "proxy", revisesThought: 4 });
  await think({ thought: "Not the pool", revisesThought: 2 });
  await think({ thought: "Not DNS", revisesThought: 3 });
  await think({
    thought: "Not even logins",
    revisesThought: 1,
    attachCritique: { thoughtNumber: 2, text: "Unproven." },
  });
  await think({ thought: "S7|C|S2|It was the clock of the proxy", nextThoughtNeeded: false });
  return sessionId;
}

describe.each(fewWays)("a %s client's session with branches, revisions and anchors on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const elsewhere = shareTestApp({ backend })[era]();
  /** For tests that do not change the session. */
  const sameSession = once(() => eventfulSession(client));

  test("shows all of them in get, structure, analysis and restore", async () => {
    const sessionId = await sameSession();
    const shape = { branchCount: 3, revisionCount: 4, totalThoughts: 12 };
    expect((await client.call("session.get", { sessionId })).structure).toMatchObject(shape);
    const structure = await client.call("get_structure", { sessionId });
    expect(structure).toMatchObject(shape);
    expect(structure.branches.clock).toEqual({ forks: 3, fromBranch: "proxy", range: [4, 4], length: 1 });
    expect((await client.call("load_context", { sessionId })).structure).toMatchObject(shape);
    expect(await client.call("session.analyze", { sessionId })).toMatchObject({
      branchCount: 3,
      metadata: { revisionCount: 4, thoughtCount: 12 },
      quality: { critiqueRequests: 1, isComplete: true, hasConvergence: true },
    });
    const { decisionPoints } = await client.call("deep_analysis", { sessionId });
    const kinds = decisionPoints.map(({ type }: any) => type);
    expect(kinds.filter((kind: string) => kind === "branch")).toHaveLength(3);
    expect(kinds.filter((kind: string) => kind === "revision")).toHaveLength(4);
  });

  test("shows all of them in every export", async () => {
    const sessionId = await sameSession();
    const json = await client.call("session.export", { sessionId });
    expect(json.export.nodes).toHaveLength(12);
    expect(json.export.nodes.filter((node: any) => node.revisesNode)).toHaveLength(4);
    expect(new Set(json.export.nodes.map((node: any) => node.branchId))).toEqual(
      new Set([null, "proxy", "clock", "database"]),
    );
    expect(json.crossReferences).toMatchObject({ anchorsFound: 2, resolved: 1, ambiguous: 0, unresolved: 1 });
    const [{ anchor, thoughtNumber, branchId = null }] = json.crossReferences.details;
    const inside = json.export.nodes.filter(({ data }: any) => data.thought.includes(anchor));
    expect(inside[0]).toMatchObject({ branchId, data: { thoughtNumber } });
    expect(json.crossReferences.details[0].selected.thoughts).toEqual([
      { thoughtNumber: 1, thought: "Forty connections, all taken." },
    ]);

    const { content: markdown } = await client.call("session.export", { sessionId, format: "markdown" });
    for (const part of [
      "Branch `proxy`",
      "Branch `clock` from thought 3 of branch proxy",
      "Branch `database`",
      "revises thought 2",
      "Critique by self:",
      "| `@pool:S1` | thought 2 | “The connection pool” (`",
      "| `@nothing-known:S4` | thought 3 | no matching session |",
    ]) {
      expect(markdown).toContain(part);
    }
    const { content: cipher } = await client.call("session.export", { sessionId, format: "cipher" });
    const parsed = parseCipher(cipher);
    expect(parsed?.warnings).toEqual([]);
    expect(parsed?.steps).toHaveLength(12);
  });

  test("is identical after a JSON export and import, in any store", async () => {
    const sessionId = await sameSession();
    const { export: exported } = await client.call("session.export", { sessionId });
    const imported = await elsewhere.call("session.import", { content: exported });
    expect(imported).toMatchObject({ sessionId, imported: 12, session: { status: "completed" } });
    if (era === "legacy") await resumeThinking(elsewhere, sessionId);
    const again = await elsewhere.call("session.export", { sessionId });
    const { lastAccessedAt: _seen, ...session } = exported.session;
    expect({ ...again.export, exportedAt: exported.exportedAt }).toEqual({
      ...exported,
      session: { ...session, lastAccessedAt: again.export.session.lastAccessedAt },
    });
    expect(await elsewhere.call("session.verify", { sessionId })).toMatchObject({ valid: true });
    for (const name of ["session.analyze", "deep_analysis"]) {
      const { timestamp: _now, ...analysis } = await client.call(name, { sessionId });
      expect(await elsewhere.call(name, { sessionId })).toMatchObject(analysis);
    }
    expect(await elsewhere.call("session.import", { content: JSON.stringify(exported) })).toMatchObject({
      alreadyThere: true,
    });
  });

  test("is refused on import if anything in its export was changed", async () => {
    const sessionId = await sameSession();
    const text = JSON.stringify((await client.call("session.export", { sessionId })).export);
    const { total } = await elsewhere.call("list_sessions", { project: "*" });
    for (const changed of [
      text.replace("Not DNS", "Is DNS"),
      text.replace('"thoughtNumber":3', '"thoughtNumber":9'),
    ]) {
      expect(await elsewhere.refusal("session.import", { content: changed })).toMatchObject({
        code: "INVALID_PAYLOAD",
      });
    }
    expect(await elsewhere.call("list_sessions", { project: "*" })).toMatchObject({ total });
  });

  test("can be imported again under a new ID, with a separate chain", async () => {
    const client = createTestApp({ backend })[era]();
    const sessionId = await eventfulSession(client);
    const { export: exported } = await client.call("session.export", { sessionId });
    await client.call("thought", { sessionId, thought: "It went on" });
    const content = JSON.stringify({
      ...exported,
      nodes: exported.nodes.map(({ chain: _chain, ...node }: any) => node),
    });
    expect(await client.refusal("session.import", { content })).toMatchObject({ code: "CONFLICT" });
    const copy = await client.call("session.import", { content, onConflict: "new-id" });
    expect(copy.sessionId).not.toBe(sessionId);
    expect(await client.call("session.analyze", { sessionId: copy.sessionId })).toMatchObject({
      branchCount: 3,
      metadata: { revisionCount: 4, thoughtCount: 12 },
      quality: { critiqueRequests: 1 },
    });
    expect(await client.call("session.verify", { sessionId: copy.sessionId })).toMatchObject({ valid: true });
  });

  test("moves to the trash and is restored completely", async () => {
    const client = createTestApp({ backend })[era]();
    const sessionId = await eventfulSession(client);
    await client.call("session.delete", { sessionId, confirm: true });
    expect(await client.refusal("read_thoughts", { sessionId })).toMatchObject({ code: "SESSION_NOT_FOUND" });
    const found = await client.call("list_sessions", { search: "logins" });
    expect(found.total).toBe(0);
    await client.call("session.restore", { sessionId });
    if (era === "legacy") await resumeThinking(client, sessionId);
    const verify = () => client.call("session.verify", { sessionId });
    expect((await verify()).chain).toMatchObject({ valid: true, length: 12, verified: 12 });
    // The session's files are also restored, a little later.
    await expect.poll(verify, { timeout: 10_000 }).toMatchObject({ valid: true, errors: [] });
  });
});

describe.each(lastingWays.filter(([, door]) => keepsFiles(door)))(
  "a session that a %s client leaves on %s",
  (era, backend) => {
    test("is stored as files, with every thought of every branch in its place", async () => {
      const app = createTestApp({ backend });
      const client = app[era]();
      const sessionId = await eventfulSession(client);
      const { session } = await client.call("session.get", { sessionId });
      const folder = join(
        app.dataDir,
        "projects",
        session.project,
        "sessions",
        session.partitionPath,
        sessionId,
      );
      const verify = () => client.call("session.verify", { sessionId });
      await expect
        .poll(verify, { timeout: 10_000 })
        .toMatchObject({ valid: true, manifestValid: true, errors: [] });
      const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
      expect(manifest.thoughtFiles).toHaveLength(7);
      expect(manifest.branchFiles).toEqual({
        proxy: ["003.json", "004.json", "005.json"],
        clock: ["004.json"],
        database: ["003.json"],
      });
      const files = readdirSync(folder, { recursive: true }).map(String);
      const stored = files
        .filter((file) => /(?:^|branches\/[a-z]+\/)\d+\.json$/.test(file))
        .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
      expect(stored).toHaveLength(12);
      expect(stored.filter(({ revises }) => revises)).toHaveLength(4);
      expect(stored.filter(({ thought }) => /@[a-z-]+:S\d/.test(thought))).toHaveLength(2);
      expect(stored.filter(({ critiqueRequested }) => critiqueRequested)).toHaveLength(1);
    });
  },
);

describe.each(fewWays)("an anchor of a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("over a huge range reads 200 thoughts, and a warning suggests the range to write", async () => {
    const target = await startThinking(client, { sessionTitle: "The far session", tags: ["far"] });
    await client.call("thought", { sessionId: target, thought: "near the start" });
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "see @far:S1-S999999999" });
    const told = await client.call("session.export", { sessionId, format: "cipher" });
    expect(told.crossReferences.details).toMatchObject([{ range: [1, 200], status: "resolved" }]);
    expect(told.warnings).toMatchObject([
      { code: "ANCHOR_CUT", message: expect.stringContaining("@far:S1-S200") },
    ]);
    const unresolved = await client.call("session.export", { sessionId, resolveAnchors: false });
    expect(unresolved.crossReferences).toBeUndefined();
    expect(unresolved.warnings).toBeUndefined();
  });

  test("is listed for each thought that names it, and is unresolved if the thought does not exist", async () => {
    const target = await startThinking(client, { sessionTitle: "The near session", tags: ["near"] });
    await client.call("thought", { sessionId: target, thought: "the only one" });
    const sessionId = await startThinking(client);
    for (const thought of ["see @near:S1", "again @near:S1", "not @near:S99"])
      await client.call("thought", { sessionId, thought });
    const { crossReferences } = await client.call("session.export", { sessionId });
    expect(crossReferences).toMatchObject({ anchorsFound: 3, resolved: 2, unresolved: 1 });
    expect(crossReferences.details).toMatchObject([
      { thoughtNumber: 1, status: "resolved" },
      { thoughtNumber: 2, status: "resolved" },
      { thoughtNumber: 3, status: "unresolved", hint: `Session ${target} has no thought S99.` },
    ]);
  });

  test("that matches several sessions is ambiguous and lists them all", async () => {
    const project = "ambiguous";
    for (const title of ["The cache of the shop", "The cache of the blog"])
      await startThinking(client, { title, project });
    const sessionId = await startThinking(client, { project });
    await client.call("thought", { sessionId, thought: "see @cache:S1" });
    const { crossReferences } = await client.call("session.export", { sessionId });
    expect(crossReferences).toMatchObject({ anchorsFound: 1, ambiguous: 1, resolved: 0, unresolved: 0 });
    expect(crossReferences.details[0].candidates.map(({ confidence }: any) => confidence)).toEqual([
      0.85, 0.85,
    ]);
  });
});

describe.each(fewWays)("exports that a %s client on %s cannot get", (era, backend) => {
  const app = shareTestApp({ backend });
  const client = app[era]();

  test("an unknown format is refused with the valid ones, and nothing is written", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "one" });
    const args = { sessionId, format: "pdf", destination: "out" };
    const error = await client.refusal("session.export", args);
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringContaining("markdown") });
    const outside = await client.refusal("session.export", { sessionId, destination: "/etc/x.json" });
    expect(outside.recovery?.hint).toContain("THOUGHTBOX_EXPORT_DIRS");
    const exportsDir = join(app.dataDir, "exports");
    expect(existsSync(exportsDir) ? readdirSync(exportsDir) : []).toEqual([]);
  });
});
