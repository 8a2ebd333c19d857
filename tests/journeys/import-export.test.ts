import { describe, expect, test } from "vitest";
import { parseCipher } from "../../src/domain/cipher/parse.ts";
import { once } from "../support/once.ts";
import {
  createTestApp,
  resumeThinking,
  shareTestApp,
  startThinking,
  type TestClient,
  ways,
} from "../support/test-app.ts";

/** Three branches (one nested), four revisions, two anchors, one critique. */
async function eventfulSession(client: TestClient): Promise<string> {
  const target = await startThinking(client, { sessionTitle: "The connection pool", tags: ["pool"] });
  await client.call("thought", { sessionId: target, thought: "Forty connections, all taken." });
  const sessionId = await startThinking(client, { sessionTitle: "Why do logins time out?", tags: ["auth"] });
  const think = (args: object) => client.call("thought", { sessionId, ...args });
  await think({ thought: "S1|O|Logins time out" });
  await think({ thought: "S2|H|S1|The pool, see @pool:S1" });
  await think({ thought: "S3|H|S1|Or DNS, see @nothing-known:S4" });
  await think({ thought: "Or the proxy", branchFromThought: 2, branchId: "proxy" });
  await think({ thought: "Its log is clean", branchId: "proxy" });
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

describe.each(ways)("a %s client's session with branches, revisions and anchors on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const elsewhere = shareTestApp({ backend })[era]();
  /** For tests that leave it as it is. */
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
      quality: { isComplete: true, hasConvergence: true },
    });
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
    expect(json.crossReferences.details[0].selected.thoughts).toEqual([
      { thoughtNumber: 1, thought: "Forty connections, all taken." },
    ]);

    const { content: markdown } = await client.call("session.export", { sessionId, format: "markdown" });
    for (const part of [
      "Branch `proxy`",
      "Branch `clock` from thought 3 of branch proxy",
      "Branch `database`",
      "revises thought 2",
    ]) {
      expect(markdown).toContain(part);
    }
    const { content: cipher } = await client.call("session.export", { sessionId, format: "cipher" });
    const parsed = parseCipher(cipher);
    expect(parsed?.warnings).toEqual([]);
    expect(parsed?.steps).toHaveLength(12);
  });

  test("comes back from its json export the same, wherever it is imported", async () => {
    const sessionId = await sameSession();
    const { export: exported } = await client.call("session.export", { sessionId });
    const imported = await elsewhere.call("session.import", { content: JSON.stringify(exported) });
    expect(imported).toMatchObject({ sessionId, imported: 12 });
    if (era === "legacy") await resumeThinking(elsewhere, sessionId);
    const again = await elsewhere.call("session.export", { sessionId });
    const { lastAccessedAt: _seen, ...session } = exported.session;
    expect({ ...again.export, exportedAt: exported.exportedAt }).toEqual({
      ...exported,
      session: { ...session, lastAccessedAt: again.export.session.lastAccessedAt },
    });
    expect(await elsewhere.call("session.verify", { sessionId })).toMatchObject({ valid: true });
    expect(await elsewhere.call("session.import", { content: JSON.stringify(exported) })).toMatchObject({
      alreadyThere: true,
    });
  });

  test("is refused when anything in its export was changed", async () => {
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

  test("can be imported once more under a new id, with a chain of its own", async () => {
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
    expect(await client.call("session.verify", { sessionId: copy.sessionId })).toMatchObject({ valid: true });
  });

  test("leaves for the trash and comes back whole", async () => {
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
    // Its files come back too, a little later.
    await expect.poll(verify, { timeout: 10_000 }).toMatchObject({ valid: true, errors: [] });
  });
});
