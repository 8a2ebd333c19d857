import { describe, expect, test } from "vitest";
import { createTestApp, fewWays, lastingWays, shareTestApp } from "../../support/test-app.ts";

const steps = [
  { thought: "S1|O|The checkout test fails once in forty runs" },
  { thought: "S2|H|S1|Two tests share a port" },
  { thought: "S3|E|S2|Fails alone, too ⊖ [S2]" },
  { thought: "S4|H|S1|The clock jumps at midnight", branchFromThought: 1, branchId: "clock" },
  { thought: "S5|X|S4|It fails at noon as well", branchId: "clock" },
  { thought: "S4|H|S1|The pool is closed before the last query" },
  { thought: "S5|C|S4|Await the last query before closing the pool" },
  { thought: "S6|Q|S5|Does the retry in CI hide others of this kind?" },
  { thought: "S7|Q|S5|Is the pool shared?" },
  { thought: "S8|E|S7|No, one a worker" },
];

describe.each(lastingWays)("a week later, a new %s client on %s", (era, backend) => {
  test("learns in one call where the work stopped, what was concluded and rejected, and what is open", async () => {
    const before = createTestApp({ backend });
    const first = before[era]();
    const { sessionId } = await first.call("thought", steps[0]);
    for (const step of steps.slice(1)) await first.call("thought", { sessionId, ...step });
    await before.close();

    const client = createTestApp({ backend, dataDir: before.dataDir })[era]();
    const told = await client.call("load_context", { latest: true });
    expect(told).toMatchObject({ sessionId, nextThoughtNumber: 9, branches: [{ branchId: "clock" }] });
    expect(told.lastThoughts.map(({ thoughtNumber }: any) => thoughtNumber)).toEqual([4, 5, 6, 7, 8]);
    expect(told.digest).toEqual({
      conclusions: [{ thoughtNumber: 5, text: "Await the last query before closing the pool" }],
      openQuestions: [{ thoughtNumber: 6, text: "Does the retry in CI hide others of this kind?" }],
      rejected: [
        { thoughtNumber: 2, text: "Two tests share a port", why: "Fails alone, too ⊖ [S2]" },
        {
          thoughtNumber: 2,
          branchId: "clock",
          text: "The clock jumps at midnight",
          why: "It fails at noon as well",
        },
      ],
      branches: [{ thoughtNumber: 3, branchId: "clock", text: "It fails at noon as well", rejected: true }],
    });
    expect(JSON.stringify(told).length).toBeLessThan(3_000);
    expect(await client.call("thought", { sessionId, thought: "on" })).toEqual({
      sessionId,
      thoughtNumber: 9,
    });
  });
});

describe.each(fewWays)("resuming by a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("load_context returns the newest five thoughts of any branch, without parse and totals", async () => {
    const { sessionId } = await client.call("start_new");
    for (const thought of ["one", "two"]) await client.call("thought", { sessionId, thought });
    const fork = { branchFromThought: 1, branchId: "alt" };
    for (const thought of ["a", "b", "c", "d"])
      await client.call("thought", { sessionId, thought, ...(thought === "a" ? fork : { branchId: "alt" }) });
    const { lastThoughts } = await client.call("load_context", { sessionId });
    expect(lastThoughts).toEqual([
      { thoughtNumber: 2, thought: "two" },
      { thoughtNumber: 2, thought: "a", branchId: "alt", branchFromThought: 1 },
      { thoughtNumber: 3, thought: "b", branchId: "alt" },
      { thoughtNumber: 4, thought: "c", branchId: "alt" },
      { thoughtNumber: 5, thought: "d", branchId: "alt" },
    ]);
  });

  test("the first eight characters of an ID are enough to read, resume and continue, but not to delete or restore", async () => {
    const { sessionId } = await client.call("start_new");
    await client.call("thought", { sessionId, thought: "one" });
    const named = { sessionId: sessionId.slice(0, 8) };
    expect(await client.call("load_context", named)).toMatchObject({ sessionId });
    expect(await client.call("read_thoughts", named)).toMatchObject({ sessionId, count: 1 });
    expect(await client.call("thought", { ...named, thought: "two" })).toMatchObject({
      sessionId,
      thoughtNumber: 2,
    });
    expect(await client.call("session.export", { ...named, format: "markdown" })).toMatchObject({
      sessionId,
    });
    expect(await client.call("open", { id: named.sessionId })).toMatchObject({
      kind: "session",
      id: sessionId,
    });
    expect(await client.call("open", { id: `${named.sessionId}:2` })).toMatchObject({ id: `${sessionId}:2` });
    expect(await client.call("show", { branch: `session/${named.sessionId}` })).toMatchObject({
      branch: `session/${sessionId}`,
    });
    const unknown = { code: "SESSION_NOT_FOUND" };
    expect(await client.refusal("session.delete", { ...named, confirm: true })).toMatchObject({
      ...unknown,
      recovery: { hint: expect.stringContaining("pass the whole ID") },
    });
    await client.call("session.delete", { sessionId, confirm: true });
    expect(await client.refusal("read_thoughts", named)).toMatchObject(unknown);
    expect(await client.refusal("session.restore", named)).toMatchObject(unknown);
    const seven = sessionId.slice(0, 7);
    for (const name of ["load_context", "read_thoughts"])
      expect(await client.refusal(name, { sessionId: seven }), name).toMatchObject({
        code: "SESSION_NOT_FOUND",
      });
  });
});

describe("the beginning of a session ID", () => {
  const twins = ["0badcafe-0000-4000-8000-000000000001", "0badcafe-0000-4000-8000-000000000002"] as const;

  /** Creates two sessions whose IDs start with the same characters. */
  async function withTwins(projects: readonly [string, string]) {
    const client = createTestApp().modern();
    for (const [index, id] of twins.entries()) {
      const { sessionId } = await client.call("start_new", { project: projects[index] });
      const exported = await client.call("session.export", { sessionId });
      await client.call("session.import", {
        content: JSON.stringify(exported.export).replaceAll(sessionId, id),
      });
    }
    return client;
  }

  test("is refused with both candidates if two sessions share it", async () => {
    const client = await withTwins(["_default", "_default"]);
    for (const [name, args] of [
      ["read_thoughts", {}],
      ["thought", { thought: "x" }],
      ["load_context", {}],
    ] as const) {
      const refusal = await client.refusal(name, { sessionId: "0badcafe", ...args });
      expect(refusal, name).toMatchObject({
        code: "SESSION_NOT_FOUND",
        details: { candidates: twins.toReversed() },
      });
    }
  });

  test("is looked up only in the caller's project", async () => {
    const client = await withTwins(["_default", "elsewhere"]);
    expect(await client.call("read_thoughts", { sessionId: "0badcafe" })).toMatchObject({
      sessionId: twins[0],
    });
    await client.call("session.delete", { sessionId: twins[0], confirm: true });
    const refusal = await client.refusal("session.get", { sessionId: "0badcafe" });
    expect(refusal).toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(JSON.stringify(refusal)).not.toContain(twins[1]);
  });

  test("shows a locked server nothing about other projects, including their trash", async () => {
    const open = createTestApp({ backend: "fs" });
    const [kept, deleted] = [open.modern(), open.modern()];
    const ids: string[] = [];
    for (const client of [kept, deleted])
      ids.push((await client.call("start_new", { project: "elsewhere" })).sessionId);
    await deleted.call("session.delete", { sessionId: ids[1], confirm: true });
    await open.close();

    const env = { THOUGHTBOX_PROJECT: "shop", THOUGHTBOX_PROJECT_LOCK: "true" };
    const locked = createTestApp({ backend: "fs", dataDir: open.dataDir, env }).modern();
    for (const id of ids)
      for (const [name, args] of [
        ["load_context", {}],
        ["read_thoughts", {}],
        ["thought", { thought: "x" }],
        ["session.export", {}],
        ["session.delete", { confirm: true }],
        ["session.restore", {}],
      ] as const) {
        const refusal = await locked.refusal(name, { sessionId: id.slice(0, 8), ...args });
        expect(refusal, name).toMatchObject({ code: "SESSION_NOT_FOUND" });
        expect(JSON.stringify(refusal), name).not.toContain(id);
      }
  });
});

describe.each(lastingWays)("a session with more branches than fit, for a %s client on %s", (era, backend) => {
  test("states how many branches are not listed", async () => {
    const client = createTestApp({ backend })[era]();
    const { sessionId } = await client.call("thought", { thought: "fork here" });
    for (let n = 1; n <= 52; n += 1)
      await client.call("thought", {
        sessionId,
        thought: `try ${n}`,
        branchId: `b-${n}`,
        branchFromThought: 1,
      });
    const told = await client.call("load_context", { sessionId });
    expect(told.branches).toHaveLength(50);
    expect(told).toMatchObject({ branchesOmitted: 2, structure: { branchCount: 52 } });
  });
});
